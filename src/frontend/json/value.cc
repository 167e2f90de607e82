#include "frontend/json/value.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/quote.h"

namespace hologram::frontend {
namespace {

constexpr size_t kMaxDepth = 2048;  // of brackets; far above what kMaxNesting nodes need

// Reads the text and says how far the parser is, which its callbacks do not tell.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    ++at_;
    if (reached_ != nullptr) *reached_ = at_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// Builds the value and remembers what is wrong with the text and where; nlohmann's own builder
// throws, and keeps the last of two values with one key.
class Builder : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  Builder(Json& value, std::string_view text)
      : json_sax_dom_parser(value, false), text_(text), reached_(text.data()) {}

  const char** reached() { return &reached_; }
  bool start_object(std::size_t size) { return Enter() && json_sax_dom_parser::start_object(size); }
  bool start_array(std::size_t size) { return Enter() && json_sax_dom_parser::start_array(size); }
  bool end_object() {
    keys_.pop_back();
    return json_sax_dom_parser::end_object();
  }
  bool end_array() {
    keys_.pop_back();
    return json_sax_dom_parser::end_array();
  }
  bool key(std::string& name) {
    if (keys_.back().insert(name).second) return json_sax_dom_parser::key(name);
    message_ = "key " + Shown(name) + " is there twice in one object; remove one";
    offset_ = StartOfString();
    return false;
  }
  template <class Exception>
  bool parse_error(std::size_t position, const std::string& token, const Exception& error) {
    const std::string_view what = error.what();
    const auto says = [&](std::string_view part) {
      return what.find(part) != std::string_view::npos;
    };
    const size_t end = std::min(position, text_.size());
    // A wrong token is pointed at where it starts, a wrong character inside of one where it is.
    // Only of strings and numbers is `token` the token; otherwise there is more in front of it.
    size_t length = 1;
    if (says("unexpected true literal") || says("unexpected null literal")) length = 4;
    if (says("unexpected false literal")) length = 5;
    if (says("unexpected number") || says("unexpected string") || error.id == 406) {
      length = token.size();
    }
    offset_ = end - std::min(length, end);
    if (error.id == 406) {
      message_ = "a number is too large for f64";
    } else if (says("unexpected end of input") || says("missing closing quote")) {
      message_ = "this is not JSON: the text ends too early";
      offset_ = text_.size();
    } else if (says("; last read")) {
      message_ = "this is not JSON: " + Reason(what, " - ");
      offset_ = end == 0 ? 0 : end - 1;
    } else {
      message_ = "this is not JSON: " + Reason(what, " - ");
    }
    return false;
  }

  const std::string& message() const { return message_; }
  size_t offset() const { return offset_; }

 private:
  bool Enter() {
    if (keys_.size() < kMaxDepth) {
      keys_.emplace_back();
      return true;
    }
    message_ = "JSON is nested more than " + std::to_string(kMaxDepth) + " levels deep";
    offset_ = static_cast<size_t>(reached_ - text_.data());
    if (offset_ > 0) --offset_;
    return false;
  }

  // What nlohmann says behind "syntax error while parsing ... - ", without the text it quotes.
  static std::string Reason(std::string_view what, std::string_view before) {
    size_t begin = what.find(before);
    begin = begin == std::string_view::npos ? 0 : begin + before.size();
    const std::string_view reason = what.substr(begin, what.find("; last read", begin) - begin);
    return Escape(reason, false);
  }

  // Where the string begins that the parser has just read.
  size_t StartOfString() const {
    size_t at = static_cast<size_t>(reached_ - text_.data());
    const auto is_quote = [&](size_t i) {
      if (text_[i] != '"') return false;
      size_t slashes = 0;
      while (slashes < i && text_[i - 1 - slashes] == '\\') ++slashes;
      return slashes % 2 == 0;
    };
    for (int quotes = 0; at > 0;) {
      if (is_quote(--at) && ++quotes == 2) break;
    }
    return at;
  }

  std::string_view text_;
  const char* reached_;
  std::vector<std::unordered_set<std::string>> keys_;
  std::string message_;
  size_t offset_ = 0;
};

}  // namespace

Result<Json> ParseJson(std::string_view text, const std::string& file) {
  if (text.size() > kMaxJsonBytes) {
    return Diagnostic{ErrorCode::kResourceLimit,
                      {file, 0, 0},
                      "the JSON of the kernels is longer than " +
                          std::to_string(kMaxJsonBytes >> 20) +
                          " MiB; divide the kernels among several files"};
  }
  Json root;
  Builder builder(root, text);
  const Cursor begin(text.data(), builder.reached());
  const Cursor end(text.data() + text.size(), nullptr);
  if (Json::sax_parse(begin, end, &builder)) return root;
  Location where{file, 1, 1};
  for (size_t i = 0; i < builder.offset(); ++i) {
    where.column = text[i] == '\n' ? 1 : where.column + 1;
    where.line += text[i] == '\n' ? 1 : 0;
  }
  return Diagnostic{ErrorCode::kInvalidText, where, builder.message()};
}

}  // namespace hologram::frontend
