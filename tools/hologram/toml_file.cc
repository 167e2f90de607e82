// TOML through toml++. Dates and times, and the numbers that JSON has not, are refused where they
// stand.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <charconv>
#include <cmath>

#include "json_text.h"
#include "kernel_text.h"

namespace hologram::tool {
namespace {

class TomlReader {
 public:
  TomlReader(std::string_view text, const std::string& path)
      : text_(text), path_(path), places_(text) {}

  Result<std::unique_ptr<TextNode>> Read() {
    const toml::parse_result parsed = toml::parse(text_);
    if (parsed) return Convert(parsed.table(), 0);
    const toml::parse_error& error = parsed.error();
    return At(PlaceOf(error.source()), "this is not TOML: " + std::string(error.description()));
  }

 private:
  Diagnostic At(Place at, const std::string& message) const {
    return {ErrorCode::kInvalidText, {path_, at.line, at.column}, message};
  }

  Place PlaceOf(const toml::source_region& region) const {
    if (!region.begin) return {1, 1};
    return places_.At(region.begin.line, region.begin.column);
  }

  Result<std::unique_ptr<TextNode>> Convert(const toml::node& value, size_t depth) const {
    auto node = std::make_unique<TextNode>();
    node->at = PlaceOf(value.source());
    if (depth > kMaxTextDepth) {
      return At(node->at, "nested more than " + std::to_string(kMaxTextDepth) + " levels deep");
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
      if (!std::isfinite(number->get())) {
        return At(node->at, "kernel JSON has no inf and nan; pass it as a scalar");
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

}  // namespace hologram::tool
