// docs/environment.md has the table that the code has; scripts/bless updates the file.
#include "base/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace hologram {
namespace {

constexpr const char* kPage = HOLOGRAM_SOURCE_DIR "/docs/environment.md";

std::string Read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Environment, ThePageHasTheTable) {
  const std::string table = VariablesMarkdown();
  std::string page = Read(kPage);
  const char* bless = std::getenv("HOLOGRAM_BLESS");
  if (bless != nullptr && *bless != '\0') {
    page = page.substr(0, page.find("| variable |")) + table;
    std::ofstream(kPage, std::ios::binary) << page;
  }
  EXPECT_TRUE(page.ends_with("\n\n" + table)) << "run scripts/bless";
}

TEST(Environment, EveryVariableHasOneRow) {
  std::set<std::string> names;
  for (const VariableInfo& info : Variables()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(&InfoOf(info.variable), &info);
  }
}

TEST(Environment, ReadsWhatIsSet) {
  ASSERT_FALSE(HasMoreRightsThanItsUser());
  unsetenv("HOLOGRAM_PROFILE_DIR");
  EXPECT_EQ(ReadVariable(Variable::kProfileDir), nullptr);
  setenv("HOLOGRAM_PROFILE_DIR", "", 1);
  EXPECT_STREQ(ReadVariable(Variable::kProfileDir), "");
  EXPECT_EQ(ReadNonEmpty(Variable::kProfileDir), nullptr);
  setenv("HOLOGRAM_PROFILE_DIR", "a", 1);
  EXPECT_STREQ(ReadNonEmpty(Variable::kProfileDir), "a");
  unsetenv("HOLOGRAM_PROFILE_DIR");
}

}  // namespace
}  // namespace hologram
