#include "base/blake3.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

namespace hologram {
namespace {

// The input of the official vectors.
std::vector<uint8_t> Pattern(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i % 251);
  return bytes;
}

struct Vector {
  size_t size = 0;
  std::string hash;
};

std::vector<Vector> ReadVectors() {
  std::ifstream file(std::string(HOLOGRAM_TEST_DIR) + "/blake3_vectors.txt");
  std::vector<Vector> vectors;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    Vector vector;
    std::istringstream(line) >> vector.size >> vector.hash;
    vectors.push_back(vector);
  }
  return vectors;
}

TEST(Blake3, GivesTheOfficialHashes) {
  const std::vector<Vector> vectors = ReadVectors();
  ASSERT_EQ(vectors.size(), 35u);
  for (const Vector& vector : vectors) {
    EXPECT_EQ(ToHex(Blake3(Pattern(vector.size))), vector.hash) << vector.size;
  }
}

TEST(Blake3, PiecesOfAnySizeGiveTheSameHash) {
  const std::vector<uint8_t> bytes = Pattern(20'000);
  const Hash expected = Blake3(bytes);
  for (size_t piece : {1u, 7u, 63u, 64u, 65u, 1000u, 1024u, 1025u, 4096u}) {
    Blake3Hasher hasher;
    for (size_t i = 0; i < bytes.size(); i += piece) {
      const size_t count = std::min(piece, bytes.size() - i);
      hasher.Update(std::span(bytes).subspan(i, count));
      hasher.Update({});
    }
    EXPECT_EQ(hasher.Finish(), expected) << piece;
  }
}

TEST(Blake3, FinishDoesNotDisturb) {
  const std::vector<uint8_t> bytes = Pattern(5000);
  Blake3Hasher hasher;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i % 500 == 0) {
      EXPECT_EQ(hasher.Finish(), Blake3(std::span(bytes).first(i)));
    }
    hasher.Update(std::span(bytes).subspan(i, 1));
  }
  EXPECT_EQ(hasher.Finish(), Blake3(bytes));
}

TEST(Hash, TextRoundTrip) {
  const Hash hash = Blake3({});
  EXPECT_EQ(ParseHash(ToHex(hash)), hash);
  std::string upper = ToHex(hash);
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(ParseHash(upper), hash);
  EXPECT_EQ(ParseHash(""), std::nullopt);
  EXPECT_EQ(ParseHash(ToHex(hash) + "0"), std::nullopt);
  EXPECT_EQ(ParseHash(std::string(64, 'g')), std::nullopt);
}

}  // namespace
}  // namespace hologram
