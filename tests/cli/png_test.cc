#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <iterator>

#include "formats/array.h"

namespace hologram::tool {
namespace {

Array Image(std::vector<uint64_t> shape) {
  Array array = MakeArray(isa::Type::kU8, std::move(shape)).value();
  for (uint64_t b = 0; b < array.bytes.size(); ++b) {
    array.bytes.data()[b] = static_cast<std::byte>(b * 37 + b / 7);
  }
  return array;
}

TEST(Png, RoundTripsGrayAndColour) {
  for (const std::vector<uint64_t>& shape :
       {std::vector<uint64_t>{1, 1}, {19, 33}, {19, 33, 3}, {2, 3, 3}}) {
    const Array image = Image(shape);
    const Array again = DecodePng(EncodePng(image).value()).value();
    EXPECT_EQ(again.shape, shape);
    ASSERT_EQ(again.bytes.size(), image.bytes.size());
    EXPECT_EQ(std::memcmp(again.bytes.data(), image.bytes.data(), image.bytes.size()), 0);
  }
}

TEST(Png, WritesOnlyImages) {
  const std::string expected =
      "a .png holds u8 elements of shape HxW or HxWx3; say it in --out, as in "
      "NAME=FILE.png:u8:480x640";
  EXPECT_EQ(EncodePng(Image({12})).errors()[0].message, expected);
  EXPECT_EQ(EncodePng(Image({0, 3})).errors()[0].message, expected);
  EXPECT_EQ(EncodePng(Image({2, 3, 4})).errors()[0].message, expected);
  EXPECT_EQ(EncodePng(MakeArray(isa::Type::kF32, {2, 2}).value()).errors()[0].message, expected);
}

TEST(Png, SurvivesEveryTruncationAndChange) {
  const std::vector<uint8_t> file = EncodePng(Image({9, 7, 3})).value();
  for (size_t size = 0; size + 12 < file.size(); ++size) {
    EXPECT_FALSE(DecodePng({file.data(), size}).ok()) << size;
  }
  for (size_t i = 0; i < file.size(); ++i) {
    std::vector<uint8_t> changed = file;
    changed[i] ^= 0xff;
    const Result<Array> image = DecodePng(changed);
    if (image.ok()) {
      EXPECT_EQ(image.value().bytes.size(), 9u * 7 * 3);
    }
  }
}

// Of a text of 2 GiB in a file of 60 bytes, 2 GiB were zeroed.
TEST(Png, TakesMemoryInProportionToTheFile) {
  std::vector<uint8_t> file = EncodePng(Image({2, 2})).value();
  constexpr size_t kAfterHeader = 33;
  const uint8_t text[] = {0x7f, 0xff, 0xff, 0xf0, 't', 'E', 'X', 't', 'k', 0, 0, 0, 0, 0};
  file.resize(kAfterHeader);
  file.insert(file.end(), std::begin(text), std::end(text));
  rusage before{};
  rusage after{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &before), 0);
  EXPECT_FALSE(DecodePng(file).ok());
  ASSERT_EQ(getrusage(RUSAGE_SELF, &after), 0);
  EXPECT_LE(after.ru_maxrss, before.ru_maxrss + 1024);  // KiB
}

}  // namespace
}  // namespace hologram::tool
