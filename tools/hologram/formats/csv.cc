// Numbers as text, separated by commas: a line is a row. One number a line is a 1-D array, rows are
// a 2-D one; other shapes are said by a first line "# shape 2x3x4" and lie in rows of the last
// dimension. Lines that are empty or begin with '#' hold no numbers. The text has no element type:
// it is that of the parameter. Tested by tests/cli/csv_test.cc.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "formats/array.h"
#include "formats/scalar_text.h"

namespace hologram::tool {
namespace {

constexpr std::string_view kShapeComment = "# shape ";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view Trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool IsLetterOrQuote(std::string_view cell) {
  if (cell.empty()) return false;
  const char first = static_cast<char>(cell[0] | 0x20);
  return (first >= 'a' && first <= 'z') || cell[0] == '"';
}

// "2x3x4"; nothing for other text.
std::optional<std::vector<uint64_t>> ParseShape(std::string_view text) {
  std::vector<uint64_t> shape;
  for (;;) {
    uint64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || shape.size() == kMaxRank) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) return shape;
    if (text[0] != 'x') return std::nullopt;
    text.remove_prefix(1);
  }
}

class Reader {
 public:
  Reader(std::string_view text, isa::Type type, const std::string& path)
      : text_(text), type_(type), path_(path) {
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  Result<Array> Read() {
    const std::string_view all = text_;
    for (size_t begin = 0; begin < all.size();) {
      const size_t end = std::min(all.find('\n', begin), all.size());
      ++line_;
      HOLOGRAM_RETURN_IF_ERROR(ReadLine(all.substr(begin, end - begin)));
      begin = end + 1;
    }
    const uint64_t size = isa::SizeOf(type_);
    const uint64_t count = elements_.size() / size;
    std::vector<uint64_t> shape = {rows_, columns_};
    if (rows_ == 0) shape = {0};
    if (columns_ == 1) shape = {rows_};
    if (shape_) {
      // The products of hostile extents are compared without computing them.
      unsigned __int128 promised = 1;
      for (uint64_t extent : *shape_) {
        if (extent == 0 || promised <= count) promised *= extent;
      }
      if (promised != count) {
        return At(shape_line_, 1,
                  "the shape does not fit the " + std::to_string(count) + " numbers of the file");
      }
      shape = *shape_;
    }
    Result<Array> made = MakeArray(type_, std::move(shape));
    if (!made.ok()) {
      Diagnostic error = At(std::max<uint32_t>(shape_line_, 1), 1, made.errors()[0].message);
      error.code = made.errors()[0].code;
      return error;
    }
    Array array = std::move(made).value();
    if (!elements_.empty()) {
      std::memcpy(array.bytes.data(), elements_.data(), elements_.size());
    }
    return array;
  }

 private:
  Diagnostic At(uint32_t line, size_t column, std::string message) const {
    return {ErrorCode::kInvalidText, {path_, line, static_cast<uint32_t>(column)}, message};
  }

  Status ReadLine(std::string_view line) {
    if (line.starts_with(kShapeComment)) {
      if (shape_ || rows_ != 0) return At(line_, 1, "the shape is not at the top of the file");
      shape_ = ParseShape(Trimmed(line.substr(kShapeComment.size())));
      shape_line_ = line_;
      if (!shape_) return At(line_, 1, "expected a shape, as in '# shape 2x3x4'");
      return Success{};
    }
    if (Trimmed(line).empty() || line.starts_with('#')) return Success{};
    uint64_t columns = 0;
    for (size_t begin = 0; begin <= line.size(); ++columns) {
      const size_t end = std::min(line.find(',', begin), line.size());
      const std::string_view cell = Trimmed(line.substr(begin, end - begin));
      const Result<uint64_t> bits = ParseScalar(type_, std::string(cell));
      if (!bits.ok()) {
        const size_t start = cell.empty() ? begin : static_cast<size_t>(cell.data() - line.data());
        const bool may_be_heading = rows_ == 0 && columns == 0 && IsLetterOrQuote(cell);
        return At(
            line_, start + 1,
            bits.errors()[0].message + (may_be_heading ? "; begin a line of headings with #" : ""));
      }
      const auto* bytes = reinterpret_cast<const uint8_t*>(&bits.value());
      elements_.insert(elements_.end(), bytes, bytes + isa::SizeOf(type_));
      begin = end + 1;
    }
    if (rows_ != 0 && columns != columns_) {
      return At(line_, 1,
                "expected " + std::to_string(columns_) + " numbers, as in the first row, found " +
                    std::to_string(columns));
    }
    columns_ = columns;
    ++rows_;
    return Success{};
  }

  std::string_view text_;
  isa::Type type_;
  const std::string& path_;
  std::vector<uint8_t> elements_;
  std::optional<std::vector<uint64_t>> shape_;
  uint32_t shape_line_ = 0;
  uint32_t line_ = 0;
  uint64_t rows_ = 0;
  uint64_t columns_ = 0;
};

// What Reader makes of the rows alone is this shape.
bool RowsSayShape(const std::vector<uint64_t>& shape) {
  if (shape.size() == 1) return true;
  return shape.size() == 2 && shape[0] != 0 && shape[1] > 1;
}

}  // namespace

Result<Array> DecodeCsv(std::span<const uint8_t> file, isa::Type type, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  return Reader(text, type, path).Read();
}

std::vector<uint8_t> EncodeCsv(const Array& array) {
  const size_t size = isa::SizeOf(array.type);
  const uint64_t count = array.bytes.size() / size;
  const uint64_t columns = array.shape.size() < 2 ? 1 : array.shape.back();
  std::string text;
  if (!RowsSayShape(array.shape) && !array.shape.empty()) {
    text += kShapeComment;
    for (size_t d = 0; d < array.shape.size(); ++d) {
      text += (d == 0 ? "" : "x") + std::to_string(array.shape[d]);
    }
    text += '\n';
  }
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, array.bytes.data() + i * size, size);
    AppendScalar(text, array.type, bits);
    text += (i + 1) % columns == 0 ? '\n' : ',';
  }
  return {text.begin(), text.end()};
}

}  // namespace hologram::tool
