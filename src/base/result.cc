#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace hologram {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "hologram: internal error: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

std::string ToString(const Diagnostic& diagnostic) {
  const Location& where = diagnostic.where;
  if (where.file.empty()) return "hologram: error: " + diagnostic.message;
  if (where.line == 0) return "hologram: error: " + where.file + ": " + diagnostic.message;
  return where.file + ":" + std::to_string(where.line) + ":" +
         std::to_string(where.column == 0 ? 1 : where.column) + ": error: " + diagnostic.message;
}

}  // namespace hologram
