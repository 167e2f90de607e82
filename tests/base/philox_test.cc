// The vectors of philox4x32_10 that come with its publication (Random123, kat_vectors).
#include "base/philox.h"

#include <gtest/gtest.h>

namespace hologram {
namespace {

using Words = std::array<uint32_t, 4>;

TEST(Philox, PublishedVectors) {
  EXPECT_EQ(Philox(0, 0, 0), (Words{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  EXPECT_EQ(Philox(UINT64_MAX, UINT64_MAX, UINT64_MAX),
            (Words{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(Philox(0x299F31D0A4093822, 0x85A308D3243F6A88, 0x0370734413198A2E),
            (Words{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST(Philox, UniformNumbers) {
  EXPECT_EQ(PhiloxUniform(0, 0, 0), static_cast<double>(0xE169C58D6627E8D5 >> 11) / 0x1p53);
  double least = 1;
  double greatest = 0;
  double sum = 0;
  constexpr int kCount = 100'000;
  for (uint64_t i = 0; i < kCount; ++i) {
    const double u = PhiloxUniform(3, i, 5);
    least = std::min(least, u);
    greatest = std::max(greatest, u);
    sum += u;
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(greatest, 1);
  EXPECT_NEAR(sum / kCount, 0.5, 0.005);
}

}  // namespace
}  // namespace hologram
