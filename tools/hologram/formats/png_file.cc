// 8-bit .png files through libpng, byte for byte: no gamma or colour conversion. libpng reports
// errors by longjmp, so the functions that it may jump out of own nothing themselves.
// Tested by tests/cli/png_test.cc.
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "formats/array.h"

namespace hologram::tool {
namespace {

constexpr uint32_t kMaxSide = 65536;

struct Failure {
  std::jmp_buf jump;
  char message[128] = "";
};

[[noreturn]] void OnError(png_structp png, png_const_charp message) {
  auto* failure = static_cast<Failure*>(png_get_error_ptr(png));
  std::strncpy(failure->message, message, sizeof failure->message - 1);
  std::longjmp(failure->jump, 1);
}

void OnWarning(png_structp, png_const_charp) {}

struct Source {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

void ReadBytes(png_structp png, png_bytep to, size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (count > source->size) png_error(png, "the file ends too early");
  std::memcpy(to, source->data, count);
  source->data += count;
  source->size -= count;
}

void WriteBytes(png_structp png, png_bytep from, size_t count) {
  auto* out = static_cast<std::vector<uint8_t>*>(png_get_io_ptr(png));
  out->insert(out->end(), from, from + count);
}

void FlushNothing(png_structp) {}

Diagnostic PngError(const std::string& what) {
  return Error(ErrorCode::kInvalidArgument, "not a usable .png file: " + what);
}

struct ImageInfo {
  uint32_t width = 0;
  uint32_t height = 0;
  int depth = 0;
  int color = 0;
};

// Whether the chunks end where the file does or before: libpng zeroes as much memory as a chunk
// says that it is long, and then finds that the file has less.
bool ChunksFit(std::span<const uint8_t> file) {
  constexpr size_t kSignature = 8;
  constexpr size_t kAround = 12;  // length, type and CRC
  if (file.size() < kSignature) return false;
  file = file.subspan(kSignature);
  while (file.size() >= kAround) {
    const uint64_t length = uint64_t{file[0]} << 24 | uint64_t{file[1]} << 16 |
                            uint64_t{file[2]} << 8 | uint64_t{file[3]};
    if (length > file.size() - kAround) return false;
    if (std::memcmp(file.data() + 4, "IEND", 4) == 0) return true;
    file = file.subspan(kAround + length);
  }
  return false;
}

// Each step is one call that may jump; what they need is allocated outside.
bool ReadInfo(png_structp png, png_infop info, Failure& failure, ImageInfo& image) {
  if (setjmp(failure.jump) != 0) return false;
  png_set_user_limits(png, kMaxSide, kMaxSide);
  png_read_info(png, info);
  png_get_IHDR(png, info, &image.width, &image.height, &image.depth, &image.color, nullptr, nullptr,
               nullptr);
  // Harmless for everything but interlaced files, where rows come in several passes.
  png_set_interlace_handling(png);
  return true;
}

bool ReadRows(png_structp png, Failure& failure, png_bytepp rows) {
  if (setjmp(failure.jump) != 0) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

bool WriteAll(png_structp png, png_infop info, Failure& failure, const ImageInfo& image,
              png_bytepp rows) {
  if (setjmp(failure.jump) != 0) return false;
  png_set_user_limits(png, kMaxSide, kMaxSide);
  png_set_IHDR(png, info, image.width, image.height, image.depth, image.color, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, nullptr);
  return true;
}

struct Reader {
  Failure failure;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure, OnError, OnWarning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

struct Writer {
  Failure failure;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, OnError, OnWarning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { png_destroy_write_struct(&png, &info); }
};

std::vector<png_bytep> RowsOf(std::byte* bytes, uint64_t height, uint64_t row_bytes) {
  std::vector<png_bytep> rows;
  for (uint64_t y = 0; y < height; ++y) {
    rows.push_back(reinterpret_cast<png_bytep>(bytes) + y * row_bytes);
  }
  return rows;
}

}  // namespace

Result<Array> DecodePng(std::span<const uint8_t> file) {
  if (png_sig_cmp(file.data(), 0, std::min<size_t>(file.size(), 8)) != 0) {
    return PngError("it begins as another");
  }
  if (!ChunksFit(file)) return PngError("the file ends too early");
  Reader reader;
  if (reader.info == nullptr) return Error(ErrorCode::kResourceLimit, "no memory for libpng");
  Source source{file.data(), file.size()};
  png_set_read_fn(reader.png, &source, ReadBytes);
  ImageInfo image;
  if (!ReadInfo(reader.png, reader.info, reader.failure, image)) {
    return PngError(reader.failure.message);
  }
  const bool gray = image.color == PNG_COLOR_TYPE_GRAY;
  if (image.depth != 8 || (!gray && image.color != PNG_COLOR_TYPE_RGB)) {
    return PngError("expected 8-bit gray or RGB without alpha or palette");
  }
  std::vector<uint64_t> shape = {image.height, image.width};
  if (!gray) shape.push_back(3);
  // No file of this size can hold more: deflate does not compress below one bit in a thousand.
  const uint64_t row_bytes = uint64_t{image.width} * (gray ? 1 : 3);
  if (row_bytes * image.height / 2048 > file.size()) return PngError("the file ends too early");
  HOLOGRAM_ASSIGN_OR_RETURN(Array array, MakeArray(isa::Type::kU8, std::move(shape)));
  std::vector<png_bytep> rows = RowsOf(array.bytes.data(), image.height, row_bytes);
  if (!ReadRows(reader.png, reader.failure, rows.data())) return PngError(reader.failure.message);
  return array;
}

Result<std::vector<uint8_t>> EncodePng(const Array& array) {
  const bool rgb = array.shape.size() == 3 && array.shape[2] == 3;
  const bool fits = array.type == isa::Type::kU8 && (array.shape.size() == 2 || rgb) &&
                    array.shape[0] >= 1 && array.shape[0] <= kMaxSide && array.shape[1] >= 1 &&
                    array.shape[1] <= kMaxSide;
  if (!fits) {
    return Error(ErrorCode::kInvalidArgument,
                 "a .png holds u8 elements of shape HxW or HxWx3; say it in --out, as in "
                 "NAME=FILE.png:u8:480x640");
  }
  Writer writer;
  if (writer.info == nullptr) return Error(ErrorCode::kResourceLimit, "no memory for libpng");
  std::vector<uint8_t> file;
  png_set_write_fn(writer.png, &file, WriteBytes, FlushNothing);
  ImageInfo image;
  image.height = static_cast<uint32_t>(array.shape[0]);
  image.width = static_cast<uint32_t>(array.shape[1]);
  image.depth = 8;
  image.color = rgb ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY;
  std::vector<png_bytep> rows =
      RowsOf(array.bytes.data(), image.height, uint64_t{image.width} * (rgb ? 3 : 1));
  if (!WriteAll(writer.png, writer.info, writer.failure, image, rows.data())) {
    return PngError(writer.failure.message);
  }
  return file;
}

}  // namespace hologram::tool
