#include "observe/decode.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "observe/span.h"

namespace hologram::observe {
namespace {

// Reads what SpanRecord has put together.
class Reader {
 public:
  Reader(const char* bytes, size_t size) : bytes_(bytes), size_(size) {}
  bool AtEnd() const { return at_ >= size_; }
  uint8_t Byte() { return static_cast<uint8_t>(bytes_[at_++]); }
  std::string_view Text() {
    const size_t size = Byte();
    const std::string_view text(bytes_ + at_, size);
    at_ += size;
    return text;
  }
  template <class T>
  void Value(T& value) {
    std::memcpy(&value, bytes_ + at_, sizeof(value));
    at_ += sizeof(value);
  }

 private:
  const char* bytes_;
  size_t size_;
  size_t at_ = 0;
};

}  // namespace

TracedSpan DecodedSpan::Read(const char* bytes, size_t size) {
  Reader reader(bytes, size);
  TracedSpan span;
  span.category = reader.Text();
  span.name = reader.Text();
  size_t count = 0;
  while (!reader.AtEnd() && count < kMostArguments) {
    TracedArgument& argument = arguments_[count];
    argument = {};
    const uint8_t kind = reader.Byte();
    argument.name = reader.Text();
    argument.is_text = kind != SpanRecord::kNumber;
    if (kind == SpanRecord::kNumber) {
      reader.Value(argument.number);
    } else if (kind == SpanRecord::kText) {
      argument.text = reader.Text();
    } else {
      uint32_t counts[3];
      reader.Value(counts);
      std::string& text = texts_[count];
      text = std::to_string(counts[0]) + "," + std::to_string(counts[1]) + "," +
             std::to_string(counts[2]);
      argument.text = text;
    }
    ++count;
  }
  span.arguments = {arguments_.data(), count};
  return span;
}

}  // namespace hologram::observe
