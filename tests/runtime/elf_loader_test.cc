#include "runtime/native/elf_loader.h"

#include <gtest/gtest.h>

#include <cstring>

#include "native_objects.h"
#include "runtime/native/debug_lines.h"

namespace hologram::runtime {
namespace {

std::string ErrorOf(const std::vector<uint8_t>& object) {
  static const std::atomic<uint32_t> cancel{0};
  const Result<NativeCode> code = NativeCode::Load(object, &cancel);
  return code.ok() ? "loaded" : code.errors()[0].message;
}

TEST(ElfLoader, RunsWhatItLoads) {
  Result<NativeCode> loaded = NativeCode::Load(test::AddObject());
  ASSERT_TRUE(loaded.ok()) << loaded.errors()[0].message;
  const NativeCode code = std::move(loaded).value();
  float a[3] = {1, 2, 3};
  float b[3] = {10, 20, 30};
  float c[3] = {};
  const hologram_buffer_ref buffers[] = {{a, sizeof a}, {b, sizeof b}, {c, sizeof c}};
  const uint64_t scalars[] = {2};
  const hologram_launch_shape shape{{1, 1, 1}, {256, 1, 1}};
  hologram_launch_state state{};
  EXPECT_EQ(code.info()->entry(buffers, scalars, &shape, &state), HOLOGRAM_LAUNCH_DONE);
  EXPECT_EQ(c[0], 11);
  EXPECT_EQ(c[1], 22);
  EXPECT_EQ(c[2], 0);
}

TEST(ElfLoader, RefusesWhatIsNoObject) {
  EXPECT_EQ(ErrorOf({}), "native object: not an ELF file");
  EXPECT_EQ(ErrorOf(std::vector<uint8_t>(4096, 0x7f)), "native object: not an ELF file");
}

TEST(ElfLoader, NamesUndefinedSymbols) {
  EXPECT_EQ(ErrorOf(test::ReadObject(HOLOGRAM_NATIVE_UNDEFINED)),
            "native object: undefined symbol 'memory_from_elsewhere'");
}

TEST(ElfLoader, RefusesVariables) {
  const std::string error = ErrorOf(test::ReadObject(HOLOGRAM_NATIVE_WRITABLE));
  EXPECT_TRUE(error.ends_with(" is writable")) << error;
}

TEST(ElfLoader, RefusesEveryTruncation) {
  const std::vector<uint8_t> object = test::AddObject();
  for (size_t size = 0; size + 1 < object.size(); ++size) {
    const std::vector<uint8_t> part(object.begin(), object.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_NE(ErrorOf(part), "loaded") << size;
  }
}

// Nothing is run here: a changed byte may be code. It must only never crash the loader.
TEST(ElfLoader, SurvivesEveryChangedByte) {
  const std::vector<uint8_t> object = test::AddObject();
  for (size_t i = 0; i < object.size(); ++i) {
    for (int flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> changed = object;
      changed[i] = static_cast<uint8_t>(changed[i] ^ flip);
      ErrorOf(changed);
    }
  }
}

// An object of a symbol table without symbols and a line table.
std::vector<uint8_t> ObjectWithLines(const std::string& lines) {
  constexpr char kNames[] = "\0.debug_line";
  constexpr size_t kSections = 4;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kSections;
  header.e_shstrndx = 2;
  Elf64_Shdr sections[kSections] = {};
  const uint64_t contents = sizeof header + sizeof sections;
  sections[1].sh_type = SHT_SYMTAB;
  sections[1].sh_link = 2;
  sections[1].sh_entsize = sizeof(Elf64_Sym);
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = contents;
  sections[2].sh_size = sizeof kNames;
  sections[3].sh_type = SHT_PROGBITS;
  sections[3].sh_name = 1;
  sections[3].sh_offset = contents + sizeof kNames;
  sections[3].sh_size = lines.size();
  std::string object(reinterpret_cast<const char*>(&header), sizeof header);
  object.append(reinterpret_cast<const char*>(sections), sizeof sections);
  object.append(kNames, sizeof kNames);
  object += lines;
  return {object.begin(), object.end()};
}

std::string Number(uint64_t value, int bytes) {
  std::string text;
  for (int k = 0; k < bytes; ++k) text += static_cast<char>(value >> (8 * k));
  return text;
}

// A DWARF 4 line table: one folder, files in it, rows of the first file.
std::string LineTable(size_t folder_bytes, size_t files, size_t rows) {
  constexpr char kOpcodeBase = 10;
  std::string header = Number(0x0100010101, 5) + kOpcodeBase;
  header += std::string(kOpcodeBase - 1, '\0') + std::string(folder_bytes, 'd') + Number(0, 2);
  for (size_t k = 0; k < files; ++k) header += "f" + Number(0x0100, 4);
  header += '\0';
  const std::string unit =
      Number(4, 2) + Number(header.size(), 4) + header + std::string(rows, kOpcodeBase);
  return Number(unit.size(), 4) + unit;
}

// Bytes of the names in all rows.
size_t TextOfLines(const std::string& lines) {
  const std::vector<uint8_t> object = ObjectWithLines(lines);
  const Result<ElfFile> file = ElfFile::Read(object);
  if (!file.ok()) {
    ADD_FAILURE() << file.errors()[0].message;
    return 0;
  }
  size_t bytes = 0;
  for (const SourceLine& line : ReadDebugLines(file.value(), std::vector<uint64_t>(4))) {
    bytes += line.file.size();
  }
  return bytes;
}

// Each row holds the name of its file: 600 KB of object were 40 GB of rows.
TEST(DebugLines, TakeMemoryInProportionToTheObject) {
  EXPECT_EQ(TextOfLines(LineTable(3, 1, 7)), 7 * std::string("ddd/f").size());
  EXPECT_LE(TextOfLines(LineTable(500'000, 1, 100'000)), size_t{1} << 24);
  EXPECT_LE(TextOfLines(LineTable(500'000, 20'000, 1)), size_t{1} << 24);
}

}  // namespace
}  // namespace hologram::runtime
