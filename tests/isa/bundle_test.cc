// Bundles: what is written is read, and no altered file is taken for the original.
#include "bundle/bundle.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/well_formed_programs.h"

namespace hologram::isa {
namespace {

using bundle::BundleReader;
using bundle::BundleWriter;
using bundle::IdentityOf;
using bundle::NativeCode;
using bundle::NativeLevel;
using bundle::Section;
using bundle::SectionType;

using Bytes = std::vector<uint8_t>;

constexpr size_t kHeader = 64;
constexpr size_t kEntry = 64;

Program Named(WellFormedPrograms& random, const std::string& name) {
  Program program = random.Next();
  program.name = name;
  return program;
}

// Sections: 0 manifest; code of 1 "first" and 2 "second"; debug information of 3 "first" and 4
// "second"; native code of "first", 5 for v2 and 6 for v4.
struct Sample {
  Program first;
  Program second;
  Bytes file;
};

Sample MakeSample(uint64_t seed = 7) {
  WellFormedPrograms random(seed);
  Sample sample{Named(random, "first"), Named(random, "second"), {}};
  BundleWriter writer;
  const size_t first = writer.AddProgram(sample.first);
  writer.AddProgram(sample.second);
  writer.AddNative(first, NativeLevel::kX86V4, Bytes(200, 0x44));
  writer.AddNative(first, NativeLevel::kX86V2, Bytes(64, 0x22));
  sample.file = writer.Finish().value();
  return sample;
}

std::string OpenError(const Bytes& file) {
  const Result<BundleReader> reader = BundleReader::Open(file);
  if (!reader.ok()) return reader.errors()[0].message;
  const Status status = reader.value().CheckAll();
  return status.ok() ? "accepted" : status.errors()[0].message;
}

std::string ErrorAfter(size_t position, uint8_t value) {
  Bytes file = MakeSample().file;
  file[position] = value;
  return OpenError(file);
}

size_t EntryOf(size_t section) {
  return kHeader + kEntry * section;
}

size_t OffsetOf(const Bytes& file, size_t section) {
  return BundleReader::Open(file).value().sections()[section].offset;
}

TEST(Bundle, ReadsWhatWasWritten) {
  const Sample sample = MakeSample();
  const Result<BundleReader> opened = BundleReader::Open(sample.file);
  ASSERT_TRUE(opened.ok()) << OpenError(sample.file);
  const BundleReader& reader = opened.value();
  ASSERT_EQ(reader.size(), 2u);
  EXPECT_EQ(reader.NameOf(1), "second");
  EXPECT_EQ(reader.IdentityOf(0), IdentityOf(sample.first));
  EXPECT_EQ(reader.Find("second"), std::optional<size_t>(1));
  EXPECT_EQ(reader.Find("third"), std::nullopt);
  EXPECT_EQ(reader.ReadProgram(0).value(), sample.first);
  EXPECT_EQ(reader.ReadProgram(1).value(), sample.second);
  EXPECT_TRUE(reader.CheckAll().ok());

  const std::optional<NativeCode> native = reader.NativeSection(0, NativeLevel::kX86V4);
  ASSERT_TRUE(native);
  EXPECT_EQ(Bytes(native->bytes.begin(), native->bytes.end()), Bytes(200, 0x44));
  EXPECT_EQ(Blake3(native->bytes), native->expected);
  EXPECT_FALSE(reader.NativeSection(0, NativeLevel::kX86V3));
  EXPECT_FALSE(reader.NativeSection(1, NativeLevel::kX86V4));
}

TEST(Bundle, HasNativeCodeOfTwoForms) {
  WellFormedPrograms random(3);
  BundleWriter writer;
  const size_t number = writer.AddProgram(Named(random, "first"));
  writer.AddNative(number, NativeLevel::kX86V3, Bytes(70, 0x33), SectionType::kChecked);
  writer.AddNative(number, NativeLevel::kX86V3, Bytes(200, 0x44));
  const Bytes file = writer.Finish().value();
  EXPECT_EQ(OpenError(file), "accepted");
  const BundleReader reader = BundleReader::Open(file).value();
  EXPECT_EQ(reader.NativeSection(0, NativeLevel::kX86V3)->bytes.size(), 200u);
  const auto checked = reader.NativeSection(0, NativeLevel::kX86V3, SectionType::kChecked);
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->bytes.size(), 70u);
  EXPECT_EQ(checked->name, "section 4 (native code of the checked form of 'first' for x86-64-v3)");
  EXPECT_FALSE(reader.NativeSection(0, NativeLevel::kX86V4, SectionType::kChecked));
  Bytes bad = file;
  bad[EntryOf(4) + 28] = 0;
  EXPECT_EQ(OpenError(bad), "section 4 has native code without a level");
  bad = file;
  bad[static_cast<size_t>(checked->bytes.data() - file.data())] ^= 1;
  EXPECT_EQ(OpenError(bad),
            "section 4 (native code of the checked form of 'first' for x86-64-v3) does not match "
            "its hash: the file is damaged or altered");
}

// What it says of the arguments of a program, `text`; or the error of reading it.
std::string ArgumentsAfter(const std::string& text) {
  WellFormedPrograms random(3);
  BundleWriter writer;
  writer.AddProgram(Named(random, "first"));
  writer.SetArguments(writer.AddProgram(Named(random, "second")), text);
  const Bytes file = writer.Finish().value();
  const BundleReader reader = BundleReader::Open(file).value();
  EXPECT_EQ(reader.sections().size(), text.empty() ? 5u : 6u);
  EXPECT_EQ(reader.ReadArguments(0).value(), "");
  const Result<std::string> read = reader.ReadArguments(1);
  EXPECT_EQ(read.ok(), reader.CheckAll().ok());
  return read.ok() ? read.value() : read.errors()[0].message;
}

TEST(Bundle, SaysWhatPythonCallersGive) {
  EXPECT_EQ(ArgumentsAfter(""), "");
  EXPECT_EQ(ArgumentsAfter("second(by: vec3)"), "second(by: vec3)");
  const std::string refused =
      "section 5 (arguments of 'second') is no text of at most 65536 bytes without control "
      "characters";
  EXPECT_EQ(ArgumentsAfter(std::string(65536, 'a')).size(), 65536u);
  EXPECT_EQ(ArgumentsAfter(std::string(65537, 'a')), refused);
  EXPECT_EQ(ArgumentsAfter("second(\n)"), refused);
  EXPECT_EQ(ArgumentsAfter("\xff"), refused);
}

TEST(Bundle, WritingIsDeterministicAndAligned) {
  const Sample sample = MakeSample();
  EXPECT_EQ(sample.file, MakeSample().file);
  EXPECT_EQ(sample.file.size() % 64, 0u);
  const Result<BundleReader> reader = BundleReader::Open(sample.file);
  for (const Section& section : reader.value().sections()) {
    EXPECT_EQ(section.offset % 64, 0u);
  }
}

TEST(Bundle, OfNothingIsABundle) {
  const Bytes file = BundleWriter().Finish().value();
  EXPECT_EQ(OpenError(file), "accepted");
}

TEST(Bundle, RefusesTwoProgramsOfOneName) {
  WellFormedPrograms random(1);
  BundleWriter writer;
  writer.AddProgram(Named(random, "same"));
  writer.AddProgram(Named(random, "same"));
  const Result<Bytes> file = writer.Finish();
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.errors()[0].message, "two programs of one bundle are called 'same'");
}

