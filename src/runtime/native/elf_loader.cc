#include "runtime/native/elf_loader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/program.h"
#include "plugin/code.h"
#include "runtime/native/elf_file.h"
#include "runtime/native/relocations.h"

namespace hologram::runtime {
namespace {

constexpr uint64_t kMaxImageBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxAlignment = 4096;
constexpr std::string_view kInfoSymbol = "hologram_info";
constexpr uint64_t kMostVectorLanes = 64;
// Local arrays, and what else lanes keep beside them.
constexpr uint32_t kMostScratchBytes = 4 * isa::kMaxLocalBytes;

uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

uint64_t PageSize() {
  static const uint64_t size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

// The steps of one Load, with what they know.
class ObjectLoader {
 public:
  ObjectLoader(const ElfFile& file, const std::atomic<uint32_t>* cancel)
      : file_(file), sections_(file.sections()), cancel_(cancel) {}

  Result<NativeCode> Load(std::vector<SourceLine>* lines, BlockCounters* counters) {
    if (file_.header().e_machine != kHostMachine) {
      return MalformedObject("code for another processor");
    }
    HOLOGRAM_RETURN_IF_ERROR(LayOut());
    void* base =
        mmap(nullptr, image_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
      return Error(ErrorCode::kResourceLimit,
                   "no memory for " + std::to_string(image_bytes_) + " bytes of native code");
    }
    NativeCode code(static_cast<std::byte*>(base), image_bytes_);
    base_ = code.base_;
    CopySections();
    HOLOGRAM_RETURN_IF_ERROR(Relocate());
    HOLOGRAM_RETURN_IF_ERROR(FindInfo(&code.info_));
    HOLOGRAM_RETURN_IF_ERROR(SetCancelWord(*code.info_));
    HOLOGRAM_RETURN_IF_ERROR(SetCounters(counters));
    HOLOGRAM_RETURN_IF_ERROR(Protect());
    HOLOGRAM_ASSIGN_OR_RETURN(code.announced_, Announce(file_, Addresses()));
    if (lines != nullptr) *lines = ReadDebugLines(file_, Addresses());
    return code;
  }

 private:
  static constexpr uint64_t kNotLoaded = UINT64_MAX;

  // Code first, then on pages of their own all other sections.
  Status LayOut() {
    offsets_.assign(sections_.size(), kNotLoaded);
    HOLOGRAM_RETURN_IF_ERROR(Place(/*code=*/true));
    code_bytes_ = image_bytes_ = AlignUp(image_bytes_, PageSize());
    HOLOGRAM_RETURN_IF_ERROR(Place(/*code=*/false));
    image_bytes_ = AlignUp(image_bytes_, PageSize());
    if (code_bytes_ == 0) return MalformedObject("no code");
    return Success{};
  }

  Status Place(bool code) {
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      const bool is_code = (section.sh_flags & SHF_EXECINSTR) != 0;
      if ((section.sh_flags & SHF_ALLOC) == 0 || is_code != code) continue;
      HOLOGRAM_RETURN_IF_ERROR(CheckLoadable(i));
      const uint64_t alignment = section.sh_addralign == 0 ? 1 : section.sh_addralign;
      const uint64_t offset = AlignUp(image_bytes_, alignment);
      if (section.sh_size > kMaxImageBytes || offset + section.sh_size > kMaxImageBytes) {
        return MalformedObject("more than 64 MB of code and data");
      }
      offsets_[i] = offset;
      image_bytes_ = offset + section.sh_size;
    }
    return Success{};
  }

  Status CheckLoadable(size_t index) const {
    const Elf64_Shdr& section = sections_[index];
    const std::string where = "section " + std::to_string(index);
    if (section.sh_type != SHT_PROGBITS && section.sh_type != SHT_NOBITS &&
        section.sh_type != SHT_X86_64_UNWIND) {
      return MalformedObject(where + " has a type that cannot be loaded");
    }
    if ((section.sh_flags & SHF_TLS) != 0) return MalformedObject(where + " is thread-local");
    if (section.sh_addralign > kMaxAlignment ||
        (section.sh_addralign != 0 && !std::has_single_bit(section.sh_addralign))) {
      return MalformedObject(where + " has an alignment that cannot be met");
    }
    // Constants with addresses (.data.rel.ro) are written by relocation only. Real variables would
    // be shared by all launches: there are none in generated code.
    if ((section.sh_flags & SHF_WRITE) != 0 && section.sh_size != 0 &&
        !file_.SectionName(index).starts_with(".data.rel.ro")) {
      return MalformedObject(where + " is writable");
    }
    return Success{};
  }

  void CopySections() {
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (offsets_[i] == kNotLoaded || sections_[i].sh_type == SHT_NOBITS) continue;
      if (sections_[i].sh_size == 0) continue;
      std::memcpy(base_ + offsets_[i], file_.Contents(i).data(), sections_[i].sh_size);
    }
  }

