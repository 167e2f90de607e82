#include "text/debug_comment.h"

#include "base/quote.h"

namespace hologram::text {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

std::string PrintFile(const std::string& file) {
  const bool bare = IsPlain(file) && file.find_first_of(" ;\"") == std::string::npos;
  return bare ? file : Quote(file);
}

// Source text that the parser takes as it is, up to the variables.
std::string PrintText(const std::string& text) {
  const bool bare = IsPlain(text) && text.front() != '"' && text.front() != ' ' &&
                    text.back() != ' ' && text.find('{') == std::string::npos;
  return bare ? text : Quote(text);
}

std::string_view TakeDigits(std::string_view text, size_t* position) {
  const size_t start = *position;
  while (*position < text.size() && IsDigit(text[*position])) ++*position;
  return text.substr(start, *position - start);
}

class CommentParser {
 public:
  CommentParser(Cursor& in, isa::DebugLine* line) : in_(in), text_(in.line()), line_(line) {}

  // True if the part of the comment at `position` is debug information; remembers where its fields
  // are.
  bool Recognise(size_t position, const std::string& file) {
    if (text_.substr(position, file.size()) != file) return false;
    position += file.size();
    if (position >= text_.size() || text_[position] != ':') return false;
    line_start_ = ++position;
    line_digits_ = TakeDigits(text_, &position);
    if (position >= text_.size() || text_[position] != ':') return false;
    column_start_ = ++position;
    column_digits_ = TakeDigits(text_, &position);
    rest_ = position;
    return !line_digits_.empty() && !column_digits_.empty() &&
           (position == text_.size() || text_[position] == ' ');
  }

  bool Parse() {
    if (!ParseNumber(line_start_, line_digits_, &line_->line)) return false;
    if (!ParseNumber(column_start_, column_digits_, &line_->column)) return false;
    in_.MoveTo(rest_);
    if (!ParseText()) return false;
    if (!in_.Take('{')) {
      return in_.position() == text_.size() || in_.FailExpected("'{' or end of line");
    }
    do {
      if (!ParseVariable()) return false;
    } while (in_.Take(','));
    if (!in_.Expect('}')) return false;
    return in_.ExpectEnd();
  }

 private:
  bool ParseNumber(size_t start, std::string_view digits, uint32_t* value) {
    const std::optional<uint64_t> number = ParseUnsigned(digits);
    if (!number || *number > UINT32_MAX) {
      return in_.FailAt(start, "position " + Shown(digits) + " does not fit 32 bits");
    }
    *value = static_cast<uint32_t>(*number);
    return true;
  }

  bool ParseText() {
    const char first = in_.Peek();
    const size_t start = in_.position();
    if (start == text_.size() || first == '{') return true;
    if (first == '"') {
      const std::optional<std::string> text = in_.Name();
      if (!text) return false;
      line_->text = *text;
      in_.Peek();
      return true;
    }
    const size_t end = std::min(text_.find('{', start), text_.size());
    std::string_view text = text_.substr(start, end - start);
    text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
    line_->text = text;
    in_.MoveTo(end);
    return true;
  }

  bool ParseVariable() {
    std::optional<std::string> name = in_.Name();
    if (!name || !in_.Expect('=')) return false;
    in_.Peek();
    const size_t start = in_.position();
    const std::string word = ToLower(in_.Word());
    const std::optional<uint64_t> reg =
        word.starts_with('r') ? ParseUnsigned(std::string_view(word).substr(1)) : std::nullopt;
    if (!reg || *reg >= isa::kNumRegisters) {
      in_.MoveTo(start);
      return in_.FailExpected("a register (r0 to r255)");
    }
    line_->variables.push_back({std::move(*name), static_cast<uint8_t>(*reg)});
    return true;
  }

  Cursor& in_;
  std::string_view text_;
  isa::DebugLine* line_;
  size_t line_start_ = 0;
  size_t column_start_ = 0;
  std::string_view line_digits_;
  std::string_view column_digits_;
  size_t rest_ = 0;
};

}  // namespace

std::string PrintDebugComment(const isa::DebugLine& line, const std::string& source_file) {
  std::string text =
      PrintFile(source_file) + ":" + std::to_string(line.line) + ":" + std::to_string(line.column);
  if (!line.text.empty()) text += " " + PrintText(line.text);
  if (line.variables.empty()) return text;
  text += " {";
  bool first = true;
  for (const isa::DebugVariable& variable : line.variables) {
    if (!first) text += ", ";
    first = false;
    text += PrintName(variable.name) + "=r" + std::to_string(variable.reg);
  }
  return text + "}";
}

bool ParseDebugComment(Cursor& in, const std::string& source_file, isa::DebugLine* line,
                       bool* found) {
  *found = false;
  const std::string file = PrintFile(source_file);
  CommentParser parser(in, line);
  for (size_t part = in.line().find(';', in.position()); part != std::string_view::npos;
       part = in.line().find(';', part + 1)) {
    const size_t start = in.line().find_first_not_of(" \t", part + 1);
    if (start == std::string_view::npos) return true;
    if (!parser.Recognise(start, file)) continue;
    *found = true;
    return parser.Parse();
  }
  return true;
}

}  // namespace hologram::text
