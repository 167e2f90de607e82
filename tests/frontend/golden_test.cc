// Golden files: a kernel file (.py, .json) and beside it what the front end makes of it: canonical
// assembly (.hasm), or the errors (.err) where the name begins with "bad-". scripts/bless rewrites
// the second.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "frontend/compile_python.h"
#include "frontend/frontend.h"
#include "text/text.h"

namespace hologram::frontend {
namespace {

TEST(Golden, FilesGiveWhatTheySay) {
  const char* variable = std::getenv("HOLOGRAM_BLESS");
  const bool bless = variable != nullptr && *variable != '\0';
  const std::string directory = HOLOGRAM_TEST_DIR "/golden";
  std::vector<std::filesystem::path> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string suffix = entry.path().extension().string();
    if (suffix == ".py" || suffix == ".json") inputs.push_back(entry.path());
  }
  std::sort(inputs.begin(), inputs.end());
  for (std::filesystem::path path : inputs) {
    const std::string name = path.filename().string();
    const bool bad = name.starts_with("bad-");
    const std::string json =
        path.extension() == ".py" ? JsonOf("golden", name) : ReadFile(path.string());
    const Result<std::vector<isa::Program>> programs = CompileJson(json, name, "");
    std::string output;
    for (const Diagnostic& error : programs.errors()) output += ToString(error) + "\n";
    for (size_t i = 0; programs.ok() && i < programs.value().size(); ++i) {
      output += (i == 0 ? "" : "\n") + text::Disassemble(programs.value()[i]);
    }
    EXPECT_EQ(programs.ok(), !bad) << name << "\n" << output;
    if (programs.ok()) {
      const Result<std::vector<isa::Program>> again = text::Assemble(output, name);
      ASSERT_TRUE(again.ok()) << name;
      EXPECT_EQ(again.value(), programs.value()) << name;
    }
    path.replace_extension(bad ? ".err" : ".hasm");
    if (bless) {
      std::ofstream(path, std::ios::binary) << output;
    } else {
      EXPECT_EQ(output, ReadFile(path.string())) << name;
    }
  }
  EXPECT_GE(inputs.size(), 15U);
}

}  // namespace
}  // namespace hologram::frontend
