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
  std::string text = where.file;
  if (where.line != 0) text += ":" + std::to_string(where.line);
  if (where.line != 0 && where.column != 0) text += ":" + std::to_string(where.column);
  return text + ": error: " + diagnostic.message;
}

}  // namespace hologram
