#include "sigmatics/values/variant.h"

#include <gtest/gtest.h>

#include <set>

namespace hologram::sigmatics {
namespace {

TEST(Variant, NamesAreUniqueAndFound) {
  std::set<std::string> texts;
  std::set<std::string> names;
  for (const Variant& variant : AllVariants()) {
    EXPECT_TRUE(texts.insert(TextOf(variant)).second) << TextOf(variant);
    EXPECT_TRUE(names.insert(NameOf(variant)).second) << NameOf(variant);
    EXPECT_EQ(FindVariant(TextOf(variant)), variant);
    EXPECT_GE(NumSources(variant), 1U);
    EXPECT_LE(NumSources(variant), 3U);
  }
  EXPECT_FALSE(FindVariant(""));
  EXPECT_FALSE(FindVariant("Exp"));
}

TEST(Variant, DocumentedOnesKeepTheirNames) {
  for (const char* name : {"Add", "Mul", "Min", "Max", "Abs", "Exp", "Log", "Sqrt", "Sigmoid",
                           "Tanh", "Gelu", "Sub", "Div"}) {
    bool found = false;
    for (const Variant& variant : AllVariants()) found |= NameOf(variant) == name;
    EXPECT_TRUE(found) << name;
  }
}

// Everything that reads or writes memory, state or predicates, or jumps, is no variant.
TEST(Variant, OnlyPureInstructions) {
  for (const char* text : {"ldg", "stg", "mov", "cvt", "set", "sel", "bra", "exit", "mirror",
                           "cls.get", "phase.get", "pool.load", "blk.red", "reduce.add", "sreg"}) {
    EXPECT_FALSE(FindVariant(text)) << text;
  }
  EXPECT_EQ(NumSources(*FindVariant("fma")), 3U);
  EXPECT_EQ(NumSources(*FindVariant("exp_fast")), 1U);
  EXPECT_EQ(NumSources(*FindVariant("shl")), 2U);
  EXPECT_TRUE(IsShiftAmount(*FindVariant("shl"), 1));
  EXPECT_FALSE(FindVariant("sqrt_fast"));
  EXPECT_TRUE(HasType(*FindVariant("xor"), isa::Type::kU8));
  EXPECT_FALSE(HasType(*FindVariant("xor"), isa::Type::kF32));
}

}  // namespace
}  // namespace hologram::sigmatics
