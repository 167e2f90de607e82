#include <gtest/gtest.h>

#include <cstring>

#include "formats/array.h"

namespace hologram::tool {
namespace {

std::vector<uint8_t> File(const std::string& dict, size_t data_bytes) {
  std::string header = dict + "\n";
  std::vector<uint8_t> file = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  file.push_back(static_cast<uint8_t>(header.size() & 0xff));
  file.push_back(static_cast<uint8_t>(header.size() >> 8));
  file.insert(file.end(), header.begin(), header.end());
  file.resize(file.size() + data_bytes, 1);
  return file;
}

std::string ErrorOf(const std::string& dict, size_t data_bytes) {
  const Result<Array> array = DecodeNpy(File(dict, data_bytes));
  return array.ok() ? "ok" : array.errors()[0].message;
}

TEST(Npy, RoundTripsEveryType) {
  for (int i = 0; i < isa::kNumTypes; ++i) {
    const auto type = static_cast<isa::Type>(i);
    if (type == isa::Type::kBF16) continue;  // .npy has no name for it
    for (const std::vector<uint64_t>& shape :
         {std::vector<uint64_t>{}, {0}, {5}, {2, 3}, {2, 1, 3}, {1, 2, 3, 4}}) {
      Array array = MakeArray(type, shape).value();
      for (uint64_t b = 0; b < array.bytes.size(); ++b) {
        array.bytes.data()[b] = static_cast<std::byte>(b * 7);
      }
      const std::vector<uint8_t> file = EncodeNpy(array);
      EXPECT_EQ((file.size() - array.bytes.size()) % 64, 0u);
      const Array again = DecodeNpy(file).value();
      EXPECT_EQ(again.type, type);
      EXPECT_EQ(again.shape, shape);
      ASSERT_EQ(again.bytes.size(), array.bytes.size());
      EXPECT_EQ(std::memcmp(again.bytes.data(), array.bytes.data(), array.bytes.size()), 0);
    }
  }
}

TEST(Npy, ReadsWhatNumpyWrites) {
  EXPECT_EQ(ErrorOf("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }   ", 12), "ok");
  EXPECT_EQ(ErrorOf("{'descr': '|V2', 'fortran_order': False, 'shape': (3,), }", 6), "ok");
  EXPECT_EQ(ErrorOf("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", 3), "ok");
  EXPECT_EQ(ErrorOf("{'descr': '<f8', 'fortran_order': True, 'shape': (), }", 8), "ok");
  EXPECT_EQ(ErrorOf("{'descr': '<i8', 'fortran_order': True, 'shape': (2,), }", 16), "ok");
}

TEST(Npy, SaysWhatItCannotRead) {
  const std::string save =
      " are not supported; save bool, int8..int64, uint8..uint64, float16, float32 or float64, as "
      "in x.astype('float32')";
  EXPECT_EQ(ErrorOf("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", 8),
            "elements of type '<c8'" + save);
  EXPECT_EQ(ErrorOf("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 8),
            "elements of type '|O'" + save);
  EXPECT_EQ(ErrorOf("{'descr': '', 'fortran_order': False, 'shape': (1,), }", 8),
            "elements of type ''" + save);
  EXPECT_EQ(ErrorOf("{'descr': '|f4', 'fortran_order': False, 'shape': (1,), }", 4),
            "elements of type '|f4'" + save);
  EXPECT_EQ(ErrorOf("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4),
            "arrays with fields are not supported");
  EXPECT_EQ(ErrorOf("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1), }", 4),
            "more than 4 dimensions");
  EXPECT_EQ(ErrorOf("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 12),
            "not a valid .npy file: its header and its size, 12 bytes of elements, do not agree");
}

// Elements 0, 1, 2, ... of one byte each, in the order of the file.
std::vector<int> ElementsOf(const std::string& descriptor, const std::string& order,
                            const std::string& shape, size_t bytes) {
  std::vector<uint8_t> file = File(
      "{'descr': '" + descriptor + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }",
      bytes);
  for (size_t i = 0; i < bytes; ++i) file[file.size() - bytes + i] = static_cast<uint8_t>(i);
  const Array array = DecodeNpy(file).value();
  std::vector<int> elements;
  for (size_t i = 0; i < bytes; ++i) elements.push_back(static_cast<int>(array.bytes.data()[i]));
  return elements;
}

TEST(Npy, PutsElementsInOrder) {
  EXPECT_EQ(ElementsOf("|u1", "False", "2, 3", 6), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(ElementsOf("|u1", "True", "2, 3", 6), (std::vector<int>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(ElementsOf("|u1", "True", "2, 1, 2, 2", 8), (std::vector<int>{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(ElementsOf(">u2", "False", "3,", 6), (std::vector<int>{1, 0, 3, 2, 5, 4}));
  EXPECT_EQ(ElementsOf(">i4", "True", "2, 1", 8), (std::vector<int>{3, 2, 1, 0, 7, 6, 5, 4}));
  EXPECT_EQ(ElementsOf(">b1", "True", "0, 5", 0), std::vector<int>{});
}

TEST(Npy, TakesNoPromiseOfAHeader) {
  const std::string huge = "18446744073709551615";
  for (const std::string& shape : std::vector<std::string>{
           huge + ",", huge + ", " + huge, "4294967296, 4294967296", huge + "0,", "-1,", "1e3,"}) {
    EXPECT_NE(ErrorOf("{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + "), }", 64),
              "ok")
        << shape;
  }
}

TEST(Npy, SurvivesEveryTruncationAndChange) {
  const std::vector<uint8_t> file =
      File("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(DecodeNpy({file.data(), size}).ok()) << size;
  }
  for (size_t i = 0; i < file.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::vector<uint8_t> changed = file;
      changed[i] = static_cast<uint8_t>(value);
      const Result<Array> array = DecodeNpy(changed);
      if (array.ok()) {
        EXPECT_LE(array.value().bytes.size(), file.size());
      }
    }
  }
}

}  // namespace
}  // namespace hologram::tool
