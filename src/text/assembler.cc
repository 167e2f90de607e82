// Text -> programs. Line by line: directives describe the kernel, labels name the next instruction,
// everything else is an instruction. Branches are resolved when the kernel is complete, then
// CheckWellFormed looks at every instruction, with the lines of the text as places.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/quote.h"
#include "text/cursor.h"
#include "text/debug_comment.h"
#include "text/instruction_parser.h"
#include "text/text.h"

namespace hologram::text {
namespace {

class Assembler {
 public:
  Assembler(std::string_view source, const std::string& file) : source_(source), errors_(file) {}

  Result<std::vector<isa::Program>> Run() {
    while (!source_.empty() && !errors_.full()) {
      const size_t end = source_.find('\n');
      std::string_view line = source_.substr(0, end);
      source_.remove_prefix(end == std::string_view::npos ? source_.size() : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      Cursor in(line, ++line_number_, errors_);
      ParseLine(in);
    }
    FinishKernel();
    if (errors_.size() == 0 && programs_.empty()) {
      errors_.Add(1, 1, "expected .kernel, found no kernel in the file");
    }
    if (errors_.size() != 0) return std::move(errors_).Take();
    return std::move(programs_);
  }

 private:
  struct Label {
    uint32_t pc;
    uint32_t line;
  };
  struct Branch {
    size_t pc;
    std::string label;
    uint32_t line;
    size_t column;
  };
  // The kernel that is being read.
  struct Kernel {
    isa::Program program;
    uint32_t line = 0;
    size_t errors_before = 0;
    bool has_source = false;
    bool has_block = false;
    bool has_code = false;  // an instruction or a label
    bool has_debug = false;
    std::vector<isa::DebugLine> debug;
    std::vector<isa::DebugLine> places;  // of the instructions in this text
    std::map<std::string, Label, std::less<>> labels;
    std::vector<Branch> branches;
    std::vector<size_t> without_index;  // addresses: their instructions
  };

  void ParseLine(Cursor& in);
  bool ParseDirective(Cursor& in);
  bool ParseKernel(Cursor& in);
  bool ParseSource(Cursor& in);
  bool ParseBlock(Cursor& in);
  bool ParseParameter(Cursor& in);
  bool ParseShapeSource(Cursor& in, isa::Parameter& parameter);
  bool ParseArray(Cursor& in, std::vector<isa::SharedArray>& arrays);
  bool ParseTypeWord(Cursor& in, isa::Type* type);
  bool ParseDirection(Cursor& in, isa::Direction* direction);
  bool ParseUnique(Cursor& in, isa::Parameter& parameter);
  bool ParseCount(Cursor& in, std::string_view what, uint32_t* count);
  bool TakeLabel(Cursor& in);
  void ParseStatement(Cursor& in);

  void FinishKernel();
  std::optional<uint8_t> FreeRegister() const;
  void MakeIndex();
  void ResolveBranches();
  void CheckProgram();

  std::string_view source_;
  ErrorList errors_;
  uint32_t line_number_ = 0;
  bool in_kernel_ = false;
  bool reported_no_kernel_ = false;
  Kernel kernel_;
  std::map<std::string, uint32_t, std::less<>> kernel_lines_;
  std::vector<isa::Program> programs_;
};

void Assembler::ParseLine(Cursor& in) {
  if (in.AtEnd()) return;
  if (in.Peek() == '.') {
    ParseDirective(in);
    return;
  }
  if (!in_kernel_) {
    if (!reported_no_kernel_) in.Fail("expected .kernel before the first instruction");
    reported_no_kernel_ = true;
    return;
  }
  kernel_.has_code = true;
  while (TakeLabel(in)) {
  }
  if (!in.AtEnd()) ParseStatement(in);
}

bool Assembler::ParseDirective(Cursor& in) {
  in.Peek();
  const size_t start = in.position();
  const std::string word = ToLower(in.Word());
  if (word == ".kernel") return ParseKernel(in);
  const bool known = word == ".source" || word == ".block" || word == ".param" ||
                     word == ".shared" || word == ".local";
  if (!known) {
    return in.FailAt(start, "unknown directive " + Shown(word) +
                                "; there are .kernel, .source, .block, .param, .shared and .local");
  }
  if (!in_kernel_) return in.FailAt(start, "expected .kernel before " + word);
  if (kernel_.has_code) return in.FailAt(start, word + " must come before the first instruction");
  if (word == ".source") return ParseSource(in);
  if (word == ".block") return ParseBlock(in);
  if (word == ".param") return ParseParameter(in);
  return ParseArray(in, word == ".shared" ? kernel_.program.shared : kernel_.program.locals);
}

bool Assembler::ParseKernel(Cursor& in) {
  FinishKernel();
  in_kernel_ = true;
  kernel_ = Kernel{};
  kernel_.line = line_number_;
  kernel_.errors_before = errors_.size();
  in.Peek();
  const size_t start = in.position();
  std::optional<std::string> name = in.Name();
  if (!name || !in.ExpectEnd()) return false;
  const auto [other, is_new] = kernel_lines_.emplace(*name, line_number_);
  if (!is_new) {
    return in.FailAt(start, "kernel " + Shown(*name) + " is already defined on line " +
                                std::to_string(other->second));
  }
  kernel_.program.name = std::move(*name);
  return true;
}

bool Assembler::ParseSource(Cursor& in) {
  if (kernel_.has_source) return in.Fail("a second .source in one kernel");
  kernel_.has_source = true;
  std::optional<std::string> name = in.Name();
  if (!name || !in.ExpectEnd()) return false;
  kernel_.program.source_file = std::move(*name);
  return true;
}

bool Assembler::ParseBlock(Cursor& in) {
  if (kernel_.has_block) return in.Fail("a second .block in one kernel");
  kernel_.has_block = true;
  isa::Program& program = kernel_.program;
  constexpr std::string_view kWhat = "a number of lanes";
  if (!ParseCount(in, kWhat, &program.default_block)) return false;
  for (uint32_t& size : program.default_block_yz) {
    if (!in.AtEnd() && !ParseCount(in, kWhat, &size)) return false;
  }
  return in.ExpectEnd();
}

bool Assembler::ParseParameter(Cursor& in) {
  isa::Parameter parameter;
  std::optional<std::string> name = in.Name();
  if (!name || !ParseTypeWord(in, &parameter.type)) return false;
  parameter.name = std::move(*name);
  if (in.Take('[')) {
    parameter.is_buffer = true;
    while (in.Take(',')) {  // more commas than dimensions: the check of the program says so
      if (parameter.rank == 0) parameter.rank = 1;
      if (parameter.rank <= isa::kMaxRank) ++parameter.rank;
    }
    if (!in.Expect(']') || !ParseDirection(in, &parameter.direction)) return false;
    if (!in.AtEnd() && !ParseUnique(in, parameter)) return false;
  } else if (!in.AtEnd() && !ParseShapeSource(in, parameter)) {
    return false;
  }
  if (!in.ExpectEnd()) return false;
  kernel_.program.parameters.push_back(std::move(parameter));
  return true;
}

// "extent r1 0" or "stride r1 0": of the array in the register, in the dimension.
bool Assembler::ParseShapeSource(Cursor& in, isa::Parameter& parameter) {
  in.Peek();
  const size_t start = in.position();
  const std::string word = ToLower(in.Word());
  if (word != "extent" && word != "stride") {
    in.MoveTo(start);
    return in.FailExpected("extent, stride, or end of line after a scalar parameter");
  }
  parameter.source = word == "extent" ? isa::Source::kExtent : isa::Source::kStride;
  in.Peek();
  const size_t at = in.position();
  const std::string array = ToLower(in.Word());
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(array.data() + std::min<size_t>(1, array.size()),
                                            array.data() + array.size(), number);
  if (!array.starts_with("r") || error != std::errc() || end != array.data() + array.size() ||
      number < 1 || number > isa::kMaxParameters) {
    in.MoveTo(at);
    return in.FailExpected("the register of an array, as in r1");
  }
  uint32_t dimension = 0;
  if (!ParseCount(in, "a dimension", &dimension)) return false;
  parameter.array = static_cast<uint8_t>(number - 1);
  parameter.dimension = static_cast<uint8_t>(std::min<uint32_t>(dimension, UINT8_MAX));
  return true;
}

bool Assembler::ParseArray(Cursor& in, std::vector<isa::SharedArray>& arrays) {
  isa::SharedArray array;
  std::optional<std::string> name = in.Name();
  if (!name || !ParseTypeWord(in, &array.type)) return false;
  array.name = std::move(*name);
  if (!ParseCount(in, "a number of elements", &array.count) || !in.ExpectEnd()) return false;
  arrays.push_back(std::move(array));
  return true;
}

bool Assembler::ParseTypeWord(Cursor& in, isa::Type* type) {
  in.Peek();
  const size_t start = in.position();
  const std::optional<isa::Type> found = isa::ParseType(ToLower(in.Word()));
  if (!found) {
    in.MoveTo(start);
    return in.FailExpected("a type, as in f32");
  }
  *type = *found;
  return true;
}

bool Assembler::ParseDirection(Cursor& in, isa::Direction* direction) {
  in.Peek();
  const size_t start = in.position();
  const std::string word = ToLower(in.Word());
  if (word == "in") {
    *direction = isa::Direction::kIn;
  } else if (word == "out") {
    *direction = isa::Direction::kOut;
  } else if (word == "inout") {
    *direction = isa::Direction::kInOut;
  } else {
    in.MoveTo(start);
    return in.FailExpected("in, out or inout");
  }
  return true;
}

bool Assembler::ParseUnique(Cursor& in, isa::Parameter& parameter) {
  in.Peek();
  const size_t start = in.position();
  parameter.unique = ToLower(in.Word()) == "unique";
  if (parameter.unique) return true;
  in.MoveTo(start);
  return in.FailExpected("unique, or end of line after the direction");
}

bool Assembler::ParseCount(Cursor& in, std::string_view what, uint32_t* count) {
  in.Peek();
  const size_t start = in.position();
  const std::optional<uint64_t> number = ParseUnsigned(in.Word());
  if (!number || *number > UINT32_MAX) {
    in.MoveTo(start);
    return in.FailExpected(what);
  }
  *count = static_cast<uint32_t>(*number);
  return true;
}

// Takes "name:" if that is what follows.
bool Assembler::TakeLabel(Cursor& in) {
  in.Peek();
  const size_t start = in.position();
  const std::string_view word = in.Word();
  if (word.empty() || !in.Take(':')) {
    in.MoveTo(start);
    return false;
  }
  if (!IsIdentifier(word)) {
    in.FailAt(start, "expected the name of a label, found " + Shown(word));
    return true;
  }
  const auto pc = static_cast<uint32_t>(kernel_.program.code.size());
  const auto [other, is_new] = kernel_.labels.emplace(word, Label{pc, line_number_});
  if (!is_new) {
    in.FailAt(start, "label " + Shown(word) + " is already defined on line " +
                         std::to_string(other->second.line));
  }
  return true;
}

void Assembler::ParseStatement(Cursor& in) {
  isa::DebugLine place;
  place.line = line_number_;
  place.column = static_cast<uint32_t>(in.position() + 1);
  std::optional<ParsedInstruction> parsed = ParseInstruction(in);
  if (!parsed) return;
  isa::DebugLine debug;
  bool found = false;
  if (!ParseDebugComment(in, kernel_.program.source_file, &debug, &found)) return;
  kernel_.has_debug |= found;
  if (!parsed->label.empty()) {
    kernel_.branches.push_back({kernel_.program.code.size(), std::move(parsed->label), line_number_,
                                parsed->label_position + 1});
  }
  if (parsed->needs_index) kernel_.without_index.push_back(kernel_.program.code.size());
  kernel_.program.code.push_back(parsed->instruction);
  kernel_.debug.push_back(std::move(debug));
  kernel_.places.push_back(std::move(place));
}

void Assembler::FinishKernel() {
  if (!in_kernel_ || errors_.full()) return;
  if (!kernel_.without_index.empty()) MakeIndex();
  ResolveBranches();
  if (kernel_.has_debug) kernel_.program.debug = std::move(kernel_.debug);
  if (errors_.size() == kernel_.errors_before) CheckProgram();
  programs_.push_back(std::move(kernel_.program));
}

// One that no instruction names.
std::optional<uint8_t> Assembler::FreeRegister() const {
  std::array<bool, isa::kNumRegisters> used{};
  for (const isa::Instruction& in : kernel_.program.code) {
    for (const uint8_t field : {in.d, in.a, in.b, in.c, in.mod}) used[field] = true;
    const isa::Uses uses = isa::UsesOf(in);
    for (uint32_t k = 0; k < uses.run.count; ++k) used[uses.run.first + k] = true;
  }
  for (size_t reg = kernel_.program.parameters.size() + 1; reg < isa::kFirstSpecialRegister;
       ++reg) {
    if (!used[reg]) return static_cast<uint8_t>(reg);
  }
  return std::nullopt;
}

// Addresses have an index: of those without, a register that the kernel begins with setting to 0.
void Assembler::MakeIndex() {
  const isa::DebugLine place = kernel_.places[kernel_.without_index[0]];
  const std::optional<uint8_t> zero = FreeRegister();
  if (!zero) {
    errors_.Add(place.line, place.column,
                "no register is free for the index 0 of this address; write [r1 + r2*4]");
    return;
  }
  isa::Program& program = kernel_.program;
  for (const size_t pc : kernel_.without_index) program.code[pc].b = *zero;
  program.code.insert(program.code.begin(),
                      {.op = isa::Opcode::kMovImm, .type = isa::Type::kU32, .d = *zero});
  kernel_.debug.insert(kernel_.debug.begin(), isa::DebugLine{});
  kernel_.places.insert(kernel_.places.begin(), place);
  for (auto& [name, label] : kernel_.labels) ++label.pc;
  for (Branch& branch : kernel_.branches) ++branch.pc;
}

void Assembler::ResolveBranches() {
  for (const Branch& branch : kernel_.branches) {
    const auto label = kernel_.labels.find(branch.label);
    if (label == kernel_.labels.end()) {
      errors_.Add(branch.line, branch.column, "label " + Shown(branch.label) + " is not defined");
    } else {
      kernel_.program.code[branch.pc].imm = label->second.pc;
    }
  }
}

// The lines of the text stand in for the lines of the source, so that errors point into the text.
void Assembler::CheckProgram() {
  isa::Program located = kernel_.program;
  located.source_file = errors_.file().empty() ? "." : errors_.file();
  located.debug = std::move(kernel_.places);
  for (size_t pc = 0; pc < kernel_.program.debug.size(); ++pc) {
    located.debug[pc].text = kernel_.program.debug[pc].text;
    located.debug[pc].variables = kernel_.program.debug[pc].variables;
  }
  if (!IsPlainLine(kernel_.program.source_file)) {
    errors_.Add(kernel_.line, 1, "the name of the source has control characters");
  }
  const Status status = CheckWellFormed(located);
  for (const Diagnostic& error : status.errors()) {
    const bool has_place = error.where.line != 0;
    errors_.Add(has_place ? error.where.line : kernel_.line, has_place ? error.where.column : 1,
                error.message);
  }
}

}  // namespace

Result<std::vector<isa::Program>> Assemble(std::string_view source, const std::string& file) {
  return Assembler(source, file).Run();
}

}  // namespace hologram::text
