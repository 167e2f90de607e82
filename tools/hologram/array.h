// An array as it comes from and goes to files: element type, shape, bytes in C order.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/type.h"

namespace hologram::tool {

inline constexpr size_t kMaxRank = 4;

// Zeroed memory on a cache line.
class Bytes {
 public:
  Bytes() = default;
  // data() is null if there is no memory; sizes of 0 have memory.
  explicit Bytes(uint64_t size);
  std::byte* data() const { return memory_.get(); }
  uint64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  uint64_t size_ = 0;
};

struct Array {
  isa::Type type = isa::Type::kF32;
  std::vector<uint64_t> shape;
  Bytes bytes;
};

// An array of zeros. Errors: more elements than memory (kResourceLimit).
Result<Array> MakeArray(isa::Type type, std::vector<uint64_t> shape);

// Reads FILE.npy or FILE.png (8-bit gray or RGB, as u8, shape H x W or H x W x 3).
// Errors name the file.
Result<Array> ReadArray(const std::string& path);

// The bytes of a file of the kind that the name of `path` asks for.
Result<std::vector<uint8_t>> EncodeArray(const Array& array, const std::string& path);

// The element type that files have for arrays of `type`: bf16 goes as u16.
isa::Type FileType(isa::Type type);

// The two formats, on bytes. Everything in them is untrusted.
Result<Array> DecodeNpy(std::span<const uint8_t> file);
std::vector<uint8_t> EncodeNpy(const Array& array);
Result<Array> DecodePng(std::span<const uint8_t> file);
Result<std::vector<uint8_t>> EncodePng(const Array& array);

}  // namespace hologram::tool
