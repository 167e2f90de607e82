#include "bundle/bundle.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/bytes.h"
#include "base/quote.h"
#include "bundle/bundle_library.h"

namespace hologram::bundle {

using isa::DecodeProgram;
using isa::EncodeCode;
using isa::Program;
namespace {

constexpr uint8_t kMagic[8] = {0x89, 'H', 'O', 'L', 'O', '\r', '\n', 0x1a};
constexpr uint16_t kMajorVersion = 1;
constexpr uint16_t kMinorVersion = 0;
constexpr size_t kAlignment = 64;
constexpr size_t kHeaderBytes = 64;
constexpr size_t kEntryBytes = 64;
constexpr uint32_t kCriticalFlag = 1;
constexpr size_t kMaxArguments = 65536;

Diagnostic Invalid(std::string message) {
  return Error(ErrorCode::kInvalidBundle, std::move(message));
}

uint64_t AlignUp(uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

bool IsKnown(uint32_t type) {
  return type >= static_cast<uint32_t>(SectionType::kManifest) &&
         type <= static_cast<uint32_t>(SectionType::kArguments);
}

bool IsNative(uint32_t type) {
  return type == static_cast<uint32_t>(SectionType::kNative) ||
         type == static_cast<uint32_t>(SectionType::kChecked);
}

bool MustBeCritical(uint32_t type) {
  return type == static_cast<uint32_t>(SectionType::kManifest) ||
         type == static_cast<uint32_t>(SectionType::kCode);
}

void WriteSection(ByteWriter& out, const Section& section) {
  out.U32(section.type);
  out.U32(section.critical ? kCriticalFlag : 0);
  out.U64(section.offset);
  out.U64(section.size);
  out.U32(section.program);
  out.U32(static_cast<uint32_t>(section.level));
  out.Bytes(section.hash.bytes);
}

Hash ReadHash(ByteReader& in) {
  Hash hash;
  const std::span<const uint8_t> bytes = in.Bytes(hash.bytes.size());
  std::copy(bytes.begin(), bytes.end(), hash.bytes.begin());
  return hash;
}

// A section that is to be written.
struct NewSection {
  SectionType type;
  NativeLevel level;
  uint32_t program;
  std::span<const uint8_t> bytes;
};

std::string Numbered(uint32_t section) {
  return "section " + std::to_string(section);
}

bool AllZero(std::span<const uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

}  // namespace

Hash IdentityOf(const Program& program) {
  return Blake3(EncodeCode(program));
}

std::string NameOf(NativeLevel level) {
  if (level == NativeLevel::kNone) return "none";
  for (const TargetInfo& info : kTargets) {
    if (info.section != 0 && LevelOf(info.target) == level) return info.name;
  }
  return "level " + std::to_string(static_cast<uint32_t>(level));
}

// ---- Writing

size_t BundleWriter::AddProgram(const Program& program) {
  entries_.push_back({program.name, EncodeCode(program), EncodeDebug(program), {}, {}});
  return entries_.size() - 1;
}

void BundleWriter::AddNative(size_t program, NativeLevel level, std::vector<uint8_t> code,
                             SectionType type) {
  HOLOGRAM_CHECK(program < entries_.size());
  HOLOGRAM_CHECK(level != NativeLevel::kNone && !code.empty());
  HOLOGRAM_CHECK(IsNative(static_cast<uint32_t>(type)));
  const bool is_new =
      entries_[program].native.emplace(std::pair(type, level), std::move(code)).second;
  HOLOGRAM_CHECK(is_new);
}

void BundleWriter::SetArguments(size_t program, std::string_view text) {
  HOLOGRAM_CHECK(program < entries_.size() && entries_[program].arguments.empty());
  entries_[program].arguments.assign(text.begin(), text.end());
}

void BundleWriter::SetPipeline(std::vector<uint8_t> bytes) {
  HOLOGRAM_CHECK(pipeline_.empty() && !bytes.empty());
  pipeline_ = std::move(bytes);
}

Result<std::vector<uint8_t>> BundleWriter::Finish() const {
  ByteWriter manifest;
  std::set<std::string_view> names;
  for (const Entry& entry : entries_) {
    if (!names.insert(entry.name).second) {
      return Error(ErrorCode::kInvalidArgument,
                   "two programs of one bundle are called " + Shown(entry.name));
    }
    manifest.Bytes(Blake3(entry.code).bytes);
    manifest.SizedText(entry.name);
  }
  // A manifest is never empty, not even one of nothing: empty sections are refused.
  manifest.U32(static_cast<uint32_t>(entries_.size()));
  const std::vector<uint8_t> manifest_bytes = std::move(manifest).Take();

  std::vector<NewSection> parts;
  parts.push_back({SectionType::kManifest, NativeLevel::kNone, kNoProgram, manifest_bytes});
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    parts.push_back({SectionType::kCode, NativeLevel::kNone, i, entries_[i].code});
    parts.push_back({SectionType::kDebug, NativeLevel::kNone, i, entries_[i].debug});
    for (const auto& [key, code] : entries_[i].native) {
      parts.push_back({key.first, key.second, i, code});
    }
    if (!entries_[i].arguments.empty()) {
      parts.push_back({SectionType::kArguments, NativeLevel::kNone, i, entries_[i].arguments});
    }
  }
  if (!pipeline_.empty()) {
    parts.push_back({SectionType::kPipeline, NativeLevel::kNone, kNoProgram, pipeline_});
  }
  // Neighbours that are alike: a file of many programs is packed into less. Readers look sections
  // up in this order.
  std::stable_sort(parts.begin(), parts.end(), [](const NewSection& a, const NewSection& b) {
    return std::pair(a.type, a.level) < std::pair(b.type, b.level);
  });
  std::vector<Section> sections;
  for (const NewSection& part : parts) {
    Section section;
    section.type = static_cast<uint32_t>(part.type);
    section.critical = MustBeCritical(section.type);
    section.size = part.bytes.size();
    section.program = part.program;
    section.level = part.level;
    section.hash = Blake3(part.bytes);
    sections.push_back(section);
  }
  uint64_t offset = kHeaderBytes + kEntryBytes * sections.size();
  for (Section& section : sections) {
    section.offset = offset;
    offset = AlignUp(offset + section.size);
  }

  ByteWriter out;
  out.Bytes(kMagic);
  out.U16(kMajorVersion);
  out.U16(kMinorVersion);
  out.U32(0);
  out.U64(offset);
  out.U32(static_cast<uint32_t>(sections.size()));
  out.U32(static_cast<uint32_t>(entries_.size()));
  out.PadTo(kHeaderBytes);
  for (const Section& section : sections) WriteSection(out, section);
  for (const NewSection& part : parts) {
    out.Bytes(part.bytes);
    out.PadTo(kAlignment);
  }
  return std::move(out).Take();
}

// ---- Reading

Result<BundleReader> BundleReader::Open(std::span<const uint8_t> file, Padding padding) {
  if (IsLibrary(file)) {
    HOLOGRAM_ASSIGN_OR_RETURN(file, BundleInLibrary(file));
  }
  BundleReader reader;
  reader.file_ = file;
  reader.padding_ = padding;
  HOLOGRAM_RETURN_IF_ERROR(reader.ReadHeader());
  HOLOGRAM_RETURN_IF_ERROR(reader.ReadTable());
  HOLOGRAM_RETURN_IF_ERROR(reader.IndexSections());
  HOLOGRAM_RETURN_IF_ERROR(reader.ReadManifest());
  return reader;
}

Status BundleReader::ReadHeader() {
  if (file_.size() < kHeaderBytes) {
    return Invalid("bundle has " + std::to_string(file_.size()) + " bytes, its header alone has " +
                   std::to_string(kHeaderBytes));
  }
  head_.assign(file_.begin(), file_.begin() + kHeaderBytes);
  ByteReader in(head_);
  const std::span<const uint8_t> magic = in.Bytes(sizeof(kMagic));
  if (!std::equal(magic.begin(), magic.end(), std::begin(kMagic))) {
    return Invalid("not a bundle: the file does not begin with the magic number");
  }
  const uint16_t major = in.U16();
  const uint16_t minor = in.U16();
  if (major != kMajorVersion) {
    return Invalid("bundle has format version " + std::to_string(major) + "." +
                   std::to_string(minor) + ", this library reads " + std::to_string(kMajorVersion) +
                   ".x");
  }
  const uint32_t flags = in.U32();
  const uint64_t size = in.U64();
  num_sections_ = in.U32();
  num_programs_ = in.U32();
  if (flags != 0 || !AllZero(in.Bytes(in.remaining()))) {
    return Invalid("a reserved field of the bundle header is not zero");
  }
  if (size != file_.size()) {
    return Invalid("the header says " + std::to_string(size) + " bytes; the file has " +
                   std::to_string(file_.size()));
  }
  if (num_sections_ > (file_.size() - kHeaderBytes) / kEntryBytes) {
    return Invalid("bundle promises " + std::to_string(num_sections_) +
                   " sections, more than the file can hold");
  }
  if (num_programs_ > num_sections_) {
    return Invalid("bundle promises " + std::to_string(num_programs_) + " programs, but only " +
                   std::to_string(num_sections_) + " sections");
  }
  return Success{};
}

Status BundleReader::ReadTable() {
  const size_t table_end = kHeaderBytes + kEntryBytes * num_sections_;
  const std::span<const uint8_t> table = file_.subspan(kHeaderBytes, table_end - kHeaderBytes);
  head_.insert(head_.end(), table.begin(), table.end());
  trust_hash_ = Blake3(head_);
  ByteReader in(head_);
  in.Bytes(kHeaderBytes);
  uint64_t expected = table_end;
  sections_.reserve(num_sections_);
  for (uint32_t i = 0; i < num_sections_; ++i) {
    Section section;
    section.type = in.U32();
    const uint32_t flags = in.U32();
    section.critical = (flags & kCriticalFlag) != 0;
    section.offset = in.U64();
    section.size = in.U64();
    section.program = in.U32();
    section.level = static_cast<NativeLevel>(in.U32());
    section.hash = ReadHash(in);
    if ((flags & ~kCriticalFlag) != 0) return Invalid(Numbered(i) + " has an unknown flag");
    HOLOGRAM_RETURN_IF_ERROR(CheckPlace(section, expected, i));
    HOLOGRAM_RETURN_IF_ERROR(CheckOwner(section, i));
    expected = AlignUp(section.offset + section.size);
    sections_.push_back(section);
  }
  if (expected == file_.size()) return Success{};
  return Invalid(std::to_string(file_.size() - expected) + " bytes follow the last section");
}

Status BundleReader::CheckPlace(const Section& section, uint64_t expected, uint32_t number) const {
  if (section.offset != expected) {
    return Invalid(Numbered(number) + " begins at byte " + std::to_string(section.offset) +
                   ", expected " + std::to_string(expected));
  }
  if (section.size == 0) return Invalid(Numbered(number) + " is empty");
  // expected <= file size, so this cannot overflow.
  const uint64_t room = file_.size() - section.offset;
  if (section.size > room || AlignUp(section.size) > room) {
    return Invalid(Numbered(number) + " has " + std::to_string(section.size) + " bytes, but only " +
                   std::to_string(room) + " follow");
  }
  const uint64_t end = section.offset + section.size;
  if (padding_ == Padding::kCheck && !AllZero(file_.subspan(end, AlignUp(end) - end))) {
    return Invalid("padding after " + Numbered(number) + " is not zero");
  }
  return Success{};
}

Status BundleReader::CheckOwner(const Section& section, uint32_t number) const {
  if (!IsKnown(section.type)) {
    if (!section.critical) return Success{};
    return Invalid(Numbered(number) + " has type " + std::to_string(section.type) +
                   ", which this library does not know and may not skip");
  }
  if (section.critical != MustBeCritical(section.type)) {
    return Invalid(Numbered(number) + (section.critical ? " must not" : " must") +
                   " be marked critical");
  }
  const bool has_owner = section.type != static_cast<uint32_t>(SectionType::kManifest) &&
                         section.type != static_cast<uint32_t>(SectionType::kPipeline);
  if (has_owner ? section.program >= num_programs_ : section.program != kNoProgram) {
    return Invalid(Numbered(number) + " belongs to program " + std::to_string(section.program) +
                   " of " + std::to_string(num_programs_));
  }
  const bool is_native = IsNative(section.type);
  if (is_native != (section.level != NativeLevel::kNone)) {
    return Invalid(Numbered(number) + (is_native ? " has native code without a level"
                                                 : " has a level but no native code"));
  }
  return Success{};
}

Status BundleReader::IndexSections() {
  index_.reserve(sections_.size());
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    if (!IsKnown(section.type)) continue;
    index_.emplace_back(Key{section.type, section.level, section.program + 1}, i);
  }
  // Our writer has them in this order.
  if (!std::is_sorted(index_.begin(), index_.end())) std::sort(index_.begin(), index_.end());
  for (size_t k = 1; k < index_.size(); ++k) {
    if (index_[k - 1].first != index_[k].first) continue;
    return Invalid("sections " + std::to_string(index_[k - 1].second) + " and " +
                   std::to_string(index_[k].second) + " have one purpose");
  }
  for (uint32_t program = 0; program < num_programs_; ++program) {
    if (Lookup(SectionType::kCode, program, NativeLevel::kNone) == nullptr) {
      return Invalid("program " + std::to_string(program) + " has no code section");
    }
  }
  return Success{};
}

Status BundleReader::ReadManifest() {
  const Section* section = Lookup(SectionType::kManifest, kNoProgram, NativeLevel::kNone);
  if (section == nullptr) return Invalid("bundle has no manifest section");
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, Copy(*section));
  ByteReader in(bytes);
  programs_.reserve(num_programs_);  // the names below are those in it
  std::set<std::string_view> names;
  for (uint32_t program = 0; program < num_programs_ && !in.failed(); ++program) {
    Entry entry;
    entry.identity = ReadHash(in);
    entry.name = in.SizedText();
    if (!IsPlain(entry.name)) {
      return Invalid("the name of a program is no text without control characters: " +
                     Shown(entry.name));
    }
    const std::string& name = programs_.emplace_back(std::move(entry)).name;
    if (!names.insert(name).second && !in.failed()) {
      return Invalid("two programs of the bundle are called " + Shown(name));
    }
    if (programs_.back().identity !=
        Lookup(SectionType::kCode, program, NativeLevel::kNone)->hash) {
      return Invalid("the identity of program " + std::to_string(program) +
                     " is not the hash of its code section");
    }
  }
  const uint32_t count = in.U32();
  if (in.failed() || in.remaining() != 0 || count != num_programs_) {
    return Invalid("the manifest does not have the size of its " + std::to_string(num_programs_) +
                   " programs");
  }
  return Success{};
}

