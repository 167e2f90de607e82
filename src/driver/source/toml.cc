// TOML through toml++. Dates and times, and the numbers that JSON has not, are refused where they
// stand.
//
// Some malformed keys break assertions of toml++ 3.3, which without them would be assumptions of
// the compiler: they are made errors like any other.
namespace hologram::driver {
struct BrokenAssertion {};
}  // namespace hologram::driver
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wterminate"  // in its functions that are noexcept
#endif
#define TOML_ASSERT(condition) \
  static_cast<void>((condition) ? 0 : throw hologram::driver::BrokenAssertion{})
#define TOML_ASSERT_ASSUME(condition) TOML_ASSERT(condition)
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_FLOAT_CHARCONV 1  // not by streams: base/words.h
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/quote.h"
#include "driver/source/kernel_text.h"

namespace hologram::driver {
namespace {

// toml++ bounds the nesting of arrays and inline tables, but not that of the tables that a dotted
// key makes, which it destroys by recursion: a file of some hundred thousand "a." is a stack
// overflow. So the depth of each value is bounded before toml++ sees the text: points of the keys,
// and open brackets, that lead to it. Behind the first mistake in the syntax, where toml++ stops,
// what is counted does not matter.
class DepthCounter {
 public:
  explicit DepthCounter(std::string_view text) : text_(text) {}

  // The first byte that is deeper than kMaxTextDepth; npos if none is.
  size_t FindTooDeep() {
    std::vector<size_t> outer;  // depth before each open bracket
    size_t depth = 0;           // points of this key, and all outside of it
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        SkipString(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '.') ++depth;
      if (c == '[' || c == '{') {
        outer.push_back(depth);
        ++depth;
      }
      if ((c == ']' || c == '}') && !outer.empty()) {
        depth = outer.back();
        outer.pop_back();
      }
      if (c == ',' || c == '\n') depth = outer.empty() ? 0 : outer.back() + 1;
      if (depth > kMaxTextDepth) return at_;
      ++at_;
    }
    return std::string_view::npos;
  }

 private:
  void SkipString(char quote) {
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_).starts_with(three);
    for (at_ += is_long ? 3 : 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
        continue;
      }
      if (text_[at_] == '\n' && !is_long) return;
      if (text_[at_] != quote || (is_long && !text_.substr(at_).starts_with(three))) continue;
      if (is_long) at_ += 2;
      // Two more quotes may be the last of a long text.
      while (is_long && at_ + 1 < text_.size() && text_[at_ + 1] == quote) ++at_;
      break;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view text_;
  size_t at_ = 0;
};

class TomlReader {
 public:
  TomlReader(std::string_view text, const std::string& path)
      : text_(text), path_(path), places_(text) {}

  Result<std::unique_ptr<TextNode>> Read() {
    // What toml++ 3.3 does with other characters in keys is not defined.
    for (size_t i = 0; i < text_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text_[i]);
      if ((byte >= 0x20 && byte < 0x7f) || byte == '\t' || byte == '\n' || byte == '\r') continue;
      return AtByte(i,
                    "only ASCII text is supported in TOML; write \\uXXXX in a string in double "
                    "quotes, or use YAML");
    }
    const size_t deep = DepthCounter(text_).FindTooDeep();
    if (deep != std::string_view::npos) return AtByte(deep, TooDeep());
    try {
      return Convert(toml::parse(text_), 0);
    } catch (const toml::parse_error& error) {
      return At(PlaceOf(error.source()), "this is not TOML: " + std::string(error.description()));
    } catch (const BrokenAssertion&) {
      return At({1, 1}, "this is not TOML: a key or value is malformed");
    }
  }

 private:
  Diagnostic At(Place at, const std::string& message) const {
    return {ErrorCode::kInvalidText, {path_, at.line, at.column}, message};
  }

  static std::string TooDeep() {
    return "nested more than " + std::to_string(kMaxTextDepth) + " levels deep";
  }

  Diagnostic AtByte(size_t offset, const std::string& message) const {
    const std::string_view before = text_.substr(0, offset);
    const size_t end = before.rfind('\n');
    const size_t start = end == std::string_view::npos ? 0 : end + 1;
    const auto line = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
    return At({line, static_cast<uint32_t>(offset - start + 1)}, message);
  }

  Place PlaceOf(const toml::source_region& region) const {
    if (!region.begin) return {1, 1};
    return places_.At(region.begin.line, region.begin.column);
  }

  Result<std::unique_ptr<TextNode>> Convert(const toml::node& value, size_t depth) const {
    auto node = std::make_unique<TextNode>();
    node->at = PlaceOf(value.source());
    if (depth > kMaxTextDepth) {
      return At(node->at, TooDeep());
    }
    if (const toml::table* table = value.as_table()) {
      node->kind = TextNode::Kind::kMap;
      for (const auto& [key, child] : *table) {
        HOLOGRAM_ASSIGN_OR_RETURN(std::unique_ptr<TextNode> inner, Convert(child, depth + 1));
        node->children.emplace_back(std::string(key.str()), std::move(inner));
      }
      return node;
    }
    if (const toml::array* array = value.as_array()) {
      node->kind = TextNode::Kind::kList;
      for (const toml::node& child : *array) {
        HOLOGRAM_ASSIGN_OR_RETURN(std::unique_ptr<TextNode> inner, Convert(child, depth + 1));
        node->children.emplace_back("", std::move(inner));
      }
      return node;
    }
    if (const auto* text = value.as_string()) {
      node->json = JsonString(text->get());
    } else if (const auto* integer = value.as_integer()) {
      node->json = std::to_string(integer->get());
    } else if (const auto* truth = value.as_boolean()) {
      node->json = truth->get() ? "true" : "false";
    } else if (const auto* number = value.as_floating_point()) {
      if (!std::isfinite(number->get())) {  // strings in kernel JSON
        const double sign = std::isnan(number->get()) ? 0 : number->get();
        node->json = JsonString(sign == 0 ? "nan" : sign < 0 ? "-inf" : "inf");
        return node;
      }
      char digits[64];
      const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number->get());
      node->json.assign(digits, end);
      // Without a point it would be an integer.
      if (node->json.find_first_of(".e") == std::string::npos) node->json += ".0";
    } else {
      return At(node->at, "dates and times are not supported");
    }
    return node;
  }

  std::string_view text_;
  const std::string& path_;
  PlaceFinder places_;
};

}  // namespace

Result<std::unique_ptr<TextNode>> ParseToml(std::string_view text, const std::string& path) {
  return TomlReader(text, path).Read();
}

}  // namespace hologram::driver
