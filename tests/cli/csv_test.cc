#include <gtest/gtest.h>

#include <cstring>

#include "formats/array.h"
#include "formats/scalar_text.h"

namespace hologram::tool {
namespace {

Result<Array> Decode(const std::string& text, isa::Type type = isa::Type::kI32) {
  return DecodeCsv({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, type, "a.csv");
}

std::string Encode(const Array& array) {
  const std::vector<uint8_t> file = EncodeCsv(array);
  return {file.begin(), file.end()};
}

// What is read, as it is written; or the error.
std::string Again(const std::string& text, isa::Type type = isa::Type::kI32) {
  const Result<Array> array = Decode(text, type);
  return array.ok() ? Encode(array.value()) : ToString(array.errors()[0]);
}

TEST(Csv, ReadsRows) {
  EXPECT_EQ(Decode("1\n2\n3\n").value().shape, (std::vector<uint64_t>{3}));
  EXPECT_EQ(Decode("1, 2\r\n3 ,\t4").value().shape, (std::vector<uint64_t>{2, 2}));
  EXPECT_EQ(Decode("1,2").value().shape, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(Decode("\xef\xbb\xbf# heading\n\n7\n").value().shape, (std::vector<uint64_t>{1}));
  EXPECT_EQ(Decode("").value().shape, (std::vector<uint64_t>{0}));
  EXPECT_EQ(Again("# shape 1x2x2\n1,2\n-3,0x10\n"), "# shape 1x2x2\n1,2\n-3,16\n");
}

TEST(Csv, SaysWhereAndWhy) {
  EXPECT_EQ(Again("1\nx\n"), "a.csv:2:1: error: expected i32, found 'x'");
  EXPECT_EQ(Again("1, 2\n3,  y\n"), "a.csv:2:5: error: expected i32, found 'y'");
  EXPECT_EQ(Again("a,b\n1,2\n"),
            "a.csv:1:1: error: expected i32, found 'a'; begin a line of headings with #");
  EXPECT_EQ(Again("1,,2\n"), "a.csv:1:3: error: expected i32, found ''");
  EXPECT_EQ(Again("1,2,\n"), "a.csv:1:5: error: expected i32, found ''");
  EXPECT_EQ(Again("1,2\n3\n"),
            "a.csv:2:1: error: expected 2 numbers, as in the first row, found 1");
  EXPECT_EQ(Again("128\n", isa::Type::kI8), "a.csv:1:1: error: 128 does not fit i8 (-128 to 127)");
  EXPECT_EQ(Again("1e39\n", isa::Type::kF32), "a.csv:1:1: error: literal 1e39 does not fit f32");
  EXPECT_EQ(Again("1\n# shape 1\n"), "a.csv:2:1: error: the shape is not at the top of the file");
  EXPECT_EQ(Again("# shape 2by2\n"), "a.csv:1:1: error: expected a shape, as in '# shape 2x3x4'");
  for (const char* shape : {"9223372036854775807x0x9", "0x9x9223372036854775807"}) {
    EXPECT_EQ(Again(std::string("#\n# shape ") + shape + "\n"),
              "a.csv:2:1: error: an array of more than 2^46 bytes");
  }
  for (const char* shape : {"3", "2x2", "4294967296x4294967296", "18446744073709551615", "0"}) {
    EXPECT_EQ(Again(std::string("# shape ") + shape + "\n1\n2\n"),
              "a.csv:1:1: error: the shape does not fit the 2 numbers of the file");
  }
}

TEST(Csv, KeepsEveryValueAndShape) {
  for (int i = 0; i < isa::kNumTypes; ++i) {
    const auto type = static_cast<isa::Type>(i);
    for (const std::vector<uint64_t>& shape : {std::vector<uint64_t>{0},
                                               {97},
                                               {1},
                                               {8, 12},
                                               {96, 1},
                                               {1, 96},
                                               {0, 3},
                                               {2, 3, 4},
                                               {2, 1, 3, 2}}) {
      Array array = MakeArray(type, shape).value();
      for (uint64_t b = 0; b < array.bytes.size(); ++b) {
        array.bytes.data()[b] = static_cast<std::byte>(b * 73 + (b >> 3) * 19);
      }
      const std::string text = Encode(array);
      const Array again = Decode(text, type).value();
      EXPECT_EQ(again.shape, shape) << text;
      // NaNs lose their payload; everything else keeps its bits.
      EXPECT_EQ(Encode(again), text);
      const size_t size = isa::SizeOf(type);
      for (uint64_t at = 0; at < array.bytes.size(); at += size) {
        uint64_t bits = 0;
        std::memcpy(&bits, array.bytes.data() + at, size);
        std::string number;
        AppendScalar(number, type, bits);
        if (number == "nan") continue;
        EXPECT_EQ(std::memcmp(array.bytes.data() + at, again.bytes.data() + at, size), 0)
            << NameOf(type) << " " << number;
      }
    }
  }
}

TEST(Csv, KeepsEvery16BitFloat) {
  for (isa::Type type : {isa::Type::kF16, isa::Type::kBF16}) {
    for (uint64_t bits = 0; bits < 65536; ++bits) {
      std::string text;
      AppendScalar(text, type, bits);
      if (text != "nan") {
        ASSERT_EQ(ParseScalar(type, text).value(), bits) << text;
      }
    }
  }
}

TEST(Csv, WritesShortNumbers) {
  EXPECT_EQ(Again("0.1\n-0\ninf\n-inf\nnan\n1e-45\n", isa::Type::kF32),
            "0.1\n-0\ninf\n-inf\nnan\n1e-45\n");
  EXPECT_EQ(Again("0.1\n65504\n", isa::Type::kF16), "0.099975586\n65504\n");
  EXPECT_EQ(Again("0.1\n3e38\n", isa::Type::kBF16), "0.100097656\n3.0040553e+38\n");
}

}  // namespace
}  // namespace hologram::tool
