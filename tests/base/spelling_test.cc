#include "base/spelling.h"

#include <gtest/gtest.h>

#include <array>

namespace hologram {
namespace {

TEST(Spelling, NearestOfSeveral) {
  constexpr std::array<std::string_view, 4> kNames = {"compile", "run", "verify", "--grid"};
  EXPECT_EQ(Nearest("rum", kNames), "run");
  EXPECT_EQ(Nearest("complie", kNames), "compile");
  EXPECT_EQ(Nearest("--gird", kNames), "--grid");
  EXPECT_EQ(Nearest("ru", kNames), "");
  EXPECT_EQ(DidYouMean("rum", kNames), "; did you mean 'run'?");
  EXPECT_EQ(DidYouMean("ru", kNames), "");
  EXPECT_EQ(Nearest("explain", kNames), "");
}

}  // namespace
}  // namespace hologram