const Section* BundleReader::Lookup(SectionType type, uint32_t program, NativeLevel level) const {
  const Key key{static_cast<uint32_t>(type), level, program + 1};
  const auto found = std::lower_bound(index_.begin(), index_.end(), std::pair(key, size_t{0}));
  return found == index_.end() || found->first != key ? nullptr : &sections_[found->second];
}

Result<std::vector<uint8_t>> BundleReader::Copy(const Section& section) const {
  const std::span<const uint8_t> bytes = file_.subspan(section.offset, section.size);
  std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  if (Blake3(copy) != section.hash) {
    return Invalid(Describe(section) + " does not match its hash: the file is damaged or altered");
  }
  return copy;
}

std::string BundleReader::Describe(const Section& section) const {
  constexpr std::string_view kNames[] = {
      "manifest", "code",     "debug information", "native code", "native code of the checked form",
      "pipeline", "arguments"};
  std::string text = "section " + std::to_string(&section - sections_.data());
  if (!IsKnown(section.type)) return text + " (type " + std::to_string(section.type) + ")";
  text.append(" (").append(kNames[section.type - 1]);
  if (section.program < programs_.size()) text += " of " + Shown(programs_[section.program].name);
  if (section.level != NativeLevel::kNone) text += " for " + bundle::NameOf(section.level);
  return text + ")";
}

