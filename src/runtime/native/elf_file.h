// A relocatable ELF object in memory, for x86-64 or AArch64, read with every offset checked: the
// loader and what profilers' and debuggers' announcements read it through this. Nothing is copied;
// the bytes must stay.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hologram::runtime {

// The error of an object that is not as it must be.
Diagnostic MalformedObject(std::string what);

class ElfFile {
 public:
  // Errors: kInvalidBundle for anything but such an object with one symbol table.
  static Result<ElfFile> Read(std::span<const uint8_t> object);

  std::span<const uint8_t> bytes() const { return object_; }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  const Elf64_Ehdr& header() const { return header_; }

  // The bytes of a section; none for SHT_NOBITS and SHT_NULL. REQUIRES: index < sections().size()
  std::span<const uint8_t> Contents(size_t index) const;
  // Empty where a name is outside its table or does not end.
  std::string_view SectionName(size_t index) const;

  size_t num_symbols() const { return num_symbols_; }
  // REQUIRES: index < num_symbols()
  Elf64_Sym SymbolAt(size_t index) const;
  std::string_view SymbolName(const Elf64_Sym& symbol) const;

  // The entries of a section of type SHT_RELA, which must have the size of Elf64_Rela each.
  size_t NumRelocations(size_t index) const {
    return sections_[index].sh_size / sizeof(Elf64_Rela);
  }
  // REQUIRES: entry < NumRelocations(section)
  Elf64_Rela RelocationAt(size_t section, size_t entry) const {
    return *ReadAt<Elf64_Rela>(sections_[section].sh_offset + entry * sizeof(Elf64_Rela));
  }

 private:
  explicit ElfFile(std::span<const uint8_t> object) : object_(object) {}

  Status ReadSections();
  Status FindSymbols();

  // Copies a T from the file, or fails when it would reach past the end. No alignment is assumed.
  template <class T>
  std::optional<T> ReadAt(uint64_t offset) const {
    if (!InFile(offset, sizeof(T))) return std::nullopt;
    T value;
    std::memcpy(&value, object_.data() + offset, sizeof(T));
    return value;
  }
  bool InFile(uint64_t offset, uint64_t size) const {
    return offset <= object_.size() && size <= object_.size() - offset;
  }
  // The text at `offset` of a string table; empty when it is outside or not terminated.
  std::string_view StringAt(size_t table, uint64_t offset) const;

  std::span<const uint8_t> object_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  size_t symbol_table_ = 0;
  size_t strings_ = 0;
  size_t num_symbols_ = 0;
};

}  // namespace hologram::runtime
