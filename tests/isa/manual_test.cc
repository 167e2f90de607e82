// docs/isa.md is what the instruction set says about itself; scripts/bless updates the file.
#include "isa/manual.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "isa/instruction.h"

namespace hologram::isa {
namespace {

constexpr const char* kManual = HOLOGRAM_SOURCE_DIR "/docs/isa.md";

TEST(Manual, TheCommittedFileIsUpToDate) {
  const char* bless = std::getenv("HOLOGRAM_BLESS");
  if (bless != nullptr && *bless != '\0') std::ofstream(kManual, std::ios::binary) << IsaMarkdown();
  std::ifstream file(kManual, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), IsaMarkdown()) << "run scripts/bless";
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Manual, JsonHasEveryInstructionOnce) {
  const std::string json = IsaJson();
  EXPECT_TRUE(json.starts_with("{\"instructions\":[\n"));
  EXPECT_EQ(Count(json, "\"opcode\":"), AllOpcodes().size());
  for (const OpcodeInfo& info : AllOpcodes()) {
    EXPECT_EQ(Count(json, "\"mnemonic\":\"" + std::string(info.mnemonic) + "\""), 1u);
  }
  const std::string fma =
      R"({"opcode":12,"mnemonic":"fma","name":"Fma","form":"fma.T rd, ra, rb, rc","types":["f16","bf16",)"
      R"("f32","f64"],"operands":[{"kind":"dst","field":"d"},{"kind":"src","field":"a"},)"
      R"({"kind":"src","field":"b"},{"kind":"src","field":"c"}],)"
      R"("summary":"d = a * b + c rounded once"})";
  EXPECT_NE(json.find(fma), std::string::npos);
}

}  // namespace
}  // namespace hologram::isa
