#include "frontend/json_value.h"

#include <algorithm>

namespace hologram::frontend {
namespace {

constexpr int kMaxDepth = 2048;  // of brackets; far above what kMaxNesting nodes need

// Builds the value and remembers where the text went wrong; nlohmann's own builder throws.
class Builder : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  explicit Builder(Json& value) : json_sax_dom_parser(value, false) {}

  bool start_object(std::size_t size) { return Enter() && json_sax_dom_parser::start_object(size); }
  bool start_array(std::size_t size) { return Enter() && json_sax_dom_parser::start_array(size); }
  bool end_object() {
    --depth_;
    return json_sax_dom_parser::end_object();
  }
  bool end_array() {
    --depth_;
    return json_sax_dom_parser::end_array();
  }
  template <class Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception& error) {
    position_ = position;
    out_of_range_ = error.id == 406;  // a number beyond f64
    return false;
  }

  std::string message() const {
    if (too_deep_) return "JSON is nested more than " + std::to_string(kMaxDepth) + " levels deep";
    return out_of_range_ ? "a number is too large for f64" : "this is not JSON";
  }
  std::size_t position() const { return position_; }
  bool too_deep() const { return too_deep_; }

 private:
  bool Enter() {
    too_deep_ = ++depth_ > kMaxDepth;
    return !too_deep_;
  }

  int depth_ = 0;
  bool too_deep_ = false;
  bool out_of_range_ = false;
  std::size_t position_ = 0;
};

}  // namespace

Result<Json> ParseJson(std::string_view text, const std::string& file) {
  Json root;
  Builder builder(root);
  if (Json::sax_parse(text.begin(), text.end(), &builder)) return root;
  Location where{file, 0, 0};
  if (!builder.too_deep()) {
    where = {file, 1, 1};
    const std::size_t end =
        std::min(builder.position() == 0 ? 0 : builder.position() - 1, text.size());
    for (std::size_t i = 0; i < end; ++i) {
      where.column = text[i] == '\n' ? 1 : where.column + 1;
      where.line += text[i] == '\n' ? 1 : 0;
    }
  }
  return Diagnostic{ErrorCode::kInvalidText, where, builder.message()};
}

}  // namespace hologram::frontend