TEST(Bundle, SkipsUnknownSectionsThatAreNotCritical) {
  Bytes file = MakeSample().file;
  const Hash original = BundleReader::Open(file).value().trust_hash();
  file[EntryOf(6)] = 99;
  const Result<BundleReader> reader = BundleReader::Open(file);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader.value().CheckAll().ok());
  EXPECT_FALSE(reader.value().NativeSection(0, NativeLevel::kX86V4));
  EXPECT_NE(reader.value().trust_hash(), original);
}

TEST(Bundle, KeepsNativeCodeOfUnknownLevels) {
  Bytes file = MakeSample().file;
  file[EntryOf(6) + 28] = 9;
  EXPECT_EQ(OpenError(file), "accepted");
  EXPECT_TRUE(BundleReader::Open(file).value().NativeSection(0, static_cast<NativeLevel>(9)));
  EXPECT_EQ(NameOf(static_cast<NativeLevel>(9)), "level 9");
}

TEST(Bundle, MessagesSayWhatIsWrongWithTheHeader) {
  const Bytes file = MakeSample().file;
  EXPECT_EQ(OpenError({}), "bundle has 0 bytes, its header alone has 64");
  EXPECT_EQ(ErrorAfter(1, 'h'), "not a bundle: the file does not begin with the magic number");
  EXPECT_EQ(ErrorAfter(8, 2), "bundle has format version 2.0, this library reads 1.x");
  EXPECT_EQ(ErrorAfter(12, 1), "a reserved field of the bundle header is not zero");
  EXPECT_EQ(ErrorAfter(63, 1), "a reserved field of the bundle header is not zero");
  EXPECT_EQ(ErrorAfter(27, 0x80),
            "bundle promises 2147483655 sections, more than the file can hold");
  EXPECT_EQ(ErrorAfter(28, 8), "bundle promises 8 programs, but only 7 sections");
  EXPECT_EQ(ErrorAfter(28, 3), "program 2 has no code section");
  const std::string size = std::to_string(file.size());
  Bytes longer = file;
  longer.resize(file.size() + 64);
  EXPECT_EQ(OpenError(longer),
            "the header says " + size + " bytes; the file has " + std::to_string(longer.size()));
  // The header agrees with the longer file, the table does not.
  for (size_t i = 0; i < 8; ++i) longer[16 + i] = uint8_t(longer.size() >> (8 * i));
  EXPECT_EQ(OpenError(longer), "64 bytes follow the last section");
}

