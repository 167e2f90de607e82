#include <gtest/gtest.h>

#include <cstring>

#include "formats/array.h"

namespace hologram::tool {
namespace {

Array Numbers(isa::Type type, std::vector<uint64_t> shape, int factor) {
  Array array = MakeArray(type, std::move(shape)).value();
  for (uint64_t b = 0; b < array.bytes.size(); ++b) {
    array.bytes.data()[b] = static_cast<std::byte>(b * static_cast<uint64_t>(factor));
  }
  return array;
}

std::string ErrorOf(std::span<const uint8_t> file, const std::string& key,
                    const std::string& name = "") {
  const Result<Array> array = DecodeNpz(file, key, name);
  return array.ok() ? "ok" : array.errors()[0].message;
}

TEST(Npz, FindsArraysByKey) {
  const Array a = Numbers(isa::Type::kF32, {2, 3}, 7);
  const Array b = Numbers(isa::Type::kI8, {5}, 11);
  const std::vector<uint8_t> file = EncodeNpz({{"a", &a}, {"second", &b}}).value();
  const Array again = DecodeNpz(file, "second", "").value();
  EXPECT_EQ(again.type, isa::Type::kI8);
  EXPECT_EQ(again.shape, (std::vector<uint64_t>{5}));
  EXPECT_EQ(std::memcmp(again.bytes.data(), b.bytes.data(), 5), 0);
  EXPECT_EQ(DecodeNpz(file, "", "a").value().shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(ErrorOf(file, "c"), "no array 'c'; it has: a, second");
  EXPECT_EQ(ErrorOf(file, "", "c"), "which array? write FILE.npz:KEY; it has: a, second");
  EXPECT_EQ(ErrorOf(EncodeNpz({{"a", &a}}).value(), "", "other"), "ok");
  EXPECT_EQ(ErrorOf(EncodeNpz({}).value(), "a"), "there is no array in it");
}

TEST(Npz, SaysWhatIsWrong) {
  const Array zeros = MakeArray(isa::Type::kU8, {8}).value();
  const std::vector<uint8_t> file = EncodeNpz({{"z", &zeros}}).value();
  EXPECT_EQ(ErrorOf({file.data(), 10}, ""),
            "not a valid .npz file: it has no directory at its end");
  EXPECT_EQ(ErrorOf({file.data(), file.size() - 1}, ""),
            "not a valid .npz file: it has no directory at its end");
  const size_t entry = file.size() - 22 - 46 - 5;
  std::vector<uint8_t> changed = file;
  changed[entry - 1] ^= 1;  // the last element
  EXPECT_EQ(ErrorOf(changed, "z"),
            "z: not a valid .npz file: an entry is damaged: its CRC differs");
  changed = file;
  changed[entry + 8] |= 1;
  EXPECT_EQ(ErrorOf(changed, "z"), "z: it is encrypted");
  changed = file;
  changed[entry + 10] = 8;
  EXPECT_EQ(ErrorOf(changed, "z"),
            "z: not a valid .npz file: its directory and the entry do not agree");
  // Fields of the directory, and 2 bytes before them those of the entry at the start of the file.
  const auto set = [&](size_t field, uint8_t value, size_t count) {
    std::memset(&changed[entry + field], value, count);
    std::memset(&changed[field - 2], value, count);
  };
  changed = file;
  set(10, 12, 1);
  EXPECT_EQ(ErrorOf(changed, "z"),
            "z: it is compressed by method 12; save it by numpy.savez or savez_compressed");
  changed = file;
  set(10, 8, 1);
  EXPECT_EQ(ErrorOf(changed, "z"),
            "z: not a valid .npz file: an entry is damaged: its compressed bytes do not give what "
            "its directory says");
  set(24, 0x7f, 4);
  EXPECT_EQ(ErrorOf(changed, "z"),
            "z: not a valid .npz file: an entry promises more bytes than it can hold");
}

TEST(Npz, SurvivesEveryTruncationAndChange) {
  const Array a = Numbers(isa::Type::kU16, {3, 2}, 7);
  const Array b = Numbers(isa::Type::kU8, {4}, 3);
  const std::vector<uint8_t> file = EncodeNpz({{"a", &a}, {"b", &b}}).value();
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(DecodeNpz({file.data(), size}, "a", "").ok()) << size;
  }
  for (size_t i = 0; i < file.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::vector<uint8_t> changed = file;
      changed[i] = static_cast<uint8_t>(value);
      const Result<Array> array = DecodeNpz(changed, "b", "");
      if (array.ok()) {
        EXPECT_EQ(std::memcmp(array.value().bytes.data(), b.bytes.data(), 4), 0);
      }
    }
  }
}

}  // namespace
}  // namespace hologram::tool
