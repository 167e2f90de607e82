// The .holo bundle: several programs and their native code in one file, for mmap. docs/format.md
// describes every byte.
//
//   header (64 bytes) | section table (64 bytes each) | sections, each 64-byte aligned
//
// The trust hash covers header and table, the table holds the hash of every section: who knows the
// trust hash knows every byte. The reader copies header, table and manifest into private memory
// before it looks at them, so a file that changes underneath a mapping cannot confuse it. Tested by
// tests/isa.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/blake3.h"
#include "base/result.h"
#include "base/targets.h"
#include "isa/program.h"

namespace hologram::bundle {

// Identity of a program, whatever it is called and wherever it came from: the hash of EncodeCode.
Hash IdentityOf(const isa::Program& program);

enum class SectionType : uint32_t {
  kManifest = 1,
  kCode = 2,
  kDebug = 3,
  kNative = 4,
  kChecked = 5,    // native code of the checked form (verify/checked_form.h)
  kPipeline = 6,   // launches of the programs (plan/encoding.h)
  kArguments = 7,  // what Python callers give a program (docs/format.md)
};

// Requirements of native code: the rows of base/targets.def that bundles hold.
enum class NativeLevel : uint32_t {
  kNone = 0,  // of the sections that are not native
#define HOLOGRAM_TARGET(id, name, short_name, family, section, ...) id = section,
#define HOLOGRAM_DEVICE_TARGET(...)
#include "base/targets.def"
};
inline NativeLevel LevelOf(Target target) {
  return static_cast<NativeLevel>(InfoOf(target).section);
}
std::string NameOf(
    NativeLevel level);  // "x86-64-v3"; "level 9" for one that this version does not know

inline constexpr uint32_t kNoProgram = UINT32_MAX;

// A row of the section table, checked.
struct Section {
  uint32_t type = 0;  // a SectionType, or a number that a later version knows
  bool critical = false;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t program = kNoProgram;  // the owner
  NativeLevel level = NativeLevel::kNone;
  Hash hash;
  bool operator==(const Section&) const = default;
};

class BundleWriter {
 public:
  // REQUIRES: program is well-formed. Returns its number.
  size_t AddProgram(const isa::Program& program);
  // A relocatable object for program number `program`. REQUIRES: code is not empty; at most one per
  // level and type, which is kNative or kChecked.
  void AddNative(size_t program, NativeLevel level, std::vector<uint8_t> code,
                 SectionType type = SectionType::kNative);
  // The arguments of a program, a text that only Python reads; empty: its parameters. At most once.
  void SetArguments(size_t program, std::string_view text);
  // A pipeline of the programs, encoded. REQUIRES: it is not empty; at most one.
  void SetPipeline(std::vector<uint8_t> bytes);
  // The file. Equal input gives equal bytes. Fails if two programs have one name.
  Result<std::vector<uint8_t>> Finish() const;

 private:
  struct Entry {
    std::string name;
    std::vector<uint8_t> code;
    std::vector<uint8_t> debug;
    std::vector<uint8_t> arguments;  // empty: none
    std::map<std::pair<SectionType, NativeLevel>, std::vector<uint8_t>> native;
  };
  std::vector<Entry> entries_;
  std::vector<uint8_t> pipeline_;  // empty: none
};

// Native code as it is in the file, not yet hashed. Before use: copy it to private memory and
// compare the hash of the copy.
struct NativeCode {
  std::span<const uint8_t> bytes;
  Hash expected;
  std::string name;  // of the section: "section 4 (native code of 'blur' for x86-64-v3)"
};

// Zeros between sections, which no reader uses: to look at them is to touch every page of a mapped
// file.
enum class Padding : uint8_t { kCheck, kIgnore };

class BundleReader {
 public:
  // Checks header, table, padding and manifest; sections are hashed when they are read. Keeps
  // `file`, which must outlive the reader.
  static Result<BundleReader> Open(std::span<const uint8_t> file,
                                   Padding padding = Padding::kCheck);

  // The hash that an application embeds to vouch for this file.
  const Hash& trust_hash() const { return trust_hash_; }
  const std::vector<Section>& sections() const { return sections_; }

  // Programs are numbered from 0. REQUIRES below: program < size().
  size_t size() const { return programs_.size(); }
  const std::string& NameOf(size_t program) const { return programs_[program].name; }
  const Hash& IdentityOf(size_t program) const { return programs_[program].identity; }
  std::optional<size_t> Find(std::string_view name) const;

  // Copies, compares hashes, decodes.
  Result<isa::Program> ReadProgram(size_t program) const;
  // A claim of the writer; empty: it has none.
  Result<std::string> ReadArguments(size_t program) const;
  // `type`: as of AddNative.
  std::optional<NativeCode> NativeSection(size_t program, NativeLevel level,
                                          SectionType type = SectionType::kNative) const;
  // The pipeline of the bundle, not decoded; empty: it has none. Error: it is damaged.
  Result<std::vector<uint8_t>> ReadPipeline() const;
  // Hashes every section, also those of unknown types, and decodes every program. Errors: one for
  // each section that does not match its hash; else of the first program that cannot be decoded.
  Status CheckAll() const;

 private:
  struct Key {
    uint32_t type;
    NativeLevel level;
    uint32_t owner;  // the program + 1; 0: the bundle
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    std::string name;
    Hash identity;
  };

  Status ReadHeader();
  Status ReadTable();
  Status CheckPlace(const Section& section, uint64_t expected, uint32_t number) const;
  Status CheckOwner(const Section& section, uint32_t number) const;
  Status IndexSections();
  Status ReadManifest();
  const Section* Lookup(SectionType type, uint32_t program, NativeLevel level) const;
  Result<std::vector<uint8_t>> Copy(const Section& section) const;
  std::string Describe(const Section& section) const;

  std::span<const uint8_t> file_;
  Padding padding_ = Padding::kCheck;
  std::vector<uint8_t> head_;  // header and table
  Hash trust_hash_;
  uint32_t num_sections_ = 0;
  uint32_t num_programs_ = 0;
  std::vector<Section> sections_;
  std::vector<std::pair<Key, size_t>> index_;  // the sections of known types, by their keys
  std::vector<Entry> programs_;
};

}  // namespace hologram::bundle
