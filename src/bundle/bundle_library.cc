#include "bundle/bundle_library.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace hologram::bundle {
namespace {

using Bytes = std::span<const uint8_t>;

// The part of the file, if all of it is there.
std::optional<Bytes> Part(Bytes file, uint64_t offset, uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return std::nullopt;
  return file.subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
}

template <class T>
std::optional<T> Read(Bytes file, uint64_t offset) {
  const std::optional<Bytes> part = Part(file, offset, sizeof(T));
  if (!part) return std::nullopt;
  T value;
  std::memcpy(&value, part->data(), sizeof(T));
  return value;
}

Diagnostic Unreadable(const std::string& what) {
  return Error(ErrorCode::kInvalidBundle, "shared library: " + what);
}

}  // namespace

bool IsLibrary(Bytes file) {
  return file.size() >= SELFMAG && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0;
}

Result<Bytes> BundleInLibrary(Bytes file) {
  const std::optional<Elf64_Ehdr> header = Read<Elf64_Ehdr>(file, 0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_shentsize != sizeof(Elf64_Shdr)) {
    return Unreadable("not ELF of 64 bits with the lowest byte first");
  }
  if (!Part(file, header->e_shoff, uint64_t{header->e_shnum} * sizeof(Elf64_Shdr))) {
    return Unreadable("its sections are cut off");
  }
  const auto section = [&](uint64_t k) {
    return *Read<Elf64_Shdr>(file, header->e_shoff + k * sizeof(Elf64_Shdr));
  };
  if (header->e_shstrndx >= header->e_shnum) return Unreadable("its sections have no names");
  const Elf64_Shdr names = section(header->e_shstrndx);
  const std::optional<Bytes> text = Part(file, names.sh_offset, names.sh_size);
  if (!text) return Unreadable("the names of its sections are cut off");
  const std::string_view all(reinterpret_cast<const char*>(text->data()), text->size());
  for (uint64_t k = 0; k < header->e_shnum; ++k) {
    const Elf64_Shdr found = section(k);
    if (found.sh_type != SHT_PROGBITS || found.sh_name >= all.size()) continue;
    const std::string_view rest = all.substr(found.sh_name);
    if (rest.substr(0, rest.find('\0')) != kBundleSection) continue;
    const std::optional<Bytes> bundle = Part(file, found.sh_offset, found.sh_size);
    if (!bundle) return Unreadable(std::string("its section ") + kBundleSection + " is cut off");
    return *bundle;
  }
  return Unreadable(std::string("it has no section ") + kBundleSection +
                    ", where hologram compile --emit so puts the programs");
}

}  // namespace hologram::bundle
