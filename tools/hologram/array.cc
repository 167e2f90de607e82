#include "array.h"

#include <cstring>

#include "files.h"

namespace hologram::tool {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kMaxBytes = uint64_t{1} << 46;

bool IsPng(const std::string& path) {
  return path.ends_with(".png");
}

Diagnostic OtherSuffix(const std::string& path) {
  return Error(ErrorCode::kInvalidArgument, path + ": expected a .npy or .png file");
}

}  // namespace

Bytes::Bytes(uint64_t size) : size_(size) {
  if (size > kMaxBytes) return;
  const uint64_t rounded = (size / kAlignment + 1) * kAlignment;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
  if (memory_ != nullptr) std::memset(memory_.get(), 0, rounded);
}

Result<Array> MakeArray(isa::Type type, std::vector<uint64_t> shape) {
  uint64_t bytes = isa::SizeOf(type);
  for (uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > kMaxBytes) {
      return Error(ErrorCode::kResourceLimit, "an array of more than 2^46 bytes");
    }
  }
  Array array;
  array.type = type;
  array.shape = std::move(shape);
  array.bytes = Bytes(bytes);
  if (array.bytes.data() == nullptr) {
    return Error(ErrorCode::kResourceLimit, "no memory for " + std::to_string(bytes) + " bytes");
  }
  return array;
}

Result<Array> ReadArray(const std::string& path) {
  if (!IsPng(path) && !path.ends_with(".npy")) return OtherSuffix(path);
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(path));
  Result<Array> array = IsPng(path) ? DecodePng(file) : DecodeNpy(file);
  if (array.ok()) return array;
  Diagnostic error = array.errors()[0];
  error.message = path + ": " + error.message;
  return error;
}

Result<std::vector<uint8_t>> EncodeArray(const Array& array, const std::string& path) {
  if (IsPng(path)) {
    Result<std::vector<uint8_t>> file = EncodePng(array);
    if (file.ok()) return file;
    Diagnostic error = file.errors()[0];
    error.message = path + ": " + error.message;
    return error;
  }
  if (!path.ends_with(".npy")) return OtherSuffix(path);
  return EncodeNpy(array);
}

}  // namespace hologram::tool
