// The lines of source that loaded code comes from: reads the DWARF 4 line table of an object.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/native/elf_file.h"

namespace hologram::runtime {

// From `address` on, up to that of the next of its list, code comes from `line` of `file`.
struct SourceLine {
  uint64_t address;
  uint32_t line;  // 0: from no line
  std::string file;
};

// In the order of the table, which within a function is that of addresses. `addresses` gives the
// place where each section was loaded. A table that is missing, damaged or of another version ends
// the list: code runs as well without lines.
std::vector<SourceLine> ReadDebugLines(const ElfFile& file, std::span<const uint64_t> addresses);

}  // namespace hologram::runtime
