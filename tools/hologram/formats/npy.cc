// The .npy format, versions 1 to 3: magic, version, header length, a Python dict literal with
// 'descr', 'fortran_order' and 'shape', then the elements. Any byte order and both orders of the
// elements are read; what is written is little-endian and in C order. The format has no bf16: its
// bits are written as u16, and V2, as NumPy saves the bfloat16 of ml_dtypes, is read as bf16.
// Tested by tests/cli/npy_test.cc.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/quote.h"
#include "formats/array.h"

namespace hologram::tool {
namespace {

using isa::Type;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 65536;

struct DescriptorOf {
  Type type;
  std::string_view descriptor;
};
constexpr DescriptorOf kDescriptors[] = {
    {Type::kI8, "|i1"},  {Type::kI16, "<i2"}, {Type::kI32, "<i4"}, {Type::kI64, "<i8"},
    {Type::kU8, "|u1"},  {Type::kU16, "<u2"}, {Type::kU32, "<u4"}, {Type::kU64, "<u8"},
    {Type::kF16, "<f2"}, {Type::kF32, "<f4"}, {Type::kF64, "<f8"},
};

Diagnostic BadHeader(std::string_view what) {
  return Error(ErrorCode::kInvalidArgument, "not a valid .npy file: " + std::string(what));
}

// Reads the dict of the header, front to back.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  struct Header {
    std::string descriptor;
    bool fortran_order = false;
    std::vector<uint64_t> shape;
  };

  Result<Header> Read() {
    if (!Take('{')) return BadHeader("expected '{' in the header");
    while (!Take('}')) {
      const std::optional<std::string> key = String();
      if (!key || !Take(':')) return BadHeader("expected a key in the header");
      if (const Status status = Value(*key); !status.ok()) return status.errors();
      if (!Take(',') && !Peek('}')) return BadHeader("expected ',' or '}' in the header");
    }
    SkipSpace();
    if (!text_.empty()) return BadHeader("text after the header");
    if (seen_ != 7) return BadHeader("the header needs descr, fortran_order and shape");
    return header_;
  }

