// Kernel JSON written as YAML or TOML: the same document (docs/kernel-json.md) in another syntax.
// It is turned into JSON for the one reader there is; every value keeps its place in the file, so
// that the errors of that reader point there. Tested by tests/cli/kernel_text_test.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hologram::driver {

struct Place {
  uint32_t line = 0;    // 1-based
  uint32_t column = 0;  // 1-based, in bytes
};

// A value of the document. Nested at most kMaxTextDepth deep.
struct TextNode {
  enum class Kind : uint8_t { kScalar, kList, kMap };
  Kind kind = Kind::kScalar;
  Place at;
  std::string json;  // of a scalar: as JSON
  // Of a list without names.
  std::vector<std::pair<std::string, std::unique_ptr<TextNode>>> children;
};
inline constexpr size_t kMaxTextDepth = 200;

// Errors have their place in `path`.
Result<std::unique_ptr<TextNode>> ParseYaml(std::string_view text, const std::string& path);
Result<std::unique_ptr<TextNode>> ParseToml(std::string_view text, const std::string& path);

// A kernel document as JSON, and the tree that knows where its values are. A table of all paths
// would take the product of the size and the depth of the text.
struct ConvertedText {
  std::string json;
  std::unique_ptr<TextNode> root;
};

// In a document without "source", nodes of kernels (maps with "type" or "name") that say no line
// get "line" and "col" of the file, so that all messages about the kernel point into it; `path` is
// the source.
ConvertedText ToJson(std::unique_ptr<TextNode> root, const std::string& path);

// The value at a JSON path, "kernels[0].params", or null.
const TextNode* Find(const TextNode& root, std::string_view path);

// Gives errors of the JSON reader, "kernels[0].params: expected an array", the place of that value.
Diagnostics WithPlaces(Diagnostics errors, const ConvertedText& text, const std::string& path);

// Places by line and character, as libraries count them, in time that does not grow with the text;
// our columns count bytes. A position outside of the text gets its end.
class PlaceFinder {
 public:
  explicit PlaceFinder(std::string_view text);
  Place At(uint64_t line, uint64_t character) const;  // both 1-based

 private:
  struct Line {
    size_t byte = 0;
    size_t character = 0;
  };
  std::string_view text_;
  std::vector<Line> lines_;
  std::vector<size_t> marks_;  // byte of every kMarkStep-th character
  size_t characters_ = 0;
};

// The value that a plain word means in YAML's core schema and in JSON: null, true, false, numbers;
// everything else is a string; .inf and .nan are the strings that kernel JSON has for them.
std::string JsonOfPlainWord(std::string_view word);

}  // namespace hologram::driver
