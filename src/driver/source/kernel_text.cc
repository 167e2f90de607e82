#include "driver/source/kernel_text.h"

#include <algorithm>
#include <charconv>

#include "base/quote.h"

namespace hologram::driver {
namespace {

constexpr size_t kMarkStep = 64;

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

const TextNode* Child(const TextNode& node, std::string_view name) {
  for (const auto& [key, child] : node.children) {
    if (key == name) return child.get();
  }
  return nullptr;
}

class Writer {
 public:
  explicit Writer(bool adds_places) : adds_places_(adds_places) {}

  void Write(const TextNode& node) {
    switch (node.kind) {
      case TextNode::Kind::kScalar:
        json_ += node.json;
        return;
      case TextNode::Kind::kList:
        json_ += '[';
        for (size_t i = 0; i < node.children.size(); ++i) {
          if (i != 0) json_ += ',';
          Write(*node.children[i].second);
        }
        json_ += ']';
        return;
      case TextNode::Kind::kMap:
        WriteMap(node);
        return;
    }
  }

  std::string Take() { return std::move(json_); }

 private:
  void WriteMap(const TextNode& node) {
    const bool is_node = (Child(node, "type") != nullptr || Child(node, "name") != nullptr) &&
                         Child(node, "kind") == nullptr;
    json_ += '{';
    bool first = true;
    if (adds_places_ && is_node && Child(node, "line") == nullptr &&
        Child(node, "col") == nullptr) {
      json_ +=
          "\"line\":" + std::to_string(node.at.line) + ",\"col\":" + std::to_string(node.at.column);
      first = false;
    }
    for (const auto& [key, child] : node.children) {
      if (!first) json_ += ',';
      first = false;
      json_ += JsonString(key) + ":";
      Write(*child);
    }
    json_ += '}';
  }

