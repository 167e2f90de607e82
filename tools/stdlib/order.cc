#include "order.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_map>

namespace hologram::tool {
namespace {

constexpr size_t kWindow = 32 * 1024;
// Chosen by what Deflate makes of the bundle: with 8, 16 and 400 it is 32 KB larger, with shorter
// sequences, more samples or other limits some KB.
constexpr size_t kLength = 5;       // of a sequence of bytes
constexpr uint64_t kSampled = 4;    // one of this number of sequences is looked at
constexpr size_t kTooCommon = 200;  // programs; what as many have says nothing of any two

// Sequences of the program, by their hashes, sorted.
std::vector<uint64_t> SequencesOf(std::span<const uint8_t> bytes) {
  std::vector<uint64_t> found;
  for (size_t k = 0; k + kLength <= bytes.size(); ++k) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + k, kLength);
    word *= 0x9e3779b97f4a7c15;
    word ^= word >> 32;
    if (word % kSampled == 0) found.push_back(word);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

class Similarity {
 public:
  explicit Similarity(const std::vector<std::vector<uint8_t>>& programs) {
    for (size_t k = 0; k < programs.size(); ++k) {
      sequences_.push_back(SequencesOf(programs[k]));
      for (const uint64_t sequence : sequences_[k]) having_[sequence].push_back(k);
    }
    std::erase_if(having_, [](const auto& row) { return row.second.size() > kTooCommon; });
  }

  // The one of the programs left, of which there is one, that the window has most of.
  size_t Next(std::span<const size_t> window, const std::vector<bool>& is_left) const {
    std::vector<uint64_t> seen;
    for (const size_t k : window) {
      seen.insert(seen.end(), sequences_[k].begin(), sequences_[k].end());
    }
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    std::vector<uint32_t> shared(sequences_.size());
    for (const uint64_t sequence : seen) {
      const auto row = having_.find(sequence);
      if (row == having_.end()) continue;
      for (const size_t k : row->second) ++shared[k];
    }
    size_t best = sequences_.size();
    for (size_t k = 0; k < sequences_.size(); ++k) {
      if (!is_left[k]) continue;
      // shared / sequences, compared without division.
      if (best == sequences_.size() || uint64_t{shared[k]} * (sequences_[best].size() + 1) >
                                           uint64_t{shared[best]} * (sequences_[k].size() + 1)) {
        best = k;
      }
    }
    return best;
  }

 private:
  std::vector<std::vector<uint64_t>> sequences_;              // of each program
  std::unordered_map<uint64_t, std::vector<size_t>> having_;  // the programs that have a sequence
};

}  // namespace

std::vector<size_t> OrderBySimilarity(const std::vector<std::vector<uint8_t>>& programs) {
  const Similarity similarity(programs);
  std::vector<bool> is_left(programs.size(), true);
  std::vector<size_t> order;
  while (order.size() < programs.size()) {
    size_t first = order.size();
    for (size_t bytes = 0; first > 0 && bytes < kWindow; --first) {
      bytes += programs[order[first - 1]].size();
    }
    const size_t next = similarity.Next(std::span(order).subspan(first), is_left);
    is_left[next] = false;
    order.push_back(next);
  }
  return order;
}

}  // namespace hologram::tool
