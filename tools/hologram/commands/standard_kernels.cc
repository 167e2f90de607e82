#include "commands/standard_kernels.h"

#include <string_view>
#include <vector>

#include "base/words.h"

namespace hologram::tool {
namespace {

constexpr std::string_view kSummaries =
#include "standard_kernels.inc"
    ;
constexpr size_t kNameWidth = 20;
constexpr size_t kLineWidth = 100;

// Two columns; names that are wider than the first have lines of their own.
std::string Row(const std::vector<std::string>& names, std::string_view text) {
  std::string row = " ";
  size_t begin = 0;
  for (const std::string& name : names) {
    if (row.size() - begin + 1 + name.size() > kLineWidth) {
      begin = row.size() + 1;
      row += "\n ";
    }
    row += " " + name;
  }
  if (row.size() > 2 + kNameWidth) {
    begin = row.size() + 1;
    row += "\n";
  }
  row.resize(begin + 2 + kNameWidth, ' ');
  return row + "  " + std::string(text) + "\n";
}

}  // namespace

std::string GroupedText(std::set<std::string> names) {
  std::string text;
  std::string title;
  for (const std::string_view line : LinesOf(kSummaries)) {
    const std::vector<std::string_view> columns = PartsOf(line, "\t");
    if (columns.size() != 2) {
      title = std::string(line) + "\n";
      continue;
    }
    std::vector<std::string> found;
    for (const std::string_view word : WordsOf(columns[0])) {
      if (names.erase(std::string(word)) != 0) found.emplace_back(word);
    }
    if (found.empty()) continue;
    text += title + Row(found, columns[1]);
    title.clear();
  }
  if (!names.empty()) text += "Others\n";
  for (const std::string& name : names) text += "  " + name + "\n";
  return text;
}

}  // namespace hologram::tool
