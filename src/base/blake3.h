// BLAKE3, 256-bit hash mode (no keys, no key derivation, no extended output): the identity of
// programs and the trust in bundles are these hashes. Portable C++; after the published
// specification (github.com/BLAKE3-team/BLAKE3-specs). Tested by tests/base with the official input
// pattern.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hologram {

struct Hash {
  std::array<uint8_t, 32> bytes{};
  auto operator<=>(const Hash&) const = default;
};

// 64 lower-case hexadecimal digits.
std::string ToHex(const Hash& hash);
// The inverse; also takes upper case. Empty for anything that is not 64 hexadecimal digits.
std::optional<Hash> ParseHash(std::string_view text);

Hash Blake3(std::span<const uint8_t> bytes);

// The same for bytes that arrive in pieces of any size.
class Blake3Hasher {
 public:
  Blake3Hasher();
  void Update(std::span<const uint8_t> bytes);
  // The hash of everything so far; more may follow.
  Hash Finish() const;

 private:
  using ChainingValue = std::array<uint32_t, 8>;
  static constexpr size_t kBlockBytes = 64;
  // 2^64 bytes are 2^54 chunks, and the stack holds one subtree per set bit of their count.
  static constexpr size_t kMaxDepth = 54;

  struct Node;  // the arguments of one compression
  Node LastNodeOfChunk() const;
  uint32_t StartFlag() const;
  void CompressBlock();
  void PushChunk(ChainingValue value);
  void FinishChunk();
  std::span<const uint8_t> TakeChunks(std::span<const uint8_t> bytes);

  ChainingValue chunk_value_;
  uint64_t chunk_number_ = 0;
  size_t blocks_in_chunk_ = 0;  // compressed ones
  std::array<uint8_t, kBlockBytes> block_{};
  size_t block_size_ = 0;
  std::array<ChainingValue, kMaxDepth> stack_{};
  size_t depth_ = 0;
};

}  // namespace hologram
