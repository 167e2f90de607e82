// Files written by released versions stay readable for ever: corpus/NAME.holo, its programs as text
// in NAME.hasm, its trust hash here. To add one, put NAME.hasm there and a row here and run this
// test with HOLOGRAM_BLESS=1, which writes a NAME.holo that is not there; never replace one. v1 is
// of the first slice of the instruction set, v2 has every instruction up to POPC, v3 those that
// came after it: scans, compare-and-swap, atomics of floats, traps; v4 prints. v5 has
// sections of one kind side by side.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "bundle/bundle.h"
#include "text/text.h"

namespace hologram::text {
namespace {

using Bytes = std::vector<uint8_t>;

struct CorpusFile {
  std::string name;
  std::string trust_hash;
};

const CorpusFile kCorpus[] = {
    {"v1", "59f0bf2f0dc47b9e6ee3de1e489d3a862e2646facb4161b6f504593150fa51f1"},
    {"v2", "4b5e277f563c9f95f7213eba49450aae24efabd1665cb0f3c2a67b67ff7d026f"},
    {"v3", "28b2ecd44a718e130ef25578c877f337b759460786870003a5c37e57ad786b18"},
    {"v4", "e18e5c0623fd3c9d06b5180c70712919c8da2bb0b724648cc742eb82ca5a328a"},
    {"v5", "f91b1055df8750b0907e1ad4da82cd6acbf57b817adcad5169c3f40bf7b9b9d5"},
};

std::string PathOf(const std::string& name) {
  return std::string(HOLOGRAM_TEST_DIR) + "/corpus/" + name;
}

std::string ReadFile(const std::string& name) {
  std::ifstream file(PathOf(name), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What a current writer makes of the text, with some native code.
Bytes Write(const std::vector<isa::Program>& programs) {
  bundle::BundleWriter writer;
  for (const isa::Program& program : programs) {
    const size_t number = writer.AddProgram(program);
    writer.AddNative(number, bundle::NativeLevel::kX86V3, Bytes(100, static_cast<uint8_t>(number)));
  }
  return writer.Finish().value();
}

// REQUIRES: HOLOGRAM_BLESS is set
void WriteIfMissing(const std::string& name) {
  if (std::ifstream(PathOf(name + ".holo")).good()) return;
  const auto programs = Assemble(ReadFile(name + ".hasm"), name + ".hasm");
  ASSERT_TRUE(programs.ok()) << ToString(programs.errors()[0]);
  const Bytes bytes = Write(programs.value());
  std::ofstream file(PathOf(name + ".holo"), std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

TEST(Corpus, FilesOfEveryReleaseAreReadAsTheyWereWritten) {
  for (const CorpusFile& entry : kCorpus) {
    if (std::getenv("HOLOGRAM_BLESS") != nullptr) WriteIfMissing(entry.name);
    const std::string content = ReadFile(entry.name + ".holo");
    const Bytes file(content.begin(), content.end());
    const auto programs = Assemble(ReadFile(entry.name + ".hasm"), entry.name + ".hasm");
    ASSERT_TRUE(programs.ok()) << ToString(programs.errors()[0]);
    const Result<bundle::BundleReader> reader = bundle::BundleReader::Open(file);
    ASSERT_TRUE(reader.ok()) << reader.errors()[0].message;
    ASSERT_TRUE(reader.value().CheckAll().ok());
    EXPECT_EQ(ToHex(reader.value().trust_hash()), entry.trust_hash);
    ASSERT_EQ(reader.value().size(), programs.value().size());
    for (size_t i = 0; i < reader.value().size(); ++i) {
      EXPECT_EQ(reader.value().ReadProgram(i).value(), programs.value()[i]);
      EXPECT_TRUE(reader.value().NativeSection(i, bundle::NativeLevel::kX86V3));
    }
  }
}

TEST(Corpus, TheNewestFileIsWhatIsWrittenToday) {
  const std::string name = std::end(kCorpus)[-1].name;
  const auto programs = Assemble(ReadFile(name + ".hasm"), name + ".hasm");
  ASSERT_TRUE(programs.ok());
  const Bytes today = Write(programs.value());
  const std::string content = ReadFile(name + ".holo");
  EXPECT_EQ(today, Bytes(content.begin(), content.end()))
      << "the format changed: keep the old file and add one of the new version";
}

}  // namespace
}  // namespace hologram::text