  bool adds_places_;
  std::string json_;
};

// A number as JSON writes it: -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
bool IsJsonNumber(std::string_view word) {
  size_t i = word.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const size_t begin = i;
    while (i < word.size() && IsDigit(word[i])) ++i;
    return i - begin;
  };
  const size_t start = i;
  const size_t whole = digits();
  if (whole == 0 || (whole > 1 && word[start] == '0')) return false;
  if (i < word.size() && word[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < word.size() && (word[i] == 'e' || word[i] == 'E')) {
    ++i;
    if (i < word.size() && (word[i] == '+' || word[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == word.size();
}

// "+1", ".5", "1." and "007" are numbers in YAML: the same as JSON writes it, or nothing.
std::string AsJsonNumber(std::string_view word) {
  std::string sign;
  if (word.starts_with('-')) sign = "-";
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  const size_t exponent = std::min(word.find_first_of("eE"), word.size());
  const size_t point = std::min(word.find('.'), exponent);
  std::string_view whole = word.substr(0, point);
  std::string_view fraction =
      point < exponent ? word.substr(point + 1, exponent - point - 1) : std::string_view();
  if (whole.empty() && fraction.empty()) return "";
  while (whole.size() > 1 && whole[0] == '0') whole.remove_prefix(1);
  std::string number = sign + (whole.empty() ? "0" : std::string(whole));
  if (point < exponent) number += "." + (fraction.empty() ? "0" : std::string(fraction));
  number += word.substr(exponent);
  return IsJsonNumber(number) ? number : "";
}

std::string AsRadixNumber(std::string_view word) {
  if (word.size() < 3 || word[0] != '0' || (word[1] != 'x' && word[1] != 'o')) return "";
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(word.data() + 2, word.data() + word.size(), value, word[1] == 'x' ? 16 : 8);
  return error == std::errc() && end == word.data() + word.size() ? std::to_string(value) : "";
}

}  // namespace

ConvertedText ToJson(std::unique_ptr<TextNode> root, const std::string& path) {
  const bool adds_places = root->kind == TextNode::Kind::kMap && Child(*root, "source") == nullptr;
  Writer writer(adds_places);
  writer.Write(*root);
  ConvertedText text{writer.Take(), nullptr};
  const TextNode* version = Child(*root, "version");
  if (adds_places && version != nullptr && version->json == "\"1.1\"") {
    text.json.insert(1, "\"source\":{\"file\":" + JsonString(path) + "},");
  }
  text.root = std::move(root);
  return text;
}

const TextNode* Find(const TextNode& root, std::string_view path) {
  const TextNode* node = &root;
  while (!path.empty()) {
    const TextNode* next = nullptr;
    size_t taken = 0;
    if (node->kind == TextNode::Kind::kList) {
      size_t number = 0;
      const auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), number);
      taken = static_cast<size_t>(end - path.data()) + 1;
      const bool is_index = path[0] == '[' && error == std::errc() && taken <= path.size() &&
                            path[taken - 1] == ']' && number < node->children.size();
      if (is_index) next = node->children[number].second.get();
    } else {
      if (path[0] == '.') path.remove_prefix(1);
      // A key may hold points and brackets: the longest that fits.
      for (const auto& [key, child] : node->children) {
        if (!path.starts_with(key) || (next != nullptr && key.size() <= taken)) continue;
        if (key.size() < path.size() && path[key.size()] != '.' && path[key.size()] != '[')
          continue;
        next = child.get();
        taken = key.size();
      }
    }
    if (next == nullptr) return nullptr;
    path.remove_prefix(taken);
    node = next;
  }
  return node;
}

Diagnostics WithPlaces(Diagnostics errors, const ConvertedText& text, const std::string& path) {
  for (Diagnostic& error : errors) {
    if (error.where.file != path || error.where.line != 0) continue;
    const size_t end = error.message.find(": ");
    if (end == std::string::npos) continue;
    const TextNode* found = Find(*text.root, std::string_view(error.message).substr(0, end));
    if (found == nullptr) continue;
    error.where.line = found->at.line;
    error.where.column = found->at.column;
  }
  return errors;
}

PlaceFinder::PlaceFinder(std::string_view text) : text_(text) {
  lines_.push_back({0, 0});
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsContinuation(text[i])) continue;
    if (characters_++ % kMarkStep == 0) marks_.push_back(i);
    if (text[i] == '\n') lines_.push_back({i + 1, characters_});
  }
}

Place PlaceFinder::At(uint64_t line, uint64_t character) const {
  line = std::clamp<uint64_t>(line, 1, lines_.size());
  const Line& start = lines_[line - 1];
  const size_t wanted =
      std::min(start.character + std::max<uint64_t>(character, 1) - 1, characters_);
  if (wanted == start.character || marks_.empty()) return {static_cast<uint32_t>(line), 1};
  const size_t mark = std::min(wanted / kMarkStep, marks_.size() - 1);
  size_t byte = marks_[mark];
  for (size_t c = mark * kMarkStep; c < wanted && byte < text_.size(); ++c) {
    ++byte;
    while (byte < text_.size() && IsContinuation(text_[byte])) ++byte;
  }
  const size_t column = byte < start.byte ? 1 : byte - start.byte + 1;
  return {static_cast<uint32_t>(line), static_cast<uint32_t>(column)};
}

std::string JsonOfPlainWord(std::string_view word) {
  const auto is = [&](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (is({"", "~", "null", "Null", "NULL"})) return "null";
  if (is({"true", "True", "TRUE"})) return "true";
  if (is({"false", "False", "FALSE"})) return "false";
  // Kernel JSON has these as strings.
  if (is({".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) return JsonString("inf");
  if (is({"-.inf", "-.Inf", "-.INF"})) return JsonString("-inf");
  if (is({".nan", ".NaN", ".NAN"})) return JsonString("nan");
  if (const std::string number = AsRadixNumber(word); !number.empty()) return number;
  if (const std::string number = AsJsonNumber(word); !number.empty()) return number;
  return JsonString(word);
}

}  // namespace hologram::driver