 private:
  void SkipSpace() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool Peek(char c) {
    SkipSpace();
    return !text_.empty() && text_[0] == c;
  }
  bool Take(char c) {
    if (!Peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool Take(std::string_view word) {
    SkipSpace();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string> String() {
    SkipSpace();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return std::nullopt;
    const size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }

  Status Value(const std::string& key) {
    const int bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
    if (bit == 0 || (seen_ & bit) != 0) return BadHeader("unexpected key " + Shown(key));
    seen_ |= bit;
    if (bit == 4) return Shape();
    if (bit == 2) {
      header_.fortran_order = Take("True");
      if (header_.fortran_order || Take("False")) return Success{};
      return BadHeader("fortran_order is neither True nor False");
    }
    const std::optional<std::string> descriptor = String();
    if (!descriptor) {
      return Error(ErrorCode::kUnsupported, "arrays with fields are not supported");
    }
    header_.descriptor = *descriptor;
    return Success{};
  }

  Status Shape() {
    if (!Take('(')) return BadHeader("expected '(' in the shape");
    while (!Take(')')) {
      SkipSpace();
      uint64_t extent = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc()) return BadHeader("expected a number in the shape");
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      header_.shape.push_back(extent);
      if (header_.shape.size() > kMaxRank) {
        return Error(ErrorCode::kUnsupported, "more than 4 dimensions");
      }
      if (!Take(',') && !Peek(')')) return BadHeader("expected ',' or ')' in the shape");
    }
    return Success{};
  }

  std::string_view text_;
  Header header_;
  int seen_ = 0;
};

struct ElementType {
  Type type = Type::kF32;
  bool big_endian = false;
};

Result<ElementType> TypeOfDescriptor(const std::string& descriptor) {
  // One-byte types have no order, but writers other than numpy may say one.
  const std::string_view kind = std::string_view(descriptor).substr(descriptor.empty() ? 0 : 1);
  const char order = descriptor.empty() ? '\0' : descriptor[0];
  if (order == '<' || order == '>' || order == '|') {
    if (kind == "b1") return ElementType{Type::kU8, false};  // bool: 0 or 1 in a byte
    if (kind == "V2") return ElementType{Type::kBF16, false};
    for (const DescriptorOf& known : kDescriptors) {
      if (kind != known.descriptor.substr(1)) continue;
      if (order == '|' && isa::SizeOf(known.type) != 1) break;
      return ElementType{known.type, order == '>' && isa::SizeOf(known.type) != 1};
    }
  }
  return Error(ErrorCode::kUnsupported,
               "elements of type " + Shown(descriptor) +
                   " are not supported; save bool, int8..int64, uint8..uint64, float16, float32 or "
                   "float64, as in x.astype('float32')");
}

void SwapBytes(const Array& array) {
  const size_t size = isa::SizeOf(array.type);
  for (uint64_t at = 0; at < array.bytes.size(); at += size) {
    std::reverse(array.bytes.data() + at, array.bytes.data() + at + size);
  }
}

// Copies elements in Fortran order (the first index runs fastest) to C order.
void CopyFromFortran(const uint8_t* from, const Array& array) {
  const size_t size = isa::SizeOf(array.type);
  std::vector<uint64_t> strides(array.shape.size(), size);
  for (size_t d = 1; d < strides.size(); ++d) strides[d] = strides[d - 1] * array.shape[d - 1];
  std::vector<uint64_t> index(array.shape.size(), 0);
  uint64_t source = 0;
  for (uint64_t at = 0; at < array.bytes.size(); at += size) {
    std::memcpy(array.bytes.data() + at, from + source, size);
    for (size_t d = index.size(); d-- > 0;) {
      source += strides[d];
      if (++index[d] < array.shape[d]) break;
      source -= strides[d] * index[d];
      index[d] = 0;
    }
  }
}

}  // namespace

namespace {

struct DecodedStart {
  HeaderReader::Header header;
  ElementType element;
  size_t offset = 0;
};

Result<DecodedStart> DecodeStart(std::span<const uint8_t> file) {
  if (file.size() < 10 || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0) {
    return BadHeader("the magic is missing");
  }
  const uint8_t version = file[6];
  if (version < 1 || version > 3) return BadHeader("version " + std::to_string(version));
  const size_t start = version == 1 ? 10 : 12;
  if (file.size() < start) return BadHeader("it ends in the header");
  size_t length = size_t{file[8]} | size_t{file[9]} << 8;
  if (version > 1) length |= size_t{file[10]} << 16 | size_t{file[11]} << 24;
  if (length > kMaxHeader || length > file.size() - start) {
    return BadHeader("it ends in the header");
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + start, length);
  DecodedStart decoded;
  HOLOGRAM_ASSIGN_OR_RETURN(decoded.header, HeaderReader(text).Read());
  HOLOGRAM_ASSIGN_OR_RETURN(decoded.element, TypeOfDescriptor(decoded.header.descriptor));
  decoded.offset = start + length;
  return decoded;
}

}  // namespace

Result<NpyStart> DecodeNpyStart(std::span<const uint8_t> beginning) {
  HOLOGRAM_ASSIGN_OR_RETURN(const DecodedStart decoded, DecodeStart(beginning));
  const bool fortran = decoded.header.fortran_order && decoded.header.shape.size() > 1;
  if (fortran || decoded.element.big_endian) {
    return Error(ErrorCode::kUnsupported,
                 std::string("elements in ") + (fortran ? "Fortran order" : "big-endian order") +
                     " are not streamed; save them in C order and little-endian");
  }
  return NpyStart{decoded.element.type, decoded.header.shape, decoded.offset};
}

Result<Array> DecodeNpy(std::span<const uint8_t> file) {
  HOLOGRAM_ASSIGN_OR_RETURN(const DecodedStart decoded, DecodeStart(file));
  const HeaderReader::Header& header = decoded.header;
  const ElementType element = decoded.element;
  // The size is compared before anything is allocated: a header may promise what it likes.
  const uint64_t available = file.size() - decoded.offset;
  unsigned __int128 bytes = isa::SizeOf(element.type);
  bool empty = false;
  for (uint64_t extent : header.shape) {
    empty |= extent == 0;
    if (extent != 0 && bytes <= available) bytes *= extent;
  }
  if (empty) bytes = 0;
  if (bytes != available) {
    return BadHeader("its header and its size, " + std::to_string(available) +
                     " bytes of elements, do not agree");
  }
  HOLOGRAM_ASSIGN_OR_RETURN(Array array, MakeArray(element.type, header.shape));
  if (available == 0) return array;
  const uint8_t* elements = file.data() + decoded.offset;
  if (header.fortran_order && header.shape.size() > 1) {
    CopyFromFortran(elements, array);
  } else {
    std::memcpy(array.bytes.data(), elements, available);
  }
  if (element.big_endian) SwapBytes(array);
  return array;
}

isa::Type FileType(isa::Type type) {
  return type == Type::kBF16 ? Type::kU16 : type;
}

std::vector<uint8_t> EncodeNpyStart(Type type, const std::vector<uint64_t>& shape) {
  std::string_view descriptor;
  for (const DescriptorOf& known : kDescriptors) {
    if (known.type == FileType(type)) descriptor = known.descriptor;
  }
  std::string header =
      "{'descr': '" + std::string(descriptor) + "', 'fortran_order': False, 'shape': (";
  for (size_t d = 0; d < shape.size(); ++d) {
    header += (d == 0 ? "" : ", ") + std::to_string(shape[d]);
  }
  header += shape.size() == 1 ? ",), }" : "), }";
  // The elements start at a multiple of 64 bytes, as numpy writes it.
  const size_t unpadded = 10 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string start(kMagic);
  start += {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  start += header;
  return {start.begin(), start.end()};
}

std::vector<uint8_t> EncodeNpy(const Array& array) {
  std::vector<uint8_t> file = EncodeNpyStart(array.type, array.shape);
  const auto* elements = reinterpret_cast<const uint8_t*>(array.bytes.data());
  file.insert(file.end(), elements, elements + array.bytes.size());
  return file;
}

}  // namespace hologram::tool