TEST(Bundle, MessagesSayWhatIsWrongWithTheTable) {
  const Bytes file = MakeSample().file;
  const size_t code = OffsetOf(file, 1);
  EXPECT_EQ(ErrorAfter(EntryOf(1), 77),
            "section 1 has type 77, which this library does not know and may not skip");
  EXPECT_EQ(ErrorAfter(EntryOf(1) + 4, 0), "section 1 must be marked critical");
  EXPECT_EQ(ErrorAfter(EntryOf(3) + 4, 1), "section 3 must not be marked critical");
  EXPECT_EQ(ErrorAfter(EntryOf(3) + 4, 2), "section 3 has an unknown flag");
  EXPECT_EQ(ErrorAfter(EntryOf(1) + 8, uint8_t(code - 64)),
            "section 1 begins at byte " + std::to_string(code - 64) + ", expected " +
                std::to_string(code));
  EXPECT_EQ(ErrorAfter(EntryOf(5) + 16, 0), "section 5 is empty");
  EXPECT_EQ(ErrorAfter(EntryOf(1) + 24, 2), "section 1 belongs to program 2 of 2");
  EXPECT_EQ(ErrorAfter(EntryOf(0) + 24, 0), "section 0 belongs to program 4294967040 of 2");
  EXPECT_EQ(ErrorAfter(EntryOf(2) + 24, 0), "sections 1 and 2 have one purpose");
  EXPECT_EQ(ErrorAfter(EntryOf(5) + 28, 3), "sections 5 and 6 have one purpose");
  EXPECT_EQ(ErrorAfter(EntryOf(5) + 28, 0), "section 5 has native code without a level");
  EXPECT_EQ(ErrorAfter(EntryOf(3) + 28, 1), "section 3 has a level but no native code");
  const std::string room = std::to_string(file.size() - OffsetOf(file, 5));
  EXPECT_EQ(ErrorAfter(EntryOf(5) + 23, 0xff),
            "section 5 has 18374686479671623744 bytes, but only " + room + " follow");
}

TEST(Bundle, MessagesSayWhatIsWrongWithSections) {
  const Bytes file = MakeSample().file;
  EXPECT_EQ(ErrorAfter(OffsetOf(file, 0), 0),
            "section 0 (manifest) does not match its hash: the file is damaged or altered");
  EXPECT_EQ(ErrorAfter(OffsetOf(file, 1), 0),
            "section 1 (code of 'first') does not match its hash: the file is damaged or altered");
  EXPECT_EQ(ErrorAfter(OffsetOf(file, 4), 0),
            "section 4 (debug information of 'second') does not match its hash: the file is "
            "damaged or altered");
  EXPECT_EQ(ErrorAfter(OffsetOf(file, 6), 0),
            "section 6 (native code of 'first' for x86-64-v4) does not match its hash: the file "
            "is damaged or altered");
  EXPECT_EQ(ErrorAfter(OffsetOf(file, 6) + 200, 1), "padding after section 6 is not zero");
  EXPECT_EQ(ErrorAfter(EntryOf(1) + 32, 0),
            "the identity of program 0 is not the hash of its code section");
}

