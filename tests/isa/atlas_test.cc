// Facts of the Atlas: the formulas against the table that is written out, and single facts.
#include "isa/atlas.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "isa/class_handle.h"

namespace hologram::isa {
namespace {

TEST(Atlas, MirrorAndNeighboursAreThoseOfTheTable) {
  std::ifstream in(std::string(HOLOGRAM_SOURCE_DIR) + "/tests/isa/atlas_table.txt");
  ASSERT_TRUE(in);
  std::string line;
  uint32_t rows = 0;
  while (std::getline(in, line)) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    uint32_t label = 0;
    uint32_t mirror = 0;
    char colon = 0;
    char bar = 0;
    words >> label >> colon >> mirror >> bar;
    std::vector<uint32_t> expected;
    for (uint32_t other = 0; words >> other;) expected.push_back(other);
    ASSERT_EQ(label, rows);
    const auto c = static_cast<uint8_t>(label);
    EXPECT_EQ(Mirror(c), mirror) << label;
    std::vector<uint32_t> found;
    for (uint32_t k = 0; k < 6 && Neighbour(c, k) != kNoNeighbour; ++k) {
      found.push_back(Neighbour(c, k));
    }
    EXPECT_EQ(found, expected) << label;
    EXPECT_EQ(NumNeighbours(c), expected.size()) << label;
    ++rows;
  }
  EXPECT_EQ(rows, kNumClasses);
}

TEST(Atlas, MirrorIsAnAutomorphismWithoutFixedPoints) {
  uint32_t edges = 0;
  uint32_t of_degree[7] = {};
  for (uint8_t c = 0; c < kNumClasses; ++c) {
    EXPECT_NE(Mirror(c), c);
    EXPECT_EQ(Mirror(Mirror(c)), c);
    ++of_degree[NumNeighbours(c)];
    for (uint32_t k = 0; k < NumNeighbours(c); ++k) {
      const uint8_t other = Neighbour(c, k);
      EXPECT_NE(other, c);
      EXPECT_NE(other, Mirror(c));
      edges += other > c ? 1 : 0;
      bool back = false;
      bool mirrored = false;
      for (uint32_t j = 0; j < 6; ++j) {
        back |= Neighbour(other, j) == c;
        mirrored |= Neighbour(Mirror(c), j) == Mirror(other);
      }
      EXPECT_TRUE(back && mirrored) << int{c} << " " << int{other};
    }
  }
  EXPECT_EQ(edges, 256u);
  EXPECT_EQ(of_degree[5], 64u);
  EXPECT_EQ(of_degree[6], 32u);
}

TEST(Atlas, UnityClassesAreMirrors) {
  for (uint8_t c = 0; c < kNumClasses; ++c) EXPECT_EQ(IsUnity(c), c == 1 || c == 4) << int{c};
  EXPECT_EQ(Mirror(1), 4);
}

TEST(Atlas, AddressesInTheClassMemory) {
  EXPECT_EQ(PhiAddress(0, 0, 255), 255u);
  EXPECT_EQ(PhiAddress(0, 1, 0), 256u);
  EXPECT_EQ(PhiAddress(1, 0, 0), 12288u);
  EXPECT_EQ(PhiAddress(1, 2, 3), 12803u);
  EXPECT_EQ(PhiAddress(5, 10, 20), 64020u);
  EXPECT_EQ(PhiAddress(42, 10, 128), 518784u);
  EXPECT_EQ(PhiAddress(95, 0, 0), 1167360u);
  EXPECT_EQ(PhiAddress(95, 47, 255), kClassMemoryBytes - 1);
  EXPECT_EQ(kClassMemoryBytes, 1179648u);
  EXPECT_EQ(PackPhi(7, 128), 0x00800007u);
  EXPECT_EQ(UnpackPhi(0x00800007), (Phi{7, 128}));
  EXPECT_EQ(PhiOfOffset(1024), (Phi{4, 0}));
  EXPECT_EQ(PhiOfOffset(12287), (Phi{47, 255}));
  EXPECT_EQ(PhiOfOffset(12288), std::nullopt);
  EXPECT_EQ(kBytesPerClass / sizeof(float), 3072u);
}

TEST(Atlas, HandlesOfClasses) {
  EXPECT_EQ(ClassHandle(0), 0xFFFFFFFFFFFFFFA0u);
  EXPECT_EQ(ClassHandle(95), 0xFFFFFFFFFFFFFFFFu);
  EXPECT_EQ(ClassOfHandle(0xFFFFFFFFFFFFFFA0u), 0u);
  EXPECT_EQ(ClassOfHandle(0xFFFFFFFFFFFFFF9Fu), std::nullopt);
}

TEST(Atlas, AccessesStayInOneClass) {
  EXPECT_TRUE(IsInOneClass(12284, 4));
  EXPECT_FALSE(IsInOneClass(12285, 4));
  EXPECT_TRUE(IsInOneClass(12288, 8));
  EXPECT_TRUE(IsInOneClass(kClassMemoryBytes - 8, 8));
  EXPECT_FALSE(IsInOneClass(kClassMemoryBytes - 7, 8));
  EXPECT_FALSE(IsInOneClass(kClassMemoryBytes, 1));
  EXPECT_FALSE(IsInOneClass(~uint64_t{0}, 1));
}

TEST(Atlas, Phases) {
  EXPECT_EQ(AdvancePhase(750, 30), 12u);
  EXPECT_EQ(AdvancePhase(760, 20), 12u);
  EXPECT_EQ(AdvancePhase(767, 1), 0u);
  EXPECT_EQ(AdvancePhase(767, ~uint64_t{0}), (767 + ~uint64_t{0} % 768) % 768);
  EXPECT_EQ(SplitPhase(42), (PhaseParts{5, 2}));
  EXPECT_EQ(SplitPhase(767), (PhaseParts{95, 7}));
  EXPECT_EQ(SplitPhase(767).sub_phase * kPagesPerSubPhase + kPagesPerSubPhase, kPagesPerClass);
}

TEST(Atlas, PhaseWindows) {
  const PhaseWindow plain{100, 50};
  EXPECT_TRUE(plain.Contains(100) && plain.Contains(149));
  EXPECT_FALSE(plain.Contains(99) || plain.Contains(150));
  const PhaseWindow wraps{700, 118};
  for (const uint32_t inside : {700u, 750u, 0u, 49u}) EXPECT_TRUE(wraps.Contains(inside));
  for (const uint32_t outside : {50u, 699u}) EXPECT_FALSE(wraps.Contains(outside));
  const PhaseWindow all{5, 768};
  for (uint32_t phase = 0; phase < kNumPhases; ++phase) EXPECT_TRUE(all.Contains(phase));
  EXPECT_FALSE((PhaseWindow{100, 0}).IsValid());
  EXPECT_FALSE((PhaseWindow{768, 1}).IsValid());
  EXPECT_FALSE((PhaseWindow{0, 769}).IsValid());
}

TEST(Atlas, MirrorClosedMasks) {
  ClassMask mask;
  mask.Add(0);
  EXPECT_FALSE(mask.IsMirrorClosed());
  mask.Add(3);
  EXPECT_TRUE(mask.IsMirrorClosed());
  EXPECT_EQ(mask, (ClassMask{9, 0}));
  mask.Add(92);
  EXPECT_EQ(mask, (ClassMask{9, uint32_t{1} << 28}));
  EXPECT_FALSE(mask.IsMirrorClosed());
  mask.Add(95);
  EXPECT_TRUE(mask.IsMirrorClosed());
  EXPECT_TRUE(mask.Contains(95));
  EXPECT_FALSE(mask.Contains(96));
}

}  // namespace
}  // namespace hologram::isa
