// Little-endian bytes: ByteWriter appends to a vector, ByteReader takes from a span it does not
// own. A reader that runs out of bytes returns zeros from then on and remembers the place, so
// decoders read a group of fields and ask once. Tested by tests/base.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hologram {

// Two lower-case hexadecimal digits per byte.
inline std::string ToHex(std::span<const uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

class ByteWriter {
 public:
  void U8(uint8_t value) { bytes_.push_back(value); }
  void U16(uint16_t value) { Append(value, 2); }
  void U32(uint32_t value) { Append(value, 4); }
  void U64(uint64_t value) { Append(value, 8); }
  void Bytes(std::span<const uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void Text(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  // A length in 32 bits, then the bytes.
  void SizedText(std::string_view text) {
    U32(static_cast<uint32_t>(text.size()));
    Text(text);
  }
  // Zeros up to the next multiple of `alignment`.
  void PadTo(size_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  }

  size_t size() const { return bytes_.size(); }
  std::vector<uint8_t> Take() && { return std::move(bytes_); }

 private:
  void Append(uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }

  std::vector<uint8_t> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint8_t U8() { return static_cast<uint8_t>(Get(1)); }
  uint16_t U16() { return static_cast<uint16_t>(Get(2)); }
  uint32_t U32() { return static_cast<uint32_t>(Get(4)); }
  uint64_t U64() { return Get(8); }

  // Empty when fewer than `count` bytes are left.
  std::span<const uint8_t> Bytes(size_t count) {
    if (!Has(count)) return {};
    position_ += count;
    return bytes_.subspan(position_ - count, count);
  }
  // Reads text of ByteWriter::SizedText. Allocates only what the input really holds.
  std::string SizedText() {
    const std::span<const uint8_t> text = Bytes(U32());
    return std::string(text.begin(), text.end());
  }
  // Skips to the next multiple of `alignment`; false if a byte on the way is not zero.
  bool SkipPadding(size_t alignment) {
    while (position_ % alignment != 0 && !failed_) {
      if (U8() != 0) return false;
    }
    return true;
  }

  bool failed() const { return failed_; }
  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }
  // True if `count` records of at least `size` bytes can follow: asked before memory is reserved.
  bool CanHold(uint64_t count, size_t size) const { return count <= remaining() / size; }

 private:
  bool Has(size_t count) {
    if (failed_ || count > remaining()) failed_ = true;
    return !failed_;
  }

  uint64_t Get(size_t count) {
    if (!Has(count)) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) {
      value |= static_cast<uint64_t>(bytes_[position_ + i]) << (8 * i);
    }
    position_ += count;
    return value;
  }

  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace hologram
