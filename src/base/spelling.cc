#include "base/spelling.h"

#include <algorithm>
#include <vector>

namespace hologram {
namespace {

constexpr size_t kShortest = 3;
constexpr size_t kLongest = 60;
constexpr size_t kShort = 6;

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

bool IsNear(std::string_view name, std::string_view candidate) {
  if (name.size() < kShortest || name.size() > kLongest || candidate.size() > kLongest) {
    return false;
  }
  return EditDistance(name, candidate) <= (name.size() < kShort ? 1U : 2U);
}

std::string Nearest(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view nearest;
  for (const std::string_view candidate : candidates) {
    const bool better =
        nearest.empty() || EditDistance(name, candidate) < EditDistance(name, nearest);
    if (IsNear(name, candidate) && better) nearest = candidate;
  }
  return std::string(nearest);
}

std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string found = Nearest(name, candidates);
  return found.empty() ? "" : "; did you mean '" + found + "'?";
}

}  // namespace hologram
