#include "base/targets.h"

#include <gtest/gtest.h>

#include <iterator>
#include <set>

namespace hologram {
namespace {

TEST(Targets, RowsAreFoundByTheirNumber) {
  std::set<std::string> names;
  std::set<uint32_t> sections;
  size_t in_bundles = 0;
  for (const TargetInfo& info : kTargets) {
    EXPECT_EQ(&InfoOf(info.target), &info);
    EXPECT_EQ(FindTarget(info.family, info.short_name), info.target);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    if (info.section == 0) continue;
    ++in_bundles;
    sections.insert(info.section);
  }
  EXPECT_EQ(sections.size(), in_bundles);
}

// Numbers that files and an older or newer plugin know.
TEST(Targets, NumbersStay) {
  const auto number = [](Target target) { return static_cast<int>(target); };
  EXPECT_EQ(number(Target::kX86V2), 0);
  EXPECT_EQ(number(Target::kX86V4), 2);
  EXPECT_EQ(number(Target::kAArch64), 3);
  EXPECT_EQ(number(Target::kSm90), 5);
  EXPECT_EQ(number(Target::kWasmRelaxed), 7);
  EXPECT_EQ(InfoOf(Target::kX86V2).section, 1u);
  EXPECT_EQ(InfoOf(Target::kAArch64).section, 4u);
}

TEST(Targets, AreNamedForPeople) {
  EXPECT_EQ(ShortNamesOf(Family::kX86), "v2, v3 or v4");
  EXPECT_EQ(ShortNamesOf(Family::kPtx), "sm_80 or sm_90");
  EXPECT_FALSE(FindTarget(Family::kX86, "sm_80"));
}

}  // namespace
}  // namespace hologram
