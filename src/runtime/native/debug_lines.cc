#include "runtime/native/debug_lines.h"

#include <map>
#include <optional>
#include <utility>

#include "base/bytes.h"

// The line number program of the DWARF standard, version 4, section 6.2.

namespace hologram::runtime {
namespace {

constexpr uint16_t kVersion = 4;
constexpr size_t kMaxRows = size_t{1} << 17;
// Names of files, those in rows together: a name may be as long as the object, and so may the part
// that all of them begin with.
constexpr size_t kMaxText = size_t{1} << 24;

enum StandardOpcode : uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kSetColumn = 5,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
};
enum ExtendedOpcode : uint8_t { kEndSequence = 1, kSetAddress = 2 };

// Where the relocations of section `target` point, by their offset in it.
std::map<uint64_t, uint64_t> RelocatedAddresses(const ElfFile& file, size_t target,
                                                std::span<const uint64_t> addresses) {
  std::map<uint64_t, uint64_t> found;
  for (size_t s = 0; s < file.sections().size(); ++s) {
    const Elf64_Shdr& section = file.sections()[s];
    if (section.sh_type != SHT_RELA || section.sh_info != target ||
        section.sh_entsize != sizeof(Elf64_Rela)) {
      continue;
    }
    for (size_t i = 0; i < file.NumRelocations(s); ++i) {
      const Elf64_Rela entry = file.RelocationAt(s, i);
      if (ELF64_R_SYM(entry.r_info) >= file.num_symbols()) continue;
      const Elf64_Sym symbol = file.SymbolAt(ELF64_R_SYM(entry.r_info));
      if (symbol.st_shndx >= addresses.size() || addresses[symbol.st_shndx] == 0) continue;
      found[entry.r_offset] =
          addresses[symbol.st_shndx] + symbol.st_value + static_cast<uint64_t>(entry.r_addend);
    }
  }
  return found;
}

class LineProgram {
 public:
  LineProgram(std::span<const uint8_t> section, std::map<uint64_t, uint64_t> relocated)
      : in_(section), size_(section.size()), relocated_(std::move(relocated)) {}

  std::vector<SourceLine> Run() {
    while (Good() && in_.position() < size_ && Unit()) {
    }
    return std::move(rows_);
  }

 private:
  bool Unit() {
    const uint32_t length = in_.U32();
    const uint64_t end = in_.position() + length;
    const uint16_t version = in_.U16();
    const uint32_t header_length = in_.U32();
    const uint64_t program = in_.position() + header_length;
    if (!Good() || version != kVersion || end > size_ || program > end) return false;
    least_ = in_.U8();
    in_.U8();  // operations of an instruction: 1
    in_.U8();  // statements are not told apart
    line_base_ = static_cast<int8_t>(in_.U8());
    line_range_ = in_.U8();
    opcode_base_ = in_.U8();
    if (line_range_ == 0 || opcode_base_ == 0) return false;
    operands_.assign(opcode_base_, 0);
    for (size_t i = 1; i < opcode_base_; ++i) operands_[i] = in_.U8();
    ReadFiles();
    if (!Good() || in_.position() > program) return false;
    while (in_.position() < program) in_.U8();
    Reset();
    while (Good() && in_.position() < end && rows_.size() < kMaxRows) Step();
    return Good() && rows_.size() < kMaxRows;
  }

  void ReadFiles() {
    std::vector<std::string> folders = {""};
    for (std::string name = Text(); !name.empty(); name = Text()) folders.push_back(name);
    files_ = {""};
    for (std::string name = Text(); !name.empty(); name = Text()) {
      const uint64_t folder = Unsigned();
      Unsigned();  // time
      Unsigned();  // size
      const bool known = folder != 0 && folder < folders.size();
      files_.push_back(known ? folders[folder] + "/" + name : name);
      if (!FitsText(files_.back())) return Fail();
    }
  }

  bool FitsText(const std::string& name) {
    text_ += name.size();
    return text_ <= kMaxText;
  }

  bool Good() const { return !in_.failed() && !failed_; }
  void Fail() { failed_ = true; }

  void Reset() {
    address_ = 0;
    file_ = line_ = 1;
  }

  void Emit(uint32_t line) {
    std::string file = file_ < files_.size() ? files_[file_] : std::string();
    if (!FitsText(file)) return Fail();
    rows_.push_back({address_, line, std::move(file)});
  }

  void Step() {
    const uint8_t opcode = in_.U8();
    if (opcode >= opcode_base_) {
      const int special = opcode - opcode_base_;
      address_ += static_cast<uint64_t>(special / line_range_) * least_;
      line_ += static_cast<uint64_t>(int64_t{line_base_ + special % line_range_});
      return Emit(static_cast<uint32_t>(line_));
    }
    switch (opcode) {
      case kExtended:
        return Extended();
      case kCopy:
        return Emit(static_cast<uint32_t>(line_));
      case kAdvancePc:
        address_ += Unsigned() * least_;
        return;
      case kAdvanceLine:
        line_ += static_cast<uint64_t>(Signed());
        return;
      case kSetFile:
        file_ = Unsigned();
        return;
      case kConstAddPc:
        address_ += static_cast<uint64_t>((255 - opcode_base_) / line_range_) * least_;
        return;
      case kFixedAdvancePc:
        address_ += in_.U16();
        return;
      default:
        for (uint8_t i = 0; i < operands_[opcode]; ++i) Unsigned();
    }
  }

  void Extended() {
    const uint64_t length = Unsigned();
    if (length == 0 || length > size_ - in_.position()) return Fail();
    const uint64_t end = in_.position() + length;
    switch (in_.U8()) {
      case kEndSequence:
        Emit(0);
        Reset();
        break;
      case kSetAddress: {
        const auto at = relocated_.find(in_.position());
        address_ = in_.U64();
        if (at != relocated_.end()) address_ = at->second;
        break;
      }
      default:
        break;
    }
    if (in_.position() > end) return Fail();
    while (Good() && in_.position() < end) in_.U8();
  }

  std::string Text() {
    std::string text;
    for (uint8_t c = in_.U8(); c != 0; c = in_.U8()) text += static_cast<char>(c);
    return text;
  }

  // LEB128
  uint64_t Unsigned() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t byte = in_.U8();
      if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }

  int64_t Signed() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t byte = in_.U8();
      if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return static_cast<int64_t>(value);
    }
  }

  ByteReader in_;
  bool failed_ = false;
  uint64_t size_;
  std::map<uint64_t, uint64_t> relocated_;
  std::vector<SourceLine> rows_;
  size_t text_ = 0;
  std::vector<std::string> files_;
  std::vector<uint8_t> operands_;  // of the standard opcodes
  int line_base_ = 0;
  uint8_t line_range_ = 1;
  uint8_t opcode_base_ = 1;
  uint8_t least_ = 1;
  uint64_t address_ = 0;
  uint64_t file_ = 1;
  uint64_t line_ = 1;
};

}  // namespace

std::vector<SourceLine> ReadDebugLines(const ElfFile& file, std::span<const uint64_t> addresses) {
  for (size_t i = 0; i < file.sections().size(); ++i) {
    if (file.SectionName(i) != ".debug_line") continue;
    return LineProgram(file.Contents(i), RelocatedAddresses(file, i, addresses)).Run();
  }
  return {};
}

}  // namespace hologram::runtime
