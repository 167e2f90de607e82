#include "commands/options.h"

#include <gtest/gtest.h>

namespace hologram::tool {
namespace {

std::string MessageOf(const std::vector<std::string>& arguments) {
  try {
    const Options options(arguments, {"--flag"}, {"--value"});
    options.one("--value");
  } catch (const UsageError& error) {
    return error.message;
  }
  return "ok";
}

TEST(Options, ReadBothForms) {
  const Options options({"a", "--value", "1", "--value=2=3", "--flag", "--", "--flag", "-"},
                        {"--flag"}, {"--value"});
  EXPECT_EQ(options.positional(), (std::vector<std::string>{"a", "--flag", "-"}));
  EXPECT_EQ(options.all("--value"), (std::vector<std::string>{"1", "2=3"}));
  EXPECT_TRUE(options.has("--flag"));
}

TEST(Options, SayWhatIsWrong) {
  EXPECT_EQ(MessageOf({"--other"}), "unknown option --other");
  EXPECT_EQ(MessageOf({"-x"}), "unknown option -x");
  EXPECT_EQ(MessageOf({"--value"}), "option --value needs a value");
  EXPECT_EQ(MessageOf({"--flag=1"}), "option --flag takes no value");
  EXPECT_EQ(MessageOf({"--value", "1", "--value", "2"}), "option --value is given twice");
}

TEST(Options, TriplesHaveOneToThreeNumbers) {
  EXPECT_EQ(ParseTriple("--grid", "7"), (std::array<uint32_t, 3>{7, 1, 1}));
  EXPECT_EQ(ParseTriple("--grid", "7,8,9"), (std::array<uint32_t, 3>{7, 8, 9}));
  for (const char* text : {"", ",", "1,", "1,2,3,4", "-1", "4294967296", "1;2", " 1", "0x3"}) {
    EXPECT_THROW(ParseTriple("--grid", text), UsageError) << text;
  }
}

}  // namespace
}  // namespace hologram::tool
