// Golden files: text in, then a line "====", then what comes out: the canonical text, or the errors
// where the name of the file begins with "bad-". scripts/bless rewrites what comes out.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "text/text.h"

namespace hologram::text {
namespace {

constexpr std::string_view kSeparator = "====\n";

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Process(const std::string& input, const std::string& file) {
  const Result<std::vector<isa::Program>> programs = Assemble(input, file);
  std::string output;
  for (const Diagnostic& error : programs.errors()) output += ToString(error) + "\n";
  if (!programs.ok()) return output;
  for (const isa::Program& program : programs.value()) output += Disassemble(program);
  return output;
}

TEST(Golden, FilesGiveWhatTheySay) {
  const char* variable = std::getenv("HOLOGRAM_BLESS");
  const bool bless = variable != nullptr && *variable != '\0';
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HOLOGRAM_TEST_DIR) + "/golden")) {
    ++files;
    const std::string name = entry.path().filename().string();
    const std::string content = ReadFile(entry.path());
    const size_t separator = content.find(kSeparator);
    const std::string input = content.substr(0, separator);
    const std::string output = Process(input, name);
    if (bless) {
      std::ofstream(entry.path(), std::ios::binary) << input << kSeparator << output;
      continue;
    }
    ASSERT_NE(separator, std::string::npos) << name;
    EXPECT_EQ(output, content.substr(separator + kSeparator.size())) << name;
    EXPECT_EQ(name.starts_with("bad-"), !Assemble(input, name).ok()) << name;
    if (!name.starts_with("bad-")) {
      EXPECT_EQ(Process(output, name), output) << name;
    }
  }
  EXPECT_GE(files, 10);
}

}  // namespace
}  // namespace hologram::text
