// The group of transforms, exhaustively: 192 elements, all pairs, all classes.
#include "sigmatics/algebra/transform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace hologram::sigmatics {
namespace {

std::vector<Transform> All() {
  std::vector<Transform> all;
  for (uint32_t i = 0; i < kNumTransforms; ++i) all.push_back(Transform::FromIndex(i));
  return all;
}

std::vector<SigilClass> Classes() {
  std::vector<SigilClass> all;
  for (uint32_t i = 0; i < kNumSigilClasses; ++i) all.push_back(*SigilClass::FromIndex(i));
  return all;
}

TEST(Transform, IndexIsABijection) {
  for (uint32_t i = 0; i < kNumTransforms; ++i) EXPECT_EQ(Transform::FromIndex(i).index(), i);
  EXPECT_EQ(Transform::FromIndex(0), Transform());
}

TEST(Transform, ActsAsAGroup) {
  const std::vector<SigilClass> classes = Classes();
  std::set<std::vector<SigilClass>> actions;
  for (const Transform& a : All()) {
    std::vector<SigilClass> images;
    for (SigilClass c : classes) images.push_back(a(c));
    actions.insert(images);
    EXPECT_EQ(a.Then(a.Inverse()), Transform());
    EXPECT_EQ(a.Inverse().Then(a), Transform());
    EXPECT_EQ(a.Then(Transform()), a);
    for (const Transform& b : All()) {
      const Transform both = a.Then(b);
      ASSERT_LT(both.index(), kNumTransforms);
      for (SigilClass c : classes) ASSERT_EQ(both(c), b(a(c)));
    }
  }
  EXPECT_EQ(actions.size(), 192U);  // the action is faithful
}

TEST(Transform, Laws) {
  const Transform r = Transform::R(1);
  const Transform d = Transform::D(1);
  const Transform t = Transform::T(1);
  const Transform m = Transform::M();
  EXPECT_EQ(r.Then(d), d.Then(r));
  EXPECT_EQ(r.Then(t), t.Then(r));
  EXPECT_EQ(d.Then(t), t.Then(d));
  EXPECT_EQ(m.Then(r), r.Then(m));
  EXPECT_EQ(m.Then(t), t.Then(m));
  EXPECT_NE(m.Then(d), d.Then(m));
  EXPECT_EQ(d.Then(m), m.Then(Transform::D(-1)));
  EXPECT_EQ(m.Then(m), Transform());
  EXPECT_EQ(Transform(4, 3, 8, false), Transform());
  EXPECT_EQ(Transform(-9, -9, -9, true), Transform(3, 0, 7, true));
  EXPECT_EQ(Transform(INT64_MIN, INT64_MIN, INT64_MIN, false),
            Transform(0, INT64_MIN % 3, 0, false));
}

TEST(Transform, OrbitsAndStabilizers) {
  const std::vector<Transform> without_d = {Transform::R(1), Transform::T(1), Transform::M()};
  std::vector<Transform> with_d = without_d;
  with_d.push_back(Transform::D(1));
  for (SigilClass c : Classes()) {
    EXPECT_EQ(OrbitOf(c, with_d).size(), 96U);
    EXPECT_EQ(OrbitOf(c, without_d).size(), c.triple().d == 0 ? 32U : 64U);
    EXPECT_EQ(OrbitOf(c, {Transform::D(1)}).size(), 3U);
    const std::vector<Transform> stabilizer = StabilizerOf(c);
    // The order of the group is the length of the orbit times the order of the stabilizer.
    ASSERT_EQ(stabilizer.size(), 2U);
    EXPECT_EQ(stabilizer[0], Transform());
    EXPECT_EQ(stabilizer[1](c), c);
    EXPECT_TRUE(stabilizer[1].m());
  }
}

// The subgroup that some transforms generate, counted.
size_t OrderOf(const std::vector<Transform>& generators) {
  std::set<uint32_t> seen = {0};
  std::vector<Transform> pending = {Transform()};
  while (!pending.empty()) {
    const Transform next = pending.back();
    pending.pop_back();
    for (const Transform& generator : generators) {
      const Transform product = next.Then(generator);
      if (seen.insert(product.index()).second) pending.push_back(product);
    }
  }
  return seen.size();
}

TEST(Transform, Subgroups) {
  EXPECT_EQ(OrderOf({Transform::R(1), Transform::T(1), Transform::M()}), 64U);
  EXPECT_EQ(OrderOf({Transform::R(1), Transform::D(1), Transform::T(1), Transform::M()}), 192U);
  EXPECT_EQ(OrderOf({Transform::D(1), Transform::M()}), 6U);
}

}  // namespace
}  // namespace hologram::sigmatics
