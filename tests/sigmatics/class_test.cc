// The classes against class_tables.txt: for each of the 256 bytes and 96 classes what the algebra
// says, each power of a transform, and samples of the belt.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <type_traits>

#include "sigmatics/algebra/resonance_class.h"
#include "sigmatics/algebra/sigil_class.h"
#include "sigmatics/algebra/transform.h"

namespace hologram::sigmatics {
namespace {

SigilClass Class(int64_t index) {
  return SigilClass::FromIndex(static_cast<uint64_t>(index)).value();
}

Transform PowerOf(const std::string& letter, int64_t amount) {
  if (letter == "R") return Transform::R(amount);
  if (letter == "D") return Transform::D(amount);
  if (letter == "T") return Transform::T(amount);
  return Transform::M();
}

TEST(SigilClass, AgreesWithTheTables) {
  std::ifstream file(std::string(HOLOGRAM_TEST_DIR) + "/class_tables.txt");
  std::map<std::string, int> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    SCOPED_TRACE(line);
    std::istringstream words(line);
    std::string word;
    std::string letter;
    words >> word;
    if (word == "power") words >> letter;
    std::vector<int64_t> n;
    for (int64_t number; words >> number;) n.push_back(number);
    ++rows[word];
    if (word == "byte") {
      const SigilClass c = SigilClass::FromByte(static_cast<uint8_t>(n[0]));
      EXPECT_EQ(c.index(), n[1]);
      EXPECT_EQ(c.triple(), (Triple{static_cast<uint8_t>(n[2]), static_cast<uint8_t>(n[3]),
                                    static_cast<uint8_t>(n[4])}));
      EXPECT_EQ(c.representative(), n[5]);
      EXPECT_EQ(SigilClass::FromTriple(c.triple()), c);
    } else if (word == "members") {
      const std::vector<uint8_t> members = Class(n[0]).members();
      EXPECT_EQ(std::vector<int64_t>(members.begin(), members.end()),
                std::vector<int64_t>(n.begin() + 1, n.end()));
    } else if (word == "triality") {
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(TrialityOrbitOf(Class(n[0])).at(i), Class(n.at(i + 1)));
      }
    } else if (word == "power") {
      for (size_t c = 0; c < 96; ++c) {
        EXPECT_EQ(PowerOf(letter, n[0])(Class(static_cast<int64_t>(c))), Class(n.at(c + 1)));
      }
    } else if (word == "image") {
      EXPECT_EQ(Transform(n[1], n[2], n[3], n[4] != 0)(Class(n[0])), Class(n[5]));
    } else if (word == "belt") {
      EXPECT_EQ(BeltAddress(static_cast<uint32_t>(n[0]), static_cast<uint8_t>(n[1])), n[2]);
    } else if (word == "no-belt") {
      EXPECT_FALSE(BeltAddress(static_cast<uint32_t>(n[0]), 0));
    } else if (word == "no-slot") {
      EXPECT_FALSE(BeltSlotOf(static_cast<uint32_t>(n[0])));
    } else {
      ASSERT_EQ(word, "equivalent");
      EXPECT_EQ(SigilClass::FromByte(static_cast<uint8_t>(n[0])) ==
                    SigilClass::FromByte(static_cast<uint8_t>(n[1])),
                n[2] != 0);
    }
  }
  EXPECT_EQ(rows["byte"], 256);
  EXPECT_EQ(rows["members"], 96);
  EXPECT_EQ(rows["triality"], 96);
  EXPECT_EQ(rows["power"], 9 + 7 + 17 + 1);
  EXPECT_EQ(rows["image"], 60);
  EXPECT_GE(rows["belt"], 20);
}

TEST(SigilClass, BytesOfAClassAreItsMembers) {
  int sizes[5] = {};
  for (uint32_t i = 0; i < kNumSigilClasses; ++i) {
    const std::vector<uint8_t> members = Class(i).members();
    ++sizes[members.size()];
    EXPECT_EQ(members.front(), Class(i).representative());
    for (uint8_t byte : members) EXPECT_EQ(SigilClass::FromByte(byte), Class(i));
  }
  EXPECT_EQ(sizes[2], 64);
  EXPECT_EQ(sizes[4], 32);
  EXPECT_FALSE(SigilClass::FromIndex(96));
}

TEST(SigilClass, AddingBytesIsNoOperationOfClasses) {
  int different = 0;
  for (int x = 0; x < 256; ++x) {
    for (int y = 0; y < 256; ++y) {
      const auto byte = [](int value) { return SigilClass::FromByte(static_cast<uint8_t>(value)); };
      different += byte(x + y) == byte(byte(x).representative() + byte(y).representative()) ? 0 : 1;
    }
  }
  EXPECT_EQ(different, 34432);
}

TEST(Belt, AddressesAreInverse) {
  for (uint32_t address = 0; address < kBeltSlots; ++address) {
    const BeltSlot slot = BeltSlotOf(address).value();
    EXPECT_EQ(BeltAddress(slot.page, slot.byte), address);
  }
}

// Two numberings of 96 things with two mirrors: mixing them must not compile.
static_assert(!std::is_convertible_v<SigilClass, ResonanceClass>);
static_assert(!std::is_convertible_v<ResonanceClass, SigilClass>);
static_assert(!std::is_constructible_v<SigilClass, ResonanceClass>);
static_assert(!std::is_constructible_v<ResonanceClass, SigilClass>);

TEST(ResonanceClass, HasAnotherTopology) {
  int fixed_by_algebra = 0;
  for (uint32_t i = 0; i < 96; ++i) {
    const ResonanceClass c = ResonanceClass::FromIndex(i).value();
    EXPECT_NE(c.mirror(), c);
    EXPECT_EQ(c.mirror().mirror(), c);
    fixed_by_algebra += Transform::M()(Class(i)) == Class(i) ? 1 : 0;
    for (ResonanceClass neighbour : c.neighbours()) {
      const auto back = neighbour.neighbours();
      EXPECT_NE(std::find(back.begin(), back.end(), c), back.end());
    }
  }
  EXPECT_EQ(fixed_by_algebra, 32);
  EXPECT_FALSE(ResonanceClass::FromIndex(96));
}

}  // namespace
}  // namespace hologram::sigmatics
