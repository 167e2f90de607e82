#include "formats/array.h"

#include <algorithm>
#include <cstring>

#include "base/files.h"

namespace hologram::tool {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kMaxBytes = uint64_t{1} << 46;

enum class Format : uint8_t { kNone, kNpy, kNpz, kCsv, kPng };

struct Suffix {
  std::string_view text;
  Format format;
};
constexpr Suffix kSuffixes[] = {
    {".npy", Format::kNpy}, {".npz", Format::kNpz}, {".csv", Format::kCsv}, {".png", Format::kPng}};

Format FormatOf(const std::string& path) {
  for (const Suffix& suffix : kSuffixes) {
    if (path.ends_with(suffix.text)) return suffix.format;
  }
  return Format::kNone;
}

Result<Array> Decode(std::span<const uint8_t> file, const ArrayPlace& place,
                     const std::string& name, isa::Type wanted) {
  switch (FormatOf(place.path)) {
    case Format::kNone:
      break;
    case Format::kNpy:
      return DecodeNpy(file);
    case Format::kNpz:
      return DecodeNpz(file, place.key, name);
    case Format::kCsv:
      return DecodeCsv(file, wanted, place.path);
    case Format::kPng:
      return DecodePng(file);
  }
  return CheckArrayFile(place.path).errors();
}

// Puts the name of the file in front of messages that have no place in it.
Diagnostics InFile(Diagnostics errors, const std::string& path) {
  for (Diagnostic& error : errors) {
    if (error.where.file.empty()) error.message = path + ": " + error.message;
  }
  return errors;
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
  bool empty = false;
  for (uint64_t extent : shape) {
    // An extent of 0 does not excuse the others, on whichever side of it they are: products of
    // some of the extents are computed elsewhere.
    empty |= extent == 0;
    if (__builtin_mul_overflow(bytes, std::max<uint64_t>(extent, 1), &bytes) || bytes > kMaxBytes) {
      return Error(ErrorCode::kResourceLimit, "an array of more than 2^46 bytes");
    }
  }
  if (empty) bytes = 0;
  Array array;
  array.type = type;
  array.shape = std::move(shape);
  array.bytes = Bytes(bytes);
  if (array.bytes.data() == nullptr) {
    return Error(ErrorCode::kResourceLimit, "no memory for " + std::to_string(bytes) + " bytes");
  }
  return array;
}

ArrayPlace ParsePlace(const std::string& text) {
  constexpr std::string_view kNpzColon = ".npz:";
  const size_t colon = text.find(kNpzColon);
  if (colon == std::string::npos) return {text, ""};
  return {text.substr(0, colon + kNpzColon.size() - 1), text.substr(colon + kNpzColon.size())};
}

bool IsNpz(const std::string& path) {
  return FormatOf(path) == Format::kNpz;
}

Status CheckArrayFile(const std::string& path) {
  if (FormatOf(path) != Format::kNone) return Success{};
  return Error(ErrorCode::kInvalidArgument, path + ": expected a .npy, .npz, .csv or .png file");
}

Result<Array> ReadArray(const ArrayPlace& place, const std::string& name, isa::Type wanted) {
  HOLOGRAM_RETURN_IF_ERROR(CheckArrayFile(place.path));
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(place.path));
  Result<Array> array = Decode(file, place, name, wanted);
  if (array.ok()) return array;
  return InFile(array.errors(), place.path);
}

Result<std::vector<uint8_t>> EncodeArray(const Array& array, const std::string& path) {
  switch (FormatOf(path)) {
    case Format::kNpy:
      return EncodeNpy(array);
    case Format::kCsv:
      return EncodeCsv(array);
    case Format::kPng: {
      Result<std::vector<uint8_t>> file = EncodePng(array);
      if (file.ok()) return file;
      return InFile(file.errors(), path);
    }
    case Format::kNpz:
    case Format::kNone:
      break;
  }
  return CheckArrayFile(path).errors();
}

}  // namespace hologram::tool
