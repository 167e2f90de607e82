#include "base/wide.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace hologram {
namespace {

using Wide = __int128;

void Compare(Wide a, Wide b) {
  Wide expected = 0;
  Wide found = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &expected);
  ASSERT_EQ(ProductOverflowsByParts(a, b, found), overflows);
  ASSERT_TRUE(found == expected);
}

TEST(Wide, ProductsByPartsAreThoseOfTheCompiler) {
  std::vector<Wide> values;
  for (int shift = 0; shift < 128; ++shift) {
    const Wide power = static_cast<Wide>(static_cast<unsigned __int128>(1) << shift);
    for (const Wide value : {power, power - (shift == 127 ? 0 : 1), -(power + (shift == 127))}) {
      values.push_back(value);
    }
  }
  values.push_back(0);
  for (const Wide a : values) {
    for (const Wide b : values) Compare(a, b);
  }
}

TEST(Wide, RandomProductsToo) {
  std::mt19937_64 random(7);
  const auto value = [&random] {
    const auto high = static_cast<Wide>(random()) << 64;
    const Wide all = high | static_cast<Wide>(random());
    return all >> (random() % 127);
  };
  for (int k = 0; k < 200'000; ++k) Compare(value(), value());
}

}  // namespace
}  // namespace hologram