  // The offset in the image of what a symbol names.
  Result<uint64_t> ImageOffset(const Elf64_Sym& symbol) const {
    if (symbol.st_shndx == SHN_UNDEF) {
      return MalformedObject("undefined symbol '" + std::string(file_.SymbolName(symbol)) + "'");
    }
    if (symbol.st_shndx >= sections_.size() || offsets_[symbol.st_shndx] == kNotLoaded ||
        symbol.st_value > sections_[symbol.st_shndx].sh_size) {
      return MalformedObject("symbol '" + std::string(file_.SymbolName(symbol)) +
                             "' is not in a loaded section");
    }
    return offsets_[symbol.st_shndx] + symbol.st_value;
  }

  Status Relocate() {
    for (size_t s = 0; s < sections_.size(); ++s) {
      const Elf64_Shdr& section = sections_[s];
      if (section.sh_type != SHT_RELA && section.sh_type != SHT_REL) continue;
      if (section.sh_info >= sections_.size()) return MalformedObject("relocations of no section");
      if (offsets_[section.sh_info] == kNotLoaded) continue;  // debug information
      if (section.sh_type == SHT_REL || section.sh_entsize != sizeof(Elf64_Rela)) {
        return MalformedObject("relocations without addends");
      }
      for (size_t i = 0; i < file_.NumRelocations(s); ++i) {
        HOLOGRAM_RETURN_IF_ERROR(Apply(file_.RelocationAt(s, i), section.sh_info));
      }
    }
    return Success{};
  }

  Status Apply(const Elf64_Rela& entry, uint32_t section) {
    const uint64_t room = sections_[section].sh_size;
    if (entry.r_offset > room) return MalformedObject("a relocation outside its section");
    if (ELF64_R_SYM(entry.r_info) >= file_.num_symbols())
      return MalformedObject("a relocation of no symbol");
    HOLOGRAM_ASSIGN_OR_RETURN(const uint64_t target,
                              ImageOffset(file_.SymbolAt(ELF64_R_SYM(entry.r_info))));
    Relocation relocation;
    relocation.type = ELF64_R_TYPE(entry.r_info);
    relocation.place = base_ + offsets_[section] + entry.r_offset;
    relocation.room = room - entry.r_offset;
    relocation.address = reinterpret_cast<uintptr_t>(relocation.place);
    relocation.value =
        reinterpret_cast<uintptr_t>(base_) + target + static_cast<uint64_t>(entry.r_addend);
    return ApplyRelocation(kHostMachine, relocation);
  }

  bool IsCode(const void* address) const {
    const uintptr_t p = reinterpret_cast<uintptr_t>(address);
    const uintptr_t base = reinterpret_cast<uintptr_t>(base_);
    return p >= base && p - base < code_bytes_;
  }

  Status FindInfo(const hologram_kernel_info** info) const {
    for (uint64_t i = 0; i < file_.num_symbols(); ++i) {
      const Elf64_Sym symbol = file_.SymbolAt(i);
      if (file_.SymbolName(symbol) != kInfoSymbol) continue;
      HOLOGRAM_ASSIGN_OR_RETURN(const uint64_t offset, ImageOffset(symbol));
      const uint64_t size = sections_[symbol.st_shndx].sh_size;
      // The version comes first, in the file as here: another version may have another size.
      uint32_t version = 0;
      if (symbol.st_value + sizeof version <= size) {
        std::memcpy(&version, base_ + offset, sizeof version);
        HOLOGRAM_RETURN_IF_ERROR(CheckVersion(version));
      }
      if (offset % alignof(hologram_kernel_info) != 0 ||
          symbol.st_value + sizeof(hologram_kernel_info) > size) {
        return MalformedObject("hologram_info does not fit its section");
      }
      *info = reinterpret_cast<const hologram_kernel_info*>(base_ + offset);
      return CheckInfo(**info);
    }
    return MalformedObject("no symbol 'hologram_info'");
  }

  Status CheckVersion(uint32_t version) const {
    if (version == HOLOGRAM_NATIVE_ABI_VERSION) return Success{};
    return MalformedObject("expected native ABI version " +
                           std::to_string(HOLOGRAM_NATIVE_ABI_VERSION) + ", found " +
                           std::to_string(version) + "; compile the kernel again");
  }

  Status CheckInfo(const hologram_kernel_info& info) const {
    const bool streaming_ok = info.streaming_body == nullptr ||
                              IsCode(reinterpret_cast<const void*>(info.streaming_body));
    const bool default_ok =
        info.default_entry == nullptr || IsCode(reinterpret_cast<const void*>(info.default_entry));
    if (info.scratch_bytes > kMostScratchBytes || info.reserved != 0) {
      return MalformedObject("hologram_info asks for more memory than a lane can have");
    }
    if (info.unit > HOLOGRAM_UNIT_BLOCK || !streaming_ok || !default_ok ||
        !IsCode(reinterpret_cast<const void*>(info.entry)) ||
        !IsCode(reinterpret_cast<const void*>(info.body))) {
      return MalformedObject("hologram_info does not point into the code");
    }
    return Success{};
  }

