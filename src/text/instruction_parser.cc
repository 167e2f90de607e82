#include "text/instruction_parser.h"

#include <algorithm>
#include <vector>

#include "base/quote.h"
#include "base/spelling.h"
#include "isa/atlas.h"
#include "isa/program.h"
#include "text/immediate.h"
#include "text/syntax.h"

namespace hologram::text {
namespace {

using isa::Instruction;
using isa::OpcodeInfo;
using isa::Operand;
using isa::OperandKind;
using isa::Type;

bool HasKind(const OpcodeInfo& info, OperandKind kind) {
  return std::any_of(info.operands.begin(), info.operands.end(),
                     [kind](const Operand& operand) { return operand.kind == kind; });
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string TypeNames(isa::TypeSet set) {
  std::vector<std::string> names;
  for (int i = 0; i < isa::kNumTypes; ++i) {
    const auto type = static_cast<Type>(i);
    if (Contains(set, type)) names.emplace_back(NameOf(type));
  }
  return Join(names);
}

// The mnemonic that was probably meant, or nothing.
std::string Suggestion(std::string_view word) {
  constexpr size_t kLongest = 16;
  if (word.size() > kLongest) return "";
  std::string_view best;
  size_t best_distance = std::min<size_t>(3, word.size());
  for (const OpcodeInfo& info : isa::AllOpcodes()) {
    const size_t distance = EditDistance(word, info.mnemonic);
    if (distance < best_distance) {
      best_distance = distance;
      best = info.mnemonic;
    }
  }
  return best.empty() ? "" : "; did you mean '" + std::string(best) + "'?";
}

class InstructionParser {
 public:
  explicit InstructionParser(Cursor& in) : in_(in) {}

  std::optional<ParsedInstruction> Run() {
    if (!ParseMnemonic() || !CheckOperandCount() || !ParseOperands()) return std::nullopt;
    return std::move(result_);
  }

 private:
  bool ParseMnemonic();
  bool FindOpcode();
  bool ParseLeadingSuffixes();
  bool ParseType();
  bool ParseSourceType();
  bool ParseBranchPredicate();

  bool CheckOperandCount();
  bool ParseOperands();
  bool ParseOperand(const Operand& operand);
  bool ParseAddress(OperandKind kind);
  bool ParseDisplacement();
  bool IsWithoutIndex();
  bool ParsePhi();
  bool ParseBoundary();
  bool ParseNumbered(char letter, uint32_t limit, std::string_view what, uint8_t* value);
  bool ParseRegister(uint8_t* value) {
    return ParseNumbered('r', isa::kNumRegisters, "a register (r0 to r255)", value);
  }
  bool ParsePredicate(uint8_t* value) {
    return ParseNumbered('p', isa::kNumPredicates, "a predicate (p0 to p15)", value);
  }
  bool ParseModWord(OperandKind kind);
  bool ParseNumber(uint64_t limit, std::string_view what, uint64_t* value);
  bool ParseModNumber(uint64_t limit, std::string_view what);
  bool ParseImmediateOperand();
  bool ParseTarget();
  bool ParseText();

  // The next ".suffix" of the mnemonic without its dot; empty if there is none.
  std::string_view NextSuffix() const;
  void TakeSuffix() { rest_.remove_prefix(NextSuffix().size() + 1); }
  bool FailAtSuffix(const std::string& message) {
    return in_.FailAt(mnemonic_start_ + mnemonic_.size() - rest_.size() + (rest_.empty() ? 0 : 1),
                      message);
  }
  std::string MnemonicText() const { return std::string(info_->mnemonic); }
  Instruction& instruction() { return result_.instruction; }

  Cursor& in_;
  ParsedInstruction result_;
  const OpcodeInfo* info_ = nullptr;
  size_t mnemonic_start_ = 0;
  std::string mnemonic_;   // lower case, with all suffixes
  std::string_view rest_;  // the suffixes that are not parsed yet
};

std::string_view InstructionParser::NextSuffix() const {
  if (rest_.empty()) return {};
  return rest_.substr(1, rest_.find('.', 1) - 1);
}

bool InstructionParser::ParseMnemonic() {
  const std::string_view word = in_.Word();
  if (word.empty()) return in_.FailExpected("an instruction");
  mnemonic_start_ = in_.position() - word.size();
  mnemonic_ = ToLower(word);
  if (!FindOpcode() || !ParseLeadingSuffixes() || !ParseType() || !ParseSourceType() ||
      !ParseBranchPredicate()) {
    return false;
  }
  if (rest_.empty()) return true;
  return FailAtSuffix("unexpected suffix " + Shown(rest_) + " of " + MnemonicText());
}

bool InstructionParser::FindOpcode() {
  bool lacks_condition = false;
  for (const OpcodeInfo& info : isa::AllOpcodes()) {
    if (!mnemonic_.starts_with(info.mnemonic)) continue;
    if (info_ != nullptr && info_->mnemonic.size() > info.mnemonic.size()) continue;
    std::string_view rest = std::string_view(mnemonic_).substr(info.mnemonic.size());
    uint8_t condition = 0;
    if (HasKind(info, OperandKind::kCondition)) {
      const std::vector<std::string_view> words = WordsOf(OperandKind::kCondition);
      const auto found = std::find_if(words.begin(), words.end(),
                                      [rest](std::string_view w) { return rest.starts_with(w); });
      lacks_condition = found == words.end() && (rest.empty() || rest[0] == '.');
      if (found == words.end()) continue;
      condition = static_cast<uint8_t>(found - words.begin());
      rest.remove_prefix(found->size());
    }
    if (!rest.empty() && rest[0] != '.') continue;
    info_ = &info;
    rest_ = rest;
    instruction().op = info.op;
    instruction().mod = condition;
  }
  if (info_ != nullptr) return true;
  const std::string_view base = std::string_view(mnemonic_).substr(0, mnemonic_.find('.'));
  if (!lacks_condition) {
    return in_.FailAt(mnemonic_start_,
                      "unknown instruction " + Shown(mnemonic_) + Suggestion(base));
  }
  std::vector<std::string> forms;
  for (std::string_view word : WordsOf(OperandKind::kCondition)) {
    forms.push_back(std::string(base).append(word));
  }
  return in_.FailAt(mnemonic_start_,
                    std::string(base) + " needs a condition, one of " + Join(forms));
}

bool InstructionParser::ParseLeadingSuffixes() {
  if (HasKind(*info_, OperandKind::kAccuracy) && NextSuffix() == "fast") {
    instruction().mod = 1;
    TakeSuffix();
  }
  std::optional<OperandKind> kind;
  for (const Operand& operand : info_->operands) {
    if (operand.kind == OperandKind::kAtomicOp || operand.kind == OperandKind::kScope ||
        operand.kind == OperandKind::kBlockOp) {
      kind = operand.kind;
    }
  }
  if (!kind) return true;
  const std::vector<std::string_view> words = WordsOf(*kind);
  const bool scope = *kind == OperandKind::kScope;
  const auto found = std::find(words.begin(), words.end(), NextSuffix());
  if (rest_.empty() || found == words.end()) {
    return FailAtSuffix(MnemonicText() + (scope ? " needs a scope" : " needs an operation") +
                        ", one of " + Join(std::vector<std::string>(words.begin(), words.end())));
  }
  instruction().mod = static_cast<uint8_t>(found - words.begin());
  TakeSuffix();
  return true;
}

bool InstructionParser::ParseType() {
  if (info_->types == isa::TypeSet::kNone) return true;
  if (rest_.empty()) {
    return FailAtSuffix(MnemonicText() + " needs a type, one of " + TypeNames(info_->types));
  }
  const std::optional<Type> type = isa::ParseType(NextSuffix());
  if (!type) return FailAtSuffix("unknown type " + Shown(NextSuffix()));
  if (!Contains(info_->types, *type)) {
    return FailAtSuffix(MnemonicText() + " has no form for type " + std::string(NameOf(*type)) +
                        ", only for " + TypeNames(info_->types));
  }
  instruction().type = *type;
  TakeSuffix();
  return true;
}

bool InstructionParser::ParseSourceType() {
  if (!HasKind(*info_, OperandKind::kSrcFrom)) return true;
  if (rest_.empty()) {
    return FailAtSuffix(MnemonicText() + " needs a source type after the destination type, as in " +
                        MnemonicText() + ".f32.u32");
  }
  const std::optional<Type> type = isa::ParseType(NextSuffix());
  if (!type) return FailAtSuffix("unknown type " + Shown(NextSuffix()));
  instruction().mod = static_cast<uint8_t>(*type);
  TakeSuffix();
  return true;
}

bool InstructionParser::ParseBranchPredicate() {
  for (const Operand& operand : info_->operands) {
    if (operand.kind != OperandKind::kOptPred || rest_.empty()) continue;
    const std::string_view suffix = NextSuffix();
    const std::optional<uint64_t> number = suffix.starts_with('p') && suffix.size() <= 3
                                               ? ParseUnsigned(suffix.substr(1))
                                               : std::nullopt;
    if (!number || *number >= isa::kNumPredicates) {
      return FailAtSuffix("expected a predicate (p0 to p15), found " + Shown(suffix));
    }
    SetField(instruction(), operand.field, static_cast<uint8_t>(*number));
    instruction().mod = 1;
    TakeSuffix();
  }
  return true;
}

// Counts before parsing, because "expected 3 operands, found 2" says more than "expected ','".
bool InstructionParser::CheckOperandCount() {
  // A text may hold commas. It is the only one, and a format the last one.
  if (HasKind(*info_, OperandKind::kText) || HasKind(*info_, OperandKind::kFormat)) return true;
  const auto expected =
      static_cast<size_t>(std::count_if(info_->operands.begin(), info_->operands.end(),
                                        [](const Operand& o) { return IsTextOperand(o.kind); }));
  size_t found = 0;
  if (!in_.AtEnd()) {
    const std::string_view rest = in_.line().substr(in_.position());
    const std::string_view statement = rest.substr(0, rest.find(';'));
    found = 1;
    bool in_phi = false;  // a comma between parentheses parts no operands
    for (const char c : statement) {
      in_phi = c == '(' || (in_phi && c != ')');
      found += c == ',' && !in_phi ? 1 : 0;
    }
  }
  if (found == expected) return true;
  return in_.Fail("expected " + Counted(expected, "operand") + " for " + Shown(mnemonic_) +
                  ", found " + std::to_string(found));
}

bool InstructionParser::ParseOperands() {
  bool first = true;
  for (const Operand& operand : info_->operands) {
    if (!IsTextOperand(operand.kind)) continue;
    if (operand.kind == OperandKind::kFormat && in_.Peek() != ',') continue;
    if (!first && !in_.Expect(',')) return false;
    first = false;
    if (!ParseOperand(operand)) return false;
  }
  return in_.ExpectEnd();
}

bool InstructionParser::ParseOperand(const Operand& operand) {
  uint8_t value = 0;
  switch (operand.kind) {
    case OperandKind::kDst:
    case OperandKind::kSrc:
    case OperandKind::kSrcFrom:
    case OperandKind::kShift:
    case OperandKind::kRun:
    case OperandKind::kCounter:
    case OperandKind::kByte:
    case OperandKind::kWord:
      if (!ParseRegister(&value)) return false;
      SetField(instruction(), operand.field, value);
      return true;
    case OperandKind::kPredDst:
    case OperandKind::kPredSrc:
      if (!ParsePredicate(&value)) return false;
      SetField(instruction(), operand.field, value);
      return true;
    case OperandKind::kGlobalAddress:
    case OperandKind::kSharedAddress:
    case OperandKind::kLocalAddress:
      return ParseAddress(operand.kind);
    case OperandKind::kCount:
      return ParseNumber(isa::kNumRegisters + 1, "a number of registers (0 to 256)",
                         &instruction().imm);
    case OperandKind::kDelta:
      return ParseNumber(UINT16_MAX + 1, "a step of the phase (0 to 65535)", &instruction().imm);
    case OperandKind::kImmediate:
      return ParseImmediateOperand();
    case OperandKind::kTarget:
      return ParseTarget();
    case OperandKind::kSreg:
      return ParseModWord(operand.kind);
    case OperandKind::kBarrierId:
      return ParseModNumber(isa::kNumBarriers, "a barrier number (0 to 15)");
    case OperandKind::kText:
    case OperandKind::kFormat:
      return ParseText();
    case OperandKind::kNeighbour:
      return ParseModNumber(isa::kNumNeighbours, "the number of a neighbour (0 to 5)");
    case OperandKind::kOptPred:
    case OperandKind::kCondition:
    case OperandKind::kAtomicOp:
    case OperandKind::kAccuracy:
    case OperandKind::kScope:
    case OperandKind::kBlockOp:
      break;  // suffixes, parsed with the mnemonic
  }
  return true;
}

bool InstructionParser::ParseNumbered(char letter, uint32_t limit, std::string_view what,
                                      uint8_t* value) {
  in_.Peek();
  const size_t start = in_.position();
  const std::string word = ToLower(in_.Word());
  const bool digits = word.size() >= 2 && word.size() <= 4 &&
                      word.find_first_not_of("0123456789", 1) == std::string::npos;
  const std::optional<uint64_t> number =
      digits && word[0] == letter ? ParseUnsigned(std::string_view(word).substr(1)) : std::nullopt;
  if (!number || *number >= limit) {
    in_.MoveTo(start);
    return in_.FailExpected(what);
  }
  *value = static_cast<uint8_t>(*number);
  return true;
}

// [rA + rB*size], [rA + rB*size + bytes], [sA + rB*size] or [lA + rB*size]
bool InstructionParser::ParseAddress(OperandKind kind) {
  const bool global = kind == OperandKind::kGlobalAddress;
  uint8_t& array = instruction().a;
  instruction().mode = isa::kIndexedMode;
  if (!in_.Expect('[')) return false;
  if (global && !isa::IsAtomic(instruction().op)) {
    in_.Peek();
    const size_t start = in_.position();
    const std::string word = ToLower(in_.Word());
    if (word == "phi") return ParsePhi();
    if (word == "boundary") return ParseBoundary();
    in_.MoveTo(start);
  }
  if (global && !ParseRegister(&array)) return false;
  if (kind == OperandKind::kSharedAddress &&
      !ParseNumbered('s', isa::kMaxSharedArrays, "a shared array (s0 to s15)", &array)) {
    return false;
  }
  if (kind == OperandKind::kLocalAddress &&
      !ParseNumbered('l', isa::kMaxLocalArrays, "a local array (l0 to l15)", &array)) {
    return false;
  }
  if (IsWithoutIndex()) {
    result_.needs_index = true;
    if (global && !ParseDisplacement()) return false;
    return in_.Expect(']');
  }
  if (!in_.Expect('+') || !ParseRegister(&instruction().b) || !in_.Expect('*')) return false;
  in_.Peek();
  const size_t start = in_.position();
  const std::string_view scale = in_.Word();
  const std::string size = std::to_string(SizeOf(instruction().type));
  if (scale != size) {
    in_.MoveTo(start);
    return in_.FailExpected(size + ", the size of " + std::string(NameOf(instruction().type)));
  }
  if (global && !ParseDisplacement()) return false;
  return in_.Expect(']');
}

// "]", "+ 8" or "- 8" follows.
bool InstructionParser::IsWithoutIndex() {
  const char next = in_.Peek();
  if (next == ']') return true;
  if (next != '+' && next != '-') return false;
  const size_t start = in_.position();
  in_.Take(next);
  const char digit = in_.Peek();
  in_.MoveTo(start);
  return digit >= '0' && digit <= '9';
}

// (class, page, byte)]
bool InstructionParser::ParsePhi() {
  instruction().mode = isa::kPhiMode;
  uint64_t class_index = 0;
  uint64_t page = 0;
  uint64_t byte = 0;
  if (!in_.Expect('(') || !ParseNumber(isa::kNumClasses, "a class (0 to 95)", &class_index) ||
      !in_.Expect(',') || !ParseNumber(isa::kPagesPerClass, "a page (0 to 47)", &page) ||
      !in_.Expect(',') || !ParseNumber(isa::kBytesPerPage, "a byte (0 to 255)", &byte)) {
    return false;
  }
  instruction().imm = class_index * isa::kBytesPerClass + page * isa::kBytesPerPage + byte;
  return in_.Expect(')') && in_.Expect(']');
}

// + rB]
bool InstructionParser::ParseBoundary() {
  instruction().mode = isa::kClassMode;
  return in_.Expect('+') && ParseRegister(&instruction().b) && in_.Expect(']');
}

bool InstructionParser::ParseDisplacement() {
  const bool negative = in_.Peek() == '-';
  if (!negative && in_.Peek() != '+') return true;
  in_.Take(negative ? '-' : '+');
  in_.Peek();
  const size_t start = in_.position();
  const std::optional<uint64_t> bytes = ParseUnsigned(in_.Word());
  const uint64_t limit = (uint64_t{1} << 63) - (negative ? 0 : 1);
  if (!bytes || *bytes > limit) {
    in_.MoveTo(start);
    return in_.FailExpected("a displacement in bytes");
  }
  instruction().imm = negative ? ~*bytes + 1 : *bytes;
  return true;
}

bool InstructionParser::ParseModWord(OperandKind kind) {
  in_.Peek();
  const size_t start = in_.position();
  const std::string word = ToLower(in_.Word());
  const std::vector<std::string_view> words = WordsOf(kind);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    in_.MoveTo(start);
    return in_.FailExpected("one of " + Join(std::vector<std::string>(words.begin(), words.end())));
  }
  instruction().mod = static_cast<uint8_t>(found - words.begin());
  return true;
}

// A number below `limit`; `what` is said where there is none.
bool InstructionParser::ParseNumber(uint64_t limit, std::string_view what, uint64_t* value) {
  in_.Peek();
  const size_t start = in_.position();
  const std::optional<uint64_t> number = ParseUnsigned(in_.Word());
  if (!number || *number >= limit) {
    in_.MoveTo(start);
    return in_.FailExpected(what);
  }
  *value = *number;
  return true;
}

bool InstructionParser::ParseModNumber(uint64_t limit, std::string_view what) {
  uint64_t value = 0;
  if (!ParseNumber(limit, what, &value)) return false;
  instruction().mod = static_cast<uint8_t>(value);
  return true;
}

bool InstructionParser::ParseImmediateOperand() {
  in_.Peek();
  const size_t start = in_.position();
  const std::string_view token = in_.Token();
  if (token.empty()) return in_.FailExpected("a number");
  std::string error;
  const std::optional<uint64_t> bits = ParseImmediate(token, instruction().type, &error);
  if (!bits) return in_.FailAt(start, error);
  instruction().imm = *bits;
  return true;
}

bool InstructionParser::ParseText() {
  constexpr std::string_view kExpected =
      "a text of 1 to 8 bytes, none of them zero, as in \"x = \"";
  if (in_.Peek() != '"') return in_.FailExpected(kExpected);
  const size_t start = in_.position();
  const std::optional<std::string> text = in_.Name();
  if (!text) return false;
  if (text->empty() || text->size() > isa::kMaxTextBytes || text->find('\0') != std::string::npos) {
    in_.MoveTo(start);
    return in_.FailExpected(kExpected);
  }
  instruction().imm = isa::ImmediateOf(*text);
  return true;
}

bool InstructionParser::ParseTarget() {
  if (in_.Peek() != '@') return in_.FailExpected("a label, as in @L1");
  in_.Take('@');
  result_.label_position = in_.position();
  const std::string_view word = in_.Word();
  if (!IsIdentifier(word)) {
    in_.MoveTo(result_.label_position);
    return in_.FailExpected("the name of a label");
  }
  result_.label = word;
  return true;
}

}  // namespace

std::optional<ParsedInstruction> ParseInstruction(Cursor& in) {
  return InstructionParser(in).Run();
}

}  // namespace hologram::text