std::optional<size_t> BundleReader::Find(std::string_view name) const {
  for (size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i].name == name) return i;
  }
  return std::nullopt;
}

Result<Program> BundleReader::ReadProgram(size_t program) const {
  const auto number = static_cast<uint32_t>(program);
  const Section* code = Lookup(SectionType::kCode, number, NativeLevel::kNone);
  HOLOGRAM_CHECK(code != nullptr);
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> code_bytes, Copy(*code));
  std::vector<uint8_t> debug_bytes;
  const Section* debug = Lookup(SectionType::kDebug, number, NativeLevel::kNone);
  if (debug != nullptr) {
    HOLOGRAM_ASSIGN_OR_RETURN(debug_bytes, Copy(*debug));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(Program result, DecodeProgram(code_bytes, debug_bytes));
  if (debug == nullptr) result.name = programs_[program].name;
  if (result.name != programs_[program].name) {
    return Invalid("program " + Shown(programs_[program].name) + " calls itself " +
                   Shown(result.name) + " in its debug information");
  }
  return result;
}

Result<std::string> BundleReader::ReadArguments(size_t program) const {
  const Section* section =
      Lookup(SectionType::kArguments, static_cast<uint32_t>(program), NativeLevel::kNone);
  if (section == nullptr) return std::string();
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, Copy(*section));
  std::string text(bytes.begin(), bytes.end());
  if (text.size() <= kMaxArguments && IsPlain(text)) return text;
  return Invalid(Describe(*section) + " is no text of at most " + std::to_string(kMaxArguments) +
                 " bytes without control characters");
}

std::optional<NativeCode> BundleReader::NativeSection(size_t program, NativeLevel level,
                                                      SectionType type) const {
  const Section* section = Lookup(type, static_cast<uint32_t>(program), level);
  if (section == nullptr) return std::nullopt;
  return NativeCode{file_.subspan(section->offset, section->size), section->hash,
                    Describe(*section)};
}

Result<std::vector<uint8_t>> BundleReader::ReadPipeline() const {
  const Section* section = Lookup(SectionType::kPipeline, kNoProgram, NativeLevel::kNone);
  return section == nullptr ? std::vector<uint8_t>() : Copy(*section);
}

Status BundleReader::CheckAll() const {
  Diagnostics damaged;
  for (const Section& section : sections_) {
    const Result<std::vector<uint8_t>> copy = Copy(section);
    if (!copy.ok()) damaged.push_back(copy.errors()[0]);
  }
  if (!damaged.empty()) return damaged;
  for (size_t i = 0; i < programs_.size(); ++i) {
    HOLOGRAM_RETURN_IF_ERROR(ReadProgram(i));
    HOLOGRAM_RETURN_IF_ERROR(ReadArguments(i));
  }
  return Success{};
}

}  // namespace hologram::bundle