  Status SetCancelWord(const hologram_kernel_info& info) const {
    if (info.cancel == nullptr) return Success{};
    const uintptr_t place = reinterpret_cast<uintptr_t>(info.cancel);
    const uintptr_t begin = reinterpret_cast<uintptr_t>(base_) + code_bytes_;
    const uintptr_t end = reinterpret_cast<uintptr_t>(base_) + image_bytes_;
    if (place < begin || place > end - sizeof(void*) || place % alignof(void*) != 0) {
      return MalformedObject("hologram_info has its word outside the data");
    }
    static_assert(sizeof(*cancel_) == sizeof(uint32_t));
    const auto* const word = reinterpret_cast<const volatile uint32_t*>(cancel_);
    if (word != nullptr) std::memcpy(base_ + (place - (begin - code_bytes_)), &word, sizeof word);
    return Success{};
  }

  Status SetCounters(BlockCounters* counters) const {
    for (uint64_t i = 0; i < file_.num_symbols(); ++i) {
      const Elf64_Sym symbol = file_.SymbolAt(i);
      if (file_.SymbolName(symbol) != HOLOGRAM_JIT_COUNTS_SYMBOL) continue;
      if (counters == nullptr) return MalformedObject("instrumented code, and nothing to count in");
      HOLOGRAM_ASSIGN_OR_RETURN(const uint64_t offset, ImageOffset(symbol));
      hologram_jit_counts counts;
      if (offset < code_bytes_ ||
          symbol.st_value + sizeof counts > sections_[symbol.st_shndx].sh_size) {
        return MalformedObject("its counters are outside the data");
      }
      std::memcpy(&counts, base_ + offset, sizeof counts);
      if (counts.blocks != counters->blocks.size() || counts.width == 0 ||
          counts.width > kMostVectorLanes) {
        return MalformedObject("its counters are those of another program");
      }
      static_assert(sizeof(BlockCounters::Counter) == 2 * sizeof(uint64_t));
      counts.counters = reinterpret_cast<uint64_t*>(counters->blocks.data());
      counters->width = static_cast<uint32_t>(counts.width);
      std::memcpy(base_ + offset, &counts, sizeof counts);
      return Success{};
    }
    if (counters != nullptr) return MalformedObject("code that counts nothing");
    return Success{};
  }

  Status Protect() const {
    // AArch64 keeps instructions apart from data in its caches.
    char* const code = reinterpret_cast<char*>(base_);
    __builtin___clear_cache(code, code + code_bytes_);
    const bool code_ok = mprotect(base_, code_bytes_, PROT_READ | PROT_EXEC) == 0;
    const size_t rest = image_bytes_ - code_bytes_;
    if (!code_ok || (rest != 0 && mprotect(base_ + code_bytes_, rest, PROT_READ) != 0)) {
      return Error(ErrorCode::kUnsupported, "the system refuses executable memory");
    }
    return Success{};
  }

  // Where each section lies; 0 for those that are not loaded.
  std::vector<uint64_t> Addresses() const {
    std::vector<uint64_t> addresses(sections_.size());
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (offsets_[i] != kNotLoaded)
        addresses[i] = reinterpret_cast<uintptr_t>(base_) + offsets_[i];
    }
    return addresses;
  }

  const ElfFile& file_;
  const std::vector<Elf64_Shdr>& sections_;
  const std::atomic<uint32_t>* const cancel_;
  std::vector<uint64_t> offsets_;  // in the image, by section
  uint64_t code_bytes_ = 0;
  uint64_t image_bytes_ = 0;
  std::byte* base_ = nullptr;
};

Result<NativeCode> NativeCode::Load(std::span<const uint8_t> object,
                                    const std::atomic<uint32_t>* cancel,
                                    std::vector<SourceLine>* lines, BlockCounters* counters) {
  HOLOGRAM_ASSIGN_OR_RETURN(const ElfFile file, ElfFile::Read(object));
  return ObjectLoader(file, cancel).Load(lines, counters);
}

Result<uint32_t> NativeCode::AbiVersionOf(std::span<const uint8_t> object) {
  HOLOGRAM_ASSIGN_OR_RETURN(const ElfFile file, ElfFile::Read(object));
  for (uint64_t i = 0; i < file.num_symbols(); ++i) {
    const Elf64_Sym symbol = file.SymbolAt(i);
    if (file.SymbolName(symbol) != kInfoSymbol) continue;
    if (symbol.st_shndx >= file.sections().size()) break;
    const std::span<const uint8_t> section = file.Contents(symbol.st_shndx);
    uint32_t version = 0;
    if (section.size() < sizeof version || symbol.st_value > section.size() - sizeof version) break;
    std::memcpy(&version, section.data() + symbol.st_value, sizeof version);
    return version;
  }
  return MalformedObject("no symbol 'hologram_info'");
}

NativeCode::NativeCode(NativeCode&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      info_(std::exchange(other.info_, nullptr)),
      announced_(std::move(other.announced_)) {}

NativeCode& NativeCode::operator=(NativeCode&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  std::swap(info_, other.info_);
  std::swap(announced_, other.announced_);
  return *this;
}

NativeCode::~NativeCode() {
  announced_ = {};  // before the code goes
  if (base_ != nullptr) munmap(base_, size_);
}

}  // namespace hologram::runtime
