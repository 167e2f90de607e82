#include "base/bytes.h"

#include <gtest/gtest.h>

namespace hologram {
namespace {

TEST(Bytes, ReadsWhatWasWrittenLittleEndian) {
  ByteWriter out;
  out.U8(1);
  out.U16(0x0302);
  out.U32(0x07060504);
  out.U64(0x0f0e0d0c0b0a0908);
  out.SizedText("hi");
  out.PadTo(8);
  const std::vector<uint8_t> bytes = std::move(out).Take();
  ASSERT_EQ(bytes.size(), 24u);
  for (size_t i = 0; i < 15; ++i) EXPECT_EQ(bytes[i], i + 1);

  ByteReader in(bytes);
  EXPECT_EQ(in.U8(), 1u);
  EXPECT_EQ(in.U16(), 0x0302u);
  EXPECT_EQ(in.U32(), 0x07060504u);
  EXPECT_EQ(in.U64(), 0x0f0e0d0c0b0a0908u);
  EXPECT_EQ(in.SizedText(), "hi");
  EXPECT_TRUE(in.SkipPadding(8));
  EXPECT_EQ(in.remaining(), 0u);
  EXPECT_FALSE(in.failed());
}

TEST(Bytes, AReaderThatRanOutStaysFailed) {
  const std::vector<uint8_t> bytes = {1, 2, 3};
  ByteReader in(bytes);
  EXPECT_EQ(in.U32(), 0u);
  EXPECT_TRUE(in.failed());
  EXPECT_EQ(in.U8(), 0u);
  EXPECT_TRUE(in.Bytes(1).empty());
}

TEST(Bytes, ATextThatIsLongerThanTheInputIsEmpty) {
  const std::vector<uint8_t> bytes = {0xff, 0xff, 0xff, 0xff, 'a'};
  ByteReader in(bytes);
  EXPECT_EQ(in.SizedText(), "");
  EXPECT_TRUE(in.failed());
}

TEST(Bytes, CanHoldDoesNotOverflow) {
  const std::vector<uint8_t> bytes(100);
  const ByteReader in(bytes);
  EXPECT_TRUE(in.CanHold(6, 16));
  EXPECT_FALSE(in.CanHold(7, 16));
  EXPECT_FALSE(in.CanHold(UINT64_MAX, 16));
}

TEST(Bytes, PaddingMustBeZero) {
  const std::vector<uint8_t> bytes = {1, 0, 2, 0};
  ByteReader in(bytes);
  in.U8();
  EXPECT_FALSE(in.SkipPadding(4));
}

}  // namespace
}  // namespace hologram
