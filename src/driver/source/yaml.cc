// YAML through libyaml's events. What JSON has not is refused where it stands: anchors and aliases
// (a short file could unfold to any size), tags, merge keys, keys that are no words, several
// documents.
#include <yaml.h>

#include <optional>
#include <set>

#include "base/quote.h"
#include "driver/source/kernel_text.h"

namespace hologram::driver {
namespace {

class YamlReader {
 public:
  YamlReader(std::string_view text, const std::string& path)
      : text_(text), path_(path), places_(text) {
    ok_ = yaml_parser_initialize(&parser_) == 1;
    if (!ok_) return;
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;
  ~YamlReader() { yaml_parser_delete(&parser_); }

  Result<std::unique_ptr<TextNode>> Read() {
    if (!ok_) return Error(ErrorCode::kResourceLimit, "no memory for libyaml");
    for (;;) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser_, &event) == 0) return ParserError();
      const Status status = Take(event);
      const bool end = event.type == YAML_STREAM_END_EVENT;
      yaml_event_delete(&event);
      if (!status.ok()) return status.errors();
      if (!end) continue;
      if (root_ == nullptr) return At({1, 1}, "the file holds no kernels");
      return std::move(root_);
    }
  }

 private:
  Diagnostic At(Place at, const std::string& message) const {
    return {ErrorCode::kInvalidText, {path_, at.line, at.column}, message};
  }

  Place PlaceOf(const yaml_mark_t& mark) const {
    return places_.At(mark.line + 1, mark.column + 1);
  }

  Diagnostic ParserError() const {
    const std::string what = parser_.problem == nullptr ? "it cannot be read" : parser_.problem;
    if (parser_.error == YAML_MEMORY_ERROR) {
      return Error(ErrorCode::kResourceLimit, "no memory for " + path_);
    }
    if (parser_.error != YAML_READER_ERROR) {
      return At(PlaceOf(parser_.problem_mark), "this is not YAML: " + what);
    }
    // Of bytes that are no UTF-8, libyaml knows the offset.
    const std::string_view before = text_.substr(0, parser_.problem_offset);
    uint64_t line = 1;
    for (char c : before) line += c == '\n' ? 1 : 0;
    const size_t start = before.rfind('\n');
    const size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
    return At({static_cast<uint32_t>(line), static_cast<uint32_t>(column)},
              "this is not YAML: " + what);
  }

  Status Take(const yaml_event_t& event) {
    const Place at = PlaceOf(event.start_mark);
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        if (root_ != nullptr) return At(at, "a second document; write one document a file");
        return Success{};
      case YAML_ALIAS_EVENT:
        return At(at, "aliases are not supported; write the value out");
      case YAML_SCALAR_EVENT:
        return Scalar(event, at);
      case YAML_SEQUENCE_START_EVENT:
        return Open(TextNode::Kind::kList, at, event.data.sequence_start.anchor,
                    event.data.sequence_start.tag);
      case YAML_MAPPING_START_EVENT:
        return Open(TextNode::Kind::kMap, at, event.data.mapping_start.anchor,
                    event.data.mapping_start.tag);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        open_.pop_back();
        return Success{};
      case YAML_NO_EVENT:
      case YAML_STREAM_START_EVENT:
      case YAML_STREAM_END_EVENT:
      case YAML_DOCUMENT_END_EVENT:
        break;
    }
    return Success{};
  }

  Status CheckPlain(Place at, const yaml_char_t* anchor, const yaml_char_t* tag) const {
    if (anchor != nullptr) return At(at, "anchors are not supported; write the value out");
    if (tag == nullptr) return Success{};
    const std::string name(reinterpret_cast<const char*>(tag));
    return At(at, "tag " + Shown(name) + " is not supported; write the value without it");
  }

  Status Scalar(const yaml_event_t& event, Place at) {
    const auto& scalar = event.data.scalar;
    HOLOGRAM_RETURN_IF_ERROR(CheckPlain(at, scalar.anchor, scalar.tag));
    const std::string value(reinterpret_cast<const char*>(scalar.value), scalar.length);
    if (AwaitsKey()) return Key(value, at);
    auto node = std::make_unique<TextNode>();
    node->at = at;
    node->json =
        scalar.style == YAML_PLAIN_SCALAR_STYLE ? JsonOfPlainWord(value) : JsonString(value);
    return Add(std::move(node));
  }

  bool AwaitsKey() const {
    return !open_.empty() && open_.back().node->kind == TextNode::Kind::kMap && !open_.back().key;
  }

  Status Key(const std::string& value, Place at) {
    if (value == "<<") return At(at, "merge keys are not supported; write the keys out");
    if (!open_.back().keys.insert(value).second) {
      return At(at, "key " + Shown(value) + " is there twice; remove one");
    }
    open_.back().key = value;
    return Success{};
  }

  Status Open(TextNode::Kind kind, Place at, const yaml_char_t* anchor, const yaml_char_t* tag) {
    HOLOGRAM_RETURN_IF_ERROR(CheckPlain(at, anchor, tag));
    if (AwaitsKey()) return At(at, "a key must be a word");
    if (open_.size() >= kMaxTextDepth) {
      return At(at, "nested more than " + std::to_string(kMaxTextDepth) + " levels deep");
    }
    auto node = std::make_unique<TextNode>();
    node->kind = kind;
    node->at = at;
    TextNode* inner = node.get();
    HOLOGRAM_RETURN_IF_ERROR(Add(std::move(node)));
    open_.push_back({inner, std::nullopt, {}});
    return Success{};
  }

  Status Add(std::unique_ptr<TextNode> node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return Success{};
    }
    OpenNode& parent = open_.back();
    parent.node->children.emplace_back(parent.key.value_or(""), std::move(node));
    parent.key.reset();
    return Success{};
  }

  struct OpenNode {
    TextNode* node = nullptr;
    std::optional<std::string> key;  // of a map, when its value comes next
    std::set<std::string> keys;
  };

  std::string_view text_;
  const std::string& path_;
  PlaceFinder places_;
  yaml_parser_t parser_{};
  bool ok_ = false;
  std::unique_ptr<TextNode> root_;
  std::vector<OpenNode> open_;
};

}  // namespace

Result<std::unique_ptr<TextNode>> ParseYaml(std::string_view text, const std::string& path) {
  return YamlReader(text, path).Read();
}

}  // namespace hologram::driver
