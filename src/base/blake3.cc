// The input is cut into chunks of 1,024 bytes, a chunk into blocks of 64. Blocks of a chunk are
// compressed one after the other; chunks are the leaves of a binary tree whose left subtrees are
// complete. The stack holds the roots of the complete subtrees so far, largest first: one for every
// set bit of the number of chunks. Long inputs are compressed four chunks at a time, one per lane
// of a vector of the compiler.
#include "base/blake3.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"

namespace hologram {
namespace {

using Words = std::array<uint32_t, 16>;
using ChainingValue = std::array<uint32_t, 8>;

constexpr ChainingValue kInitial = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                    0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
constexpr uint8_t kPermutation[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
constexpr int kRounds = 7;
constexpr size_t kBlocksPerChunk = 16;
constexpr size_t kChunkBytes = 1024;

constexpr uint32_t kChunkStart = 1;
constexpr uint32_t kChunkEnd = 2;
constexpr uint32_t kParent = 4;
constexpr uint32_t kRoot = 8;

constexpr std::array<std::array<uint8_t, 16>, kRounds> MakeSchedule() {
  std::array<std::array<uint8_t, 16>, kRounds> schedule{};
  for (uint8_t i = 0; i < 16; ++i) schedule[0][i] = i;
  for (size_t round = 1; round < kRounds; ++round) {
    for (size_t i = 0; i < 16; ++i) schedule[round][i] = schedule[round - 1][kPermutation[i]];
  }
  return schedule;
}
constexpr auto kSchedule = MakeSchedule();

// Four chunks side by side.
constexpr size_t kLanes = 4;
typedef uint32_t Lanes __attribute__((vector_size(4 * kLanes)));

template <class Word>
inline Word RotateRight(Word x, int count) {
  return (x >> count) | (x << (32 - count));
}

template <class Word>
inline void Mix(std::array<Word, 16>& v, size_t a, size_t b, size_t c, size_t d, Word x, Word y) {
  v[a] = v[a] + v[b] + x;
  v[d] = RotateRight(v[d] ^ v[a], 16);
  v[c] = v[c] + v[d];
  v[b] = RotateRight(v[b] ^ v[c], 12);
  v[a] = v[a] + v[b] + y;
  v[d] = RotateRight(v[d] ^ v[a], 8);
  v[c] = v[c] + v[d];
  v[b] = RotateRight(v[b] ^ v[c], 7);
}

template <class Word>
inline void MixRounds(std::array<Word, 16>& v, const std::array<Word, 16>& block) {
#pragma GCC unroll 7
  for (const auto& s : kSchedule) {
    Mix(v, 0, 4, 8, 12, block[s[0]], block[s[1]]);
    Mix(v, 1, 5, 9, 13, block[s[2]], block[s[3]]);
    Mix(v, 2, 6, 10, 14, block[s[4]], block[s[5]]);
    Mix(v, 3, 7, 11, 15, block[s[6]], block[s[7]]);
    Mix(v, 0, 5, 10, 15, block[s[8]], block[s[9]]);
    Mix(v, 1, 6, 11, 12, block[s[10]], block[s[11]]);
    Mix(v, 2, 7, 8, 13, block[s[12]], block[s[13]]);
    Mix(v, 3, 4, 9, 14, block[s[14]], block[s[15]]);
  }
}

ChainingValue Compress(const ChainingValue& value, const Words& block, uint64_t counter,
                       uint32_t size, uint32_t flags) {
  Words v;
  std::copy(value.begin(), value.end(), v.begin());
  std::copy_n(kInitial.begin(), 4, v.begin() + 8);
  v[12] = static_cast<uint32_t>(counter);
  v[13] = static_cast<uint32_t>(counter >> 32);
  v[14] = size;
  v[15] = flags;
  MixRounds(v, block);
  ChainingValue result;
  for (size_t i = 0; i < 8; ++i) result[i] = v[i] ^ v[i + 8];
  return result;
}

uint32_t WordAt(const uint8_t* bytes) {
  return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8 |
         static_cast<uint32_t>(bytes[2]) << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

Words WordsOf(const std::array<uint8_t, 64>& bytes) {
  Words words;
  for (size_t i = 0; i < 16; ++i) words[i] = WordAt(bytes.data() + 4 * i);
  return words;
}

// The values of kLanes complete chunks; the first one has number `counter`.
std::array<ChainingValue, kLanes> CompressChunks(std::span<const uint8_t> bytes, uint64_t counter) {
  std::array<Lanes, 8> values;
  for (size_t i = 0; i < 8; ++i) values[i] = Lanes{} + kInitial[i];
  Lanes low{};
  Lanes high{};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    low[lane] = static_cast<uint32_t>(counter + lane);
    high[lane] = static_cast<uint32_t>((counter + lane) >> 32);
  }
  for (size_t number = 0; number < kBlocksPerChunk; ++number) {
    std::array<Lanes, 16> block;
    for (size_t i = 0; i < 16; ++i) {
      const uint8_t* word = bytes.data() + 64 * number + 4 * i;
      block[i] = Lanes{WordAt(word), WordAt(word + kChunkBytes), WordAt(word + 2 * kChunkBytes),
                       WordAt(word + 3 * kChunkBytes)};
    }
    const uint32_t flags =
        (number == 0 ? kChunkStart : 0) | (number == kBlocksPerChunk - 1 ? kChunkEnd : 0);
    std::array<Lanes, 16> v;
    std::copy(values.begin(), values.end(), v.begin());
    for (size_t i = 0; i < 4; ++i) v[8 + i] = Lanes{} + kInitial[i];
    v[12] = low;
    v[13] = high;
    v[14] = Lanes{} + 64u;
    v[15] = Lanes{} + flags;
    MixRounds(v, block);
    for (size_t i = 0; i < 8; ++i) values[i] = v[i] ^ v[i + 8];
  }
  std::array<ChainingValue, kLanes> result;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    for (size_t i = 0; i < 8; ++i) result[lane][i] = values[i][lane];
  }
  return result;
}

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

struct Blake3Hasher::Node {
  ChainingValue value;
  Words block;
  uint64_t counter;
  uint32_t size;
  uint32_t flags;

