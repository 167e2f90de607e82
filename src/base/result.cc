#include "base/result.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/quote.h"

namespace hologram {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "hologram: internal error: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

// A file or a word of the command line may have any bytes, and the text goes to a terminal. Ends of
// lines stay: some messages have several.
std::string ToString(const Diagnostic& diagnostic) {
  const Location& where = diagnostic.where;
  const std::string file = Escape(where.file, /*in_quotes=*/false);
  std::string text = "hologram: error: ";
  if (where.line != 0 && !file.empty()) {
    text = file + ":" + std::to_string(where.line) + ":" +
           std::to_string(where.column == 0 ? 1 : where.column) + ": error: ";
  } else if (!file.empty()) {
    text += file + ": ";
  }
  const std::string_view message = diagnostic.message;
  for (size_t begin = 0; begin <= message.size();) {
    const size_t end = std::min(message.find('\n', begin), message.size());
    if (begin != 0) text += '\n';
    text += EscapeLine(message.substr(begin, end - begin));
    begin = end + 1;
  }
  return text;
}

}  // namespace hologram
