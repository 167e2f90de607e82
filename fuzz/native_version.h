// Objects of other versions of the native interface, made such that a mutation of an old seed is
// not refused for its version alone.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "hologram/native_abi.h"
#include "runtime/native/elf_file.h"

namespace hologram::fuzz {

// Writes the version of this library where `hologram_info` begins, if that is in the file.
inline void SetCurrentVersion(std::vector<uint8_t>& object) {
  const Result<runtime::ElfFile> file = runtime::ElfFile::Read(object);
  if (!file.ok()) return;
  constexpr uint32_t kVersion = HOLOGRAM_NATIVE_ABI_VERSION;
  for (size_t i = 0; i < file.value().num_symbols(); ++i) {
    const Elf64_Sym symbol = file.value().SymbolAt(i);
    if (file.value().SymbolName(symbol) != "hologram_info" ||
        symbol.st_shndx >= file.value().sections().size()) {
      continue;
    }
    const uint64_t size = file.value().Contents(symbol.st_shndx).size();
    if (symbol.st_value > size || size - symbol.st_value < sizeof kVersion) continue;
    const uint64_t at = file.value().sections()[symbol.st_shndx].sh_offset + symbol.st_value;
    std::memcpy(object.data() + at, &kVersion, sizeof kVersion);
    return;
  }
}

}  // namespace hologram::fuzz
