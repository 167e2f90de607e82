#include "runtime/native/elf_file.h"

#include <utility>

namespace hologram::runtime {
namespace {

constexpr uint32_t kMaxSections = 4096;

}  // namespace

Diagnostic MalformedObject(std::string what) {
  return Error(ErrorCode::kInvalidBundle, "native object: " + std::move(what));
}

Result<ElfFile> ElfFile::Read(std::span<const uint8_t> object) {
  ElfFile file(object);
  HOLOGRAM_RETURN_IF_ERROR(file.ReadSections());
  HOLOGRAM_RETURN_IF_ERROR(file.FindSymbols());
  return file;
}

Status ElfFile::ReadSections() {
  const std::optional<Elf64_Ehdr> header = ReadAt<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return MalformedObject("not an ELF file");
  }
  header_ = *header;
  if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
      header_.e_type != ET_REL ||
      (header_.e_machine != EM_X86_64 && header_.e_machine != EM_AARCH64)) {
    return MalformedObject("expected a relocatable object for x86-64 or AArch64");
  }
  if (header_.e_shentsize != sizeof(Elf64_Shdr) || header_.e_shnum == 0 ||
      header_.e_shnum > kMaxSections ||
      !InFile(header_.e_shoff, uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr))) {
    return MalformedObject("the section table is outside the file");
  }
  for (uint32_t i = 0; i < header_.e_shnum; ++i) {
    sections_.push_back(*ReadAt<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
    const Elf64_Shdr& section = sections_.back();
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !InFile(section.sh_offset, section.sh_size)) {
      return MalformedObject("section " + std::to_string(i) + " reaches past the end of the file");
    }
  }
  return Success{};
}

Status ElfFile::FindSymbols() {
  bool found = false;
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Elf64_Shdr& section = sections_[i];
    if (section.sh_type != SHT_SYMTAB) continue;
    if (found) return MalformedObject("two symbol tables");
    if (section.sh_entsize != sizeof(Elf64_Sym) || section.sh_link >= sections_.size() ||
        sections_[section.sh_link].sh_type != SHT_STRTAB) {
      return MalformedObject("the symbol table has no string table");
    }
    found = true;
    symbol_table_ = i;
    strings_ = section.sh_link;
    num_symbols_ = section.sh_size / sizeof(Elf64_Sym);
  }
  if (!found) return MalformedObject("no symbol table");
  return Success{};
}

std::span<const uint8_t> ElfFile::Contents(size_t index) const {
  const Elf64_Shdr& section = sections_[index];
  if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) return {};
  return object_.subspan(section.sh_offset, section.sh_size);
}

std::string_view ElfFile::StringAt(size_t table, uint64_t offset) const {
  const std::span<const uint8_t> bytes = Contents(table);
  if (offset >= bytes.size()) return {};
  const char* text = reinterpret_cast<const char*>(bytes.data() + offset);
  const void* end = std::memchr(text, 0, bytes.size() - offset);
  if (end == nullptr) return {};
  return {text, static_cast<size_t>(static_cast<const char*>(end) - text)};
}

std::string_view ElfFile::SectionName(size_t index) const {
  if (header_.e_shstrndx >= sections_.size()) return {};
  return StringAt(header_.e_shstrndx, sections_[index].sh_name);
}

Elf64_Sym ElfFile::SymbolAt(size_t index) const {
  return *ReadAt<Elf64_Sym>(sections_[symbol_table_].sh_offset + index * sizeof(Elf64_Sym));
}

std::string_view ElfFile::SymbolName(const Elf64_Sym& symbol) const {
  return StringAt(strings_, symbol.st_name);
}

}  // namespace hologram::runtime