  ChainingValue Evaluate(uint32_t more_flags = 0) const {
    return Compress(value, block, counter, size, flags | more_flags);
  }
  static Node Parent(const ChainingValue& left, const ChainingValue& right) {
    Node node{kInitial, {}, 0, kBlockBytes, kParent};
    std::copy(left.begin(), left.end(), node.block.begin());
    std::copy(right.begin(), right.end(), node.block.begin() + 8);
    return node;
  }
};

Blake3Hasher::Blake3Hasher() : chunk_value_(kInitial) {}

uint32_t Blake3Hasher::StartFlag() const {
  return blocks_in_chunk_ == 0 ? kChunkStart : 0;
}

Blake3Hasher::Node Blake3Hasher::LastNodeOfChunk() const {
  std::array<uint8_t, kBlockBytes> padded{};
  std::copy_n(block_.begin(), block_size_, padded.begin());
  return {chunk_value_, WordsOf(padded), chunk_number_, static_cast<uint32_t>(block_size_),
          StartFlag() | kChunkEnd};
}

void Blake3Hasher::CompressBlock() {
  chunk_value_ = Compress(chunk_value_, WordsOf(block_), chunk_number_, kBlockBytes, StartFlag());
  ++blocks_in_chunk_;
  block_size_ = 0;
}

// Joins a chunk with every complete subtree of the size of what has been joined so far.
void Blake3Hasher::PushChunk(ChainingValue value) {
  ++chunk_number_;
  for (uint64_t chunks = chunk_number_; (chunks & 1) == 0; chunks >>= 1) {
    value = Node::Parent(stack_[--depth_], value).Evaluate();
  }
  stack_[depth_++] = value;
}

void Blake3Hasher::FinishChunk() {
  PushChunk(LastNodeOfChunk().Evaluate());
  chunk_value_ = kInitial;
  blocks_in_chunk_ = 0;
  block_size_ = 0;
}

// Takes as many whole chunks as possible, but never the last one.
std::span<const uint8_t> Blake3Hasher::TakeChunks(std::span<const uint8_t> bytes) {
  while (bytes.size() > kLanes * kChunkBytes) {
    for (const ChainingValue& value : CompressChunks(bytes, chunk_number_)) PushChunk(value);
    bytes = bytes.subspan(kLanes * kChunkBytes);
  }
  return bytes;
}

void Blake3Hasher::Update(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    // A full block is compressed only when more follows: the last one carries other flags.
    if (block_size_ == kBlockBytes) {
      if (blocks_in_chunk_ == kBlocksPerChunk - 1) {
        FinishChunk();
      } else {
        CompressBlock();
      }
    }
    if (blocks_in_chunk_ == 0 && block_size_ == 0) bytes = TakeChunks(bytes);
    const size_t count = std::min(kBlockBytes - block_size_, bytes.size());
    std::copy_n(bytes.begin(), count, block_.begin() + static_cast<std::ptrdiff_t>(block_size_));
    block_size_ += count;
    bytes = bytes.subspan(count);
  }
}

Hash Blake3Hasher::Finish() const {
  Node node = LastNodeOfChunk();
  for (size_t i = depth_; i-- > 0;) node = Node::Parent(stack_[i], node.Evaluate());
  const ChainingValue words = node.Evaluate(kRoot);
  Hash hash;
  for (size_t i = 0; i < hash.bytes.size(); ++i) {
    hash.bytes[i] = static_cast<uint8_t>(words[i / 4] >> (8 * (i % 4)));
  }
  return hash;
}

Hash Blake3(std::span<const uint8_t> bytes) {
  Blake3Hasher hasher;
  hasher.Update(bytes);
  return hasher.Finish();
}

std::string ToHex(const Hash& hash) {
  return ToHex(std::span<const uint8_t>(hash.bytes));
}

std::optional<Hash> ParseHash(std::string_view text) {
  Hash hash;
  if (text.size() != 2 * hash.bytes.size()) return std::nullopt;
  for (size_t i = 0; i < hash.bytes.size(); ++i) {
    const int high = DigitOf(text[2 * i]);
    const int low = DigitOf(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    hash.bytes[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return hash;
}

}  // namespace hologram
