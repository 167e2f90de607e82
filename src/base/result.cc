#include "base/result.h"

#include <cstdio>
#include <cstdlib>

#include "base/quote.h"

namespace hologram {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "hologram: internal error: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

std::string ToString(const Diagnostic& diagnostic) {
  const Location& where = diagnostic.where;
  if (where.file.empty()) return "hologram: error: " + diagnostic.message;
  // A file may have any name, and the text goes to a terminal.
  const std::string file = Escape(where.file, /*in_quotes=*/false);
  if (where.line == 0) return "hologram: error: " + file + ": " + diagnostic.message;
  return file + ":" + std::to_string(where.line) + ":" +
         std::to_string(where.column == 0 ? 1 : where.column) + ": error: " + diagnostic.message;
}

}  // namespace hologram
