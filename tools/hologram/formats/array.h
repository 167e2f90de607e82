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

// Where an array is: a file and, in a .npz, its name there.
struct ArrayPlace {
  std::string path;
  std::string key;  // empty: none was said
};

// "FILE" or "FILE.npz:KEY".
ArrayPlace ParsePlace(const std::string& text);

// Whether the suffix of `path` is one that arrays are read from and written to; the error says
// which there are.
Status CheckArrayFile(const std::string& path);
bool IsNpz(const std::string& path);

// Reads the array at `place`: .npy; .npz, by its key, else by `name`, else the only one there is;
// .csv, as numbers of type `wanted`; .png (8-bit gray or RGB, as u8, shape HxW or HxWx3). All but
// .csv have a type of their own, which is returned. Errors name the file.
Result<Array> ReadArray(const ArrayPlace& place, const std::string& name, isa::Type wanted);

// The bytes of a .npy, .csv or .png file, whichever the name of `path` asks for.
Result<std::vector<uint8_t>> EncodeArray(const Array& array, const std::string& path);

struct NamedArray {
  std::string key;
  const Array* array = nullptr;
};

// ---- The formats, on bytes. Everything in them is untrusted.

// The element type that .npy files have for arrays of `type`: bf16 goes as u16.
isa::Type FileType(isa::Type type);
Result<Array> DecodeNpy(std::span<const uint8_t> file);
// The part before the elements. Errors: another order of bytes or elements than ours.
struct NpyStart {
  isa::Type type = isa::Type::kF32;
  std::vector<uint64_t> shape;
  uint64_t offset = 0;  // of the first element
};
inline constexpr size_t kMaxNpyStart = 65536 + 12;
Result<NpyStart> DecodeNpyStart(std::span<const uint8_t> beginning);
std::vector<uint8_t> EncodeNpyStart(isa::Type type, const std::vector<uint64_t>& shape);
std::vector<uint8_t> EncodeNpy(const Array& array);

// `key`, else `name`, else the only array there is.
Result<Array> DecodeNpz(std::span<const uint8_t> file, const std::string& key,
                        const std::string& name);
// REQUIRES: no key twice. Large files have the 64-bit fields that NumPy reads.
Result<std::vector<uint8_t>> EncodeNpz(const std::vector<NamedArray>& arrays);

// Errors have the place in `path`.
Result<Array> DecodeCsv(std::span<const uint8_t> file, isa::Type type, const std::string& path);
std::vector<uint8_t> EncodeCsv(const Array& array);

Result<Array> DecodePng(std::span<const uint8_t> file);
Result<std::vector<uint8_t>> EncodePng(const Array& array);

}  // namespace hologram::tool