TEST(Bundle, PaddingIsLookedAtUnlessItIsIgnored) {
  Bytes file = MakeSample().file;
  file[OffsetOf(file, 6) + 200] = 1;
  EXPECT_FALSE(BundleReader::Open(file).ok());
  const Result<BundleReader> reader = BundleReader::Open(file, bundle::Padding::kIgnore);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader.value().CheckAll().ok());
}

TEST(Bundle, RefusesEveryTruncation) {
  const Bytes file = MakeSample().file;
  for (size_t size = 0; size < file.size(); ++size) {
    const Bytes prefix(file.begin(), file.begin() + long(size));
    ASSERT_FALSE(BundleReader::Open(prefix).ok()) << size;
  }
}

// An ELF file: header, names, bundle, and sections null, names and, as number 2, `name`.
Bytes Library(const Bytes& bundle, const std::string& name = ".hologram") {
  std::string names = std::string(1, '\0') + ".shstrtab" + '\0' + name + '\0';
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  std::array<Elf64_Shdr, 3> sections{};
  sections[1] = {1, SHT_STRTAB, 0, 0, sizeof header, names.size(), 0, 0, 1, 0};
  sections[2] = {11, SHT_PROGBITS, SHF_ALLOC, 0, sizeof header + names.size(), bundle.size(), 0,
                 0,  64,           0};
  header.e_shoff = sizeof header + names.size() + bundle.size();
  Bytes file(header.e_shoff + sizeof sections);
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, names.data(), names.size());
  std::copy(bundle.begin(), bundle.end(), file.begin() + long(sizeof header + names.size()));
  std::memcpy(file.data() + header.e_shoff, sections.data(), sizeof sections);
  return file;
}

TEST(Bundle, IsReadFromASharedLibrary) {
  const Sample sample = MakeSample();
  const Bytes library = Library(sample.file);
  EXPECT_EQ(OpenError(library), "accepted");
  const Result<BundleReader> reader = BundleReader::Open(library);
  EXPECT_EQ(reader.value().trust_hash(), BundleReader::Open(sample.file).value().trust_hash());
  EXPECT_EQ(reader.value().ReadProgram(1).value(), sample.second);
  EXPECT_EQ(
      OpenError(Library(sample.file, ".hologra")),
      "shared library: it has no section .hologram, where hologram compile --emit so puts the "
      "programs");
  EXPECT_EQ(OpenError(Library(Bytes(80, 7))),
            "not a bundle: the file does not begin with the magic number");
}

TEST(Bundle, RefusesEveryDamagedLibrary) {
  const Bytes library = Library(MakeSample().file);
  for (size_t size = 0; size < library.size(); ++size) {
    const Bytes prefix(library.begin(), library.begin() + long(size));
    ASSERT_FALSE(BundleReader::Open(prefix).ok()) << size;
  }
  // Any bit of its header and its table: read, or refused.
  size_t read = 0;
  const size_t table = library.size() - 3 * sizeof(Elf64_Shdr);
  for (size_t at = 0; at < library.size(); at = at + 1 == sizeof(Elf64_Ehdr) ? table : at + 1) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes file = library;
      file[at] = static_cast<uint8_t>(file[at] ^ (1u << bit));
      read += BundleReader::Open(file).ok() ? 1 : 0;
    }
  }
  EXPECT_GT(read, 0u);
}

TEST(Bundle, AnAlteredFileIsNeverTakenForTheOriginal) {
  WellFormedPrograms random(5);
  for (int i = 0; i < 10'000; ++i) {
    const Bytes original = MakeSample(static_cast<uint64_t>(i % 10)).file;
    const Hash trusted = BundleReader::Open(original).value().trust_hash();
    Bytes file = original;
    for (uint64_t n = 1 + random.Below(3); n > 0; --n) {
      uint8_t& byte = file[random.Below(random.Chance(70) ? 576 : file.size())];
      byte =
          static_cast<uint8_t>(random.Chance(50) ? byte ^ (1u << random.Below(8)) : random.Bits());
    }
    if (file == original) continue;
    const Result<BundleReader> reader = BundleReader::Open(file);
    if (!reader.ok()) continue;
    const bool intact = reader.value().CheckAll().ok();
    ASSERT_FALSE(intact && reader.value().trust_hash() == trusted);
  }
}

}  // namespace
}  // namespace hologram::isa
