#include "driver/object_file.h"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "base/environment.h"
#include "base/files.h"
#include "base/quote.h"
#include "bundle/bundle_library.h"
#include "driver/child_process.h"

namespace hologram::driver {
namespace {

constexpr std::string_view kInfo = "hologram_info";

Diagnostic NoObject(const char* what) {
  return Error(ErrorCode::kInvalidBundle,
               std::string("the compiler plugin made an object that cannot be linked: ") + what);
}

// A structure in the file, or nothing if it does not lie there whole.
template <class T>
bool Get(const std::vector<uint8_t>& file, uint64_t at, T& value) {
  if (at > file.size() || file.size() - at < sizeof value) return false;
  std::memcpy(&value, file.data() + at, sizeof value);
  return true;
}

template <class T>
void Set(std::vector<uint8_t>& file, uint64_t at, const T& value) {
  std::memcpy(file.data() + at, &value, sizeof value);
}

// A folder of its own, removed with all that is in it.
class TemporaryFolder {
 public:
  static Result<std::unique_ptr<TemporaryFolder>> Make() {
    const char* base = ReadNonEmpty(Variable::kTmpdir);
    std::string path = std::string(base == nullptr ? "/tmp" : base) + "/hologram.XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {
      return Error(ErrorCode::kResourceLimit, path + ": no temporary folder");
    }
    return std::make_unique<TemporaryFolder>(std::move(path));
  }
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace

Result<std::vector<uint8_t>> RenameInfo(std::vector<uint8_t> object, const std::string& name) {
  Elf64_Ehdr header;
  if (!Get(object, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_shentsize != sizeof(Elf64_Shdr)) {
    return NoObject("it is not ELF of 64 bits");
  }
  const auto section_at = [&](uint64_t i) { return header.e_shoff + i * sizeof(Elf64_Shdr); };
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr symbols;
    if (!Get(object, section_at(i), symbols)) return NoObject("its sections are cut off");
    if (symbols.sh_type != SHT_SYMTAB) continue;
    Elf64_Shdr strings;
    if (symbols.sh_link >= header.e_shnum || !Get(object, section_at(symbols.sh_link), strings) ||
        strings.sh_offset > object.size() || strings.sh_size > object.size() - strings.sh_offset ||
        strings.sh_size > UINT32_MAX / 2) {
      return NoObject("its symbols have no names");
    }
    for (uint64_t k = 0; k < symbols.sh_size / sizeof(Elf64_Sym); ++k) {
      const uint64_t at = symbols.sh_offset + k * sizeof(Elf64_Sym);
      Elf64_Sym symbol;
      if (!Get(object, at, symbol)) return NoObject("its symbols are cut off");
      // The name of the kernel is one that is not: that of a file.
      if (ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL) continue;
      if (symbol.st_name >= strings.sh_size) return NoObject("its symbols have no names");
      const char* text = reinterpret_cast<const char*>(object.data()) + strings.sh_offset;
      const std::string_view rest(text + symbol.st_name, strings.sh_size - symbol.st_name);
      if (rest.substr(0, rest.find('\0')) != kInfo) continue;
      // The names move to the end of the file, where there is room for one more.
      std::vector<uint8_t> names(
          object.begin() + static_cast<ptrdiff_t>(strings.sh_offset),
          object.begin() + static_cast<ptrdiff_t>(strings.sh_offset + strings.sh_size));
      symbol.st_name = static_cast<uint32_t>(names.size());
      names.insert(names.end(), name.begin(), name.end());
      names.push_back(0);
      Set(object, at, symbol);
      strings.sh_offset = object.size();
      strings.sh_size = names.size();
      Set(object, section_at(symbols.sh_link), strings);
      object.insert(object.end(), names.begin(), names.end());
      return object;
    }
  }
  return NoObject("it has no symbol hologram_info");
}

Result<std::vector<uint8_t>> Link(const std::vector<std::vector<uint8_t>>& objects, LinkKind kind,
                                  const std::vector<uint8_t>& bundle) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::unique_ptr<TemporaryFolder> folder, TemporaryFolder::Make());
  const char* linker = ReadNonEmpty(Variable::kCc);
  if (linker == nullptr) linker = "cc";
  const std::string output = folder->File("linked");
  std::vector<std::string> command = {linker, kind == LinkKind::kShared ? "-shared" : "-r",
                                      "-nostdlib", "-o", output};
  for (size_t i = 0; i < objects.size(); ++i) {
    command.push_back(folder->File(std::to_string(i) + ".o"));
    HOLOGRAM_RETURN_IF_ERROR(WriteFile(command.back(), objects[i]));
  }
  if (!bundle.empty()) {
    const std::string content = folder->File("programs.holo");
    HOLOGRAM_RETURN_IF_ERROR(WriteFile(content, bundle));
    const std::string text = std::string(".section ") + bundle::kBundleSection +
                             ",\"a\",%progbits\n.balign 64\n.incbin " + Quote(content) +
                             "\n.section .note.GNU-stack,\"\",%progbits\n";
    command.push_back(folder->File("programs.s"));
    HOLOGRAM_RETURN_IF_ERROR(
        WriteFile(command.back(), std::vector<uint8_t>(text.begin(), text.end())));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(
      const ChildResult result,
      RunChild(command, "the environment variable CC names a C compiler, which links"));
  if (result.status != 0) {
    return Error(ErrorCode::kUnsupported, std::string("linking by '") + linker + "' failed");
  }
  return ReadFile(output);
}

}  // namespace hologram::driver
