// Tokens -> circuit, by recursive descent whose depth is bounded by kMaxNesting. The first error
// ends it: what follows a mistake in a circuit cannot be told apart from its consequences.
#include <algorithm>
#include <array>

#include "base/quote.h"
#include "sigmatics/circuit.h"
#include "sigmatics/lexer.h"

namespace hologram::sigmatics {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Checked<Circuit> Run() {
    Circuit circuit;
    if (AtHeader()) circuit.header = ParseHeader();
    if (!failed_) circuit.branches = ParseBranches();
    if (!failed_ && Peek().kind != TokenKind::kEnd) {
      Fail(ErrorKind::kSyntax, "expected '.', '||' or the end, found " + Found());
    }
    if (failed_) return error_;
    return circuit;
  }

 private:
  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
  }
  bool At(TokenKind kind) const { return Peek().kind == kind; }
  const Token& Take() { return tokens_[std::min(position_++, tokens_.size() - 1)]; }
  bool TakeIf(TokenKind kind) {
    if (!At(kind)) return false;
    Take();
    return true;
  }
  std::string_view TextOfToken(const Token& token) const {
    return text_.substr(token.offset, token.size);
  }
  std::string Found() const { return At(TokenKind::kEnd) ? "the end" : Shown(TextOfToken(Peek())); }
  size_t Column() const { return Peek().offset + size_t{1}; }

  void FailAt(ErrorKind kind, size_t column, std::string message) {
    if (failed_) return;
    failed_ = true;
    error_ = {kind, column, std::move(message)};
  }
  void Fail(ErrorKind kind, std::string message) { FailAt(kind, Column(), std::move(message)); }

  bool Expect(TokenKind kind, std::string_view what) {
    if (failed_) return false;
    if (TakeIf(kind)) return true;
    Fail(ErrorKind::kSyntax, "expected " + std::string(what) + ", found " + Found());
    return false;
  }

  // ---- Header

  // A circuit cannot begin with a type in parentheses, nor with `()`.
  bool AtHeader() const {
    if (!At(TokenKind::kOpen)) return false;
    const TokenKind next = Peek(1).kind;
    if (next == TokenKind::kType || next == TokenKind::kShared || next == TokenKind::kColumn) {
      return true;
    }
    return Peek(1).kind == TokenKind::kClose && Peek(2).kind == TokenKind::kArrow;
  }

  std::vector<HeaderParameter> ParseParameters(bool scalars) {
    std::vector<HeaderParameter> parameters;
    Expect(TokenKind::kOpen, "'('");
    if (TakeIf(TokenKind::kClose)) return parameters;
    do {
      HeaderParameter parameter;
      parameter.is_shared = scalars && TakeIf(TokenKind::kShared);
      parameter.is_column = scalars && !parameter.is_shared && TakeIf(TokenKind::kColumn);
      const bool is_plain = !parameter.is_shared && !parameter.is_column;
      parameter.type = static_cast<isa::Type>(Peek().number);
      if (!Expect(TokenKind::kType, "a type as in (f32 c00)")) break;
      parameter.is_scalar = scalars && is_plain && At(TokenKind::kScalar);
      if (parameter.is_scalar) {
        parameter.scalar = TextOfToken(Take()).substr(1);
      } else {
        const bool any = scalars && is_plain;
        parameter.buffer = ParseClass(any ? "a class or $scalar" : "a class");
      }
      parameters.push_back(std::move(parameter));
    } while (!failed_ && TakeIf(TokenKind::kComma));
    Expect(TokenKind::kClose, "',' or ')'");
    return parameters;
  }

  Header ParseHeader() {
    Header header;
    const size_t column = Column();
    header.inputs = ParseParameters(true);
    Expect(TokenKind::kArrow, "'->' and the outputs");
    header.outputs = ParseParameters(false);
    Expect(TokenKind::kOver, "'over' and the name of the size");
    const Token name = Peek();
    if (Expect(TokenKind::kName, "the name of the size")) header.size = TextOfToken(name);
    ParseRows(header);
    CheckHeader(header, column);
    return header;
  }

  // `by 64`, `by 256 cut 4096`.
  void ParseRows(Header& header) {
    if (failed_ || !TakeIf(TokenKind::kBy)) return;
    header.lanes = ParseSize("a number of lanes", kMaxRowLanes);
    if (failed_ || !TakeIf(TokenKind::kCut)) return;
    const size_t column = Column();
    header.cut = ParseSize("a number of elements", kMaxCut);
    if (failed_ || header.cut % header.lanes == 0) return;
    FailAt(ErrorKind::kRange, column,
           "rows of " + std::to_string(header.cut) + " elements are no multiple of " +
               std::to_string(header.lanes) + " lanes");
  }

  uint32_t ParseSize(std::string_view what, uint32_t most) {
    const Token number = Peek();
    if (!Expect(TokenKind::kNumber, what)) return 0;
    if (!number.too_large && number.number >= 1 && number.number <= most) {
      return static_cast<uint32_t>(number.number);
    }
    FailAt(ErrorKind::kRange, number.offset + size_t{1},
           std::string(what) + " is 1 to " + std::to_string(most) + ", found " +
               Shown(TextOfToken(number)));
    return 0;
  }

  static bool IsNameOfBuffer(const Header& header, const std::string& name) {
    const auto has_it = [&](const HeaderParameter& parameter) {
      return !parameter.is_scalar && Print(parameter.buffer) == name;
    };
    return std::any_of(header.inputs.begin(), header.inputs.end(), has_it) ||
           std::any_of(header.outputs.begin(), header.outputs.end(), has_it);
  }

  void CheckHeader(const Header& header, size_t column) {
    std::vector<std::string> scalars;
    std::array<const HeaderParameter*, kNumSigilClasses> inputs{};
    std::array<bool, kNumSigilClasses> is_output{};
    const auto fail = [&](std::string message) {
      FailAt(ErrorKind::kSemantic, column, std::move(message));
    };
    for (const HeaderParameter& parameter : header.inputs) {
      if (parameter.is_scalar) {
        if (std::find(scalars.begin(), scalars.end(), parameter.scalar) != scalars.end()) {
          fail("the header has $" + parameter.scalar + " twice");
        }
        scalars.push_back(parameter.scalar);
      } else {
        const HeaderParameter*& slot = inputs[parameter.buffer.index()];
        if (slot != nullptr) fail("the header has the input " + Print(parameter.buffer) + " twice");
        slot = &parameter;
      }
    }
    for (const HeaderParameter& parameter : header.outputs) {
      const uint8_t index = parameter.buffer.index();
      if (is_output[index]) fail("the header has the output " + Print(parameter.buffer) + " twice");
      is_output[index] = true;
      if (inputs[index] != nullptr && inputs[index]->type != parameter.type) {
        fail("the header gives " + Print(parameter.buffer) + " two types");
      }
      if (inputs[index] != nullptr && inputs[index]->is_shared) {
        fail("the header has the output " + Print(parameter.buffer) + ", which rows share");
      }
      if (inputs[index] != nullptr && inputs[index]->is_column) {
        fail("the header has the output " + Print(parameter.buffer) + ", which is a column");
      }
    }
    if (header.outputs.empty()) fail("the header has no output");
    // Scalars, buffers and the size become parameters, which are found by name.
    scalars.push_back(header.size);
    for (size_t i = 0; i < scalars.size(); ++i) {
      const bool buffer = IsNameOfBuffer(header, scalars[i]);
      const bool twice = std::find(scalars.begin(), scalars.begin() + static_cast<ptrdiff_t>(i),
                                   scalars[i]) != scalars.begin() + static_cast<ptrdiff_t>(i);
      if (buffer || twice) fail("the header has the name " + scalars[i] + " twice");
    }
  }

  // ---- Structure

  std::vector<Sequence> ParseBranches() {
    std::vector<Sequence> branches;
    if (depth_ >= kMaxNesting) {
      Fail(ErrorKind::kLimit, "more than " + std::to_string(kMaxNesting) + " levels of nesting");
      return branches;
    }
    ++depth_;
    do {
      Sequence sequence;
      do {
        sequence.terms.push_back(ParseTerm());
      } while (!failed_ && TakeIf(TokenKind::kDot));
      branches.push_back(std::move(sequence));
    } while (!failed_ && TakeIf(TokenKind::kBars));
    --depth_;
    return branches;
  }

  Term ParseTerm() {
    Term term;
    term.column = Column();
    if (TakeIf(TokenKind::kOpen)) {
      term.kind = Term::Kind::kGroup;
      term.body = ParseBranches();
      Expect(TokenKind::kClose, "'.', '||' or ')'");
    } else if (At(TokenKind::kLetter) || At(TokenKind::kTilde)) {
      // It takes the whole rest of the group.
      term.kind = Term::Kind::kPrefixed;
      term.prefix = ParsePrefix();
      if (!failed_) term.body = ParseBranches();
    } else if (At(TokenKind::kGenerator)) {
      ParseOperation(term.operation);
    } else {
      Fail(ErrorKind::kSyntax, "expected an operation, a group or a transform, found " + Found());
    }
    return term;
  }

  Prefix ParsePrefix() {
    Prefix prefix;
    int rank = 0;
    while (!failed_ && At(TokenKind::kLetter)) {
      const char letter = static_cast<char>(Peek().number);
      const int its_rank = letter == 'R' ? 1 : letter == 'D' ? 2 : 3;
      if (its_rank <= rank) {
        Fail(ErrorKind::kSyntax,
             "transforms come once each, in the order R D T ~; found " + Found());
        return prefix;
      }
      rank = its_rank;
      Take();
      (letter == 'R' ? prefix.r : letter == 'D' ? prefix.d : prefix.t) = ParseAmount();
    }
    if (!failed_) prefix.mirror = TakeIf(TokenKind::kTilde);
    Expect(TokenKind::kAt, rank == 3 || prefix.mirror ? "'@'" : "'@' or another transform");
    return prefix;
  }

  int64_t ParseAmount() {
    const bool negative = At(TokenKind::kMinus);
    if (!negative && !At(TokenKind::kPlus)) {
      Fail(ErrorKind::kSyntax, "expected '+' or '-' and a number, found " + Found());
      return 0;
    }
    Take();
    const Token number = Peek();
    if (!Expect(TokenKind::kNumber, "a number")) return 0;
    if (number.too_large || number.number > static_cast<uint64_t>(kMaxAmount)) {
      FailAt(ErrorKind::kRange, number.offset + size_t{1},
             "number too large: " + Shown(TextOfToken(number)) + " is above " +
                 std::to_string(kMaxAmount));
      return 0;
    }
    const int64_t amount = static_cast<int64_t>(number.number);
    return negative ? -amount : amount;
  }

  // ---- Operations

  SigilClass ParseClass(std::string_view what) {
    const Token token = Peek();
    if (!Expect(TokenKind::kClass, what)) return {};
    const auto c = token.too_large ? std::nullopt : SigilClass::FromIndex(token.number);
    if (!c) {
      FailAt(ErrorKind::kRange, token.offset + size_t{1},
             "class " + Shown(TextOfToken(token)) + " is above c95");
      return {};
    }
    return *c;
  }

  Postfix ParsePostfix() {
    Postfix postfix;
    if (!failed_ && TakeIf(TokenKind::kCaret)) {
      Power power;
      if (At(TokenKind::kLetter)) power.letter = static_cast<char>(Take().number);
      power.amount = ParseAmount();
      postfix.power = power;
    }
    if (!failed_) postfix.mirror = TakeIf(TokenKind::kTilde);
    return postfix;
  }

  Operand ParseSigil(std::string_view what = "a class") {
    Operand operand;
    operand.column = Column();
    operand.sigil.base = ParseClass(what);
    operand.sigil.postfix = ParsePostfix();
    if (failed_ || !TakeIf(TokenKind::kAt)) return operand;
    const Token page = Peek();
    if (!Expect(TokenKind::kNumber, "a page")) return operand;
    if (page.too_large || page.number >= kBeltPages) {
      FailAt(ErrorKind::kRange, page.offset + size_t{1},
             "page " + Shown(TextOfToken(page)) + " is above 47");
      return operand;
    }
    operand.sigil.page = static_cast<uint8_t>(page.number);
    return operand;
  }

  // A class, a scalar or a literal.
  Operand ParseSource() {
    Operand operand;
    operand.column = Column();
    if (At(TokenKind::kScalar)) {
      operand.kind = Operand::Kind::kScalar;
      operand.scalar = TextOfToken(Take()).substr(1);
      return operand;
    }
    if (At(TokenKind::kLiteral)) {
      if (Peek().too_large) {
        const bool is_float = TextOfToken(Peek()).find_first_of(".eE") != std::string::npos;
        Fail(
            ErrorKind::kRange,
            "number too large: " + Found() +
                (is_float ? " is beyond the largest f64"
                          : " is beyond 18446744073709551615; a float has a point or an exponent"));
        return operand;
      }
      operand.kind = Operand::Kind::kLiteral;
      operand.literal = ParseLiteral(TextOfToken(Take()));
      if (TakeIf(TokenKind::kColon)) operand.literal.type = ParseLiteralType();
      return operand;
    }
    return ParseSigil("a class, a range, $scalar or #literal");
  }

  std::optional<isa::Type> ParseLiteralType() {
    const Token name = Peek();
    if (!Expect(TokenKind::kName, "a type")) return std::nullopt;
    const std::optional<isa::Type> type = isa::ParseType(TextOfToken(name));
    if (!type) {
      FailAt(ErrorKind::kSyntax, name.offset + size_t{1},
             "expected a type, found " + Shown(TextOfToken(name)));
    }
    return type;
  }

  uint8_t ParseRangeEnd() {
    const Token number = Peek();
    if (!Expect(TokenKind::kNumber, "a class number")) return 0;
    if (number.too_large || number.number >= kNumSigilClasses) {
      FailAt(ErrorKind::kRange, number.offset + size_t{1},
             "class " + Shown(TextOfToken(number)) + " is above 95");
      return 0;
    }
    return static_cast<uint8_t>(number.number);
  }

  ClassRange ParseRange() {
    ClassRange range;
    const size_t column = Column();
    if (!Expect(TokenKind::kRangeStart, "a range c[0..9]")) return range;
    range.first = ParseRangeEnd();
    Expect(TokenKind::kDots, "'..'");
    if (!failed_) range.last = ParseRangeEnd();
    Expect(TokenKind::kCloseBracket, "']'");
    if (!failed_ && range.first >= range.last) {
      FailAt(ErrorKind::kRange, column, "a range goes from a class to a higher one");
    }
    range.postfix = ParsePostfix();
    return range;
  }

  void ParseVariant(Operation& operation) {
    const Token name = Peek();
    if (!Expect(TokenKind::kName, "a variant")) return;
    const size_t column = name.offset + size_t{1};
    if (operation.generator != Generator::kMerge && operation.generator != Generator::kSplit) {
      FailAt(ErrorKind::kSyntax, column,
             "only merge and split have variants, not " + std::string(NameOf(operation.generator)));
      return;
    }
    operation.variant = FindVariant(TextOfToken(name));
    if (!operation.variant) {
      FailAt(ErrorKind::kSemantic, column, "unknown variant " + Shown(TextOfToken(name)));
      return;
    }
    const bool splits =
        operation.variant->Is(isa::Opcode::kSub) || operation.variant->Is(isa::Opcode::kDiv);
    if (operation.generator == Generator::kSplit && !splits) {
      FailAt(ErrorKind::kSemantic, column,
             "split is sub or div; write merge:" + TextOf(*operation.variant));
    }
  }

  void ParseOperation(Operation& operation) {
    operation.column = Column();
    operation.generator = static_cast<Generator>(Take().number);
    if (TakeIf(TokenKind::kColon)) ParseVariant(operation);
    Expect(TokenKind::kAt, "'@'");
    if (failed_) return;
    if (At(TokenKind::kRangeStart)) {
      ParseRanges(operation);
      return;
    }
    operation.operands.push_back(ParseSource());
    if (failed_) return;
    switch (operation.generator) {
      case Generator::kCopy:
      case Generator::kReduceSum:
      case Generator::kReduceMin:
      case Generator::kReduceMax:
      case Generator::kReduceProd:
      case Generator::kReduceAnd:
      case Generator::kReduceOr:
      case Generator::kReduceXor:
      case Generator::kSoftmax:
        ParseArrow(operation);
        break;
      case Generator::kSwap:
        if (!TakeIf(TokenKind::kExchange)) break;
        operation.form = Operation::Form::kExchange;
        operation.operands.push_back(ParseSigil());
        break;
      case Generator::kMerge:
      case Generator::kSplit:
      case Generator::kReduceFma:
        if (TakeIf(TokenKind::kOpenBracket)) ParseBracket(operation);
        break;
      case Generator::kMark:
      case Generator::kQuote:
      case Generator::kEvaluate:
        break;
    }
    CheckPlaces(operation);
  }

  void ParseArrow(Operation& operation) {
    if (!TakeIf(TokenKind::kArrow)) return;
    operation.form = Operation::Form::kArrow;
    operation.operands.push_back(ParseSigil());
    if (failed_ || operation.generator == Generator::kCopy || !At(TokenKind::kLiteral)) return;
    const Token count = Take();
    const Literal literal = count.too_large ? Literal{} : ParseLiteral(TextOfToken(count));
    if (count.too_large || literal.is_float || literal.negative || literal.magnitude == 0) {
      FailAt(ErrorKind::kRange, count.offset + size_t{1},
             "a count is a whole number above 0, found " + Shown(TextOfToken(count)));
      return;
    }
    operation.count = literal.magnitude;
  }

  void ParseBracket(Operation& operation) {
    operation.form = Operation::Form::kBracket;
    do {
      if (operation.operands.size() == 4) {
        Fail(ErrorKind::kSyntax, "expected ']', found " + Found());
        return;
      }
      operation.operands.push_back(ParseSource());
    } while (!failed_ && TakeIf(TokenKind::kComma));
    Expect(TokenKind::kCloseBracket, "',' or ']'");
    if (failed_ || operation.operands.size() > 2) return;
    FailAt(ErrorKind::kSyntax, operation.operands.back().column,
           "expected a context and a destination in the bracket, found one operand");
  }

  // A destination is a class, and so is the only operand of an operation.
  void CheckPlaces(const Operation& operation) {
    if (failed_) return;
    const Operand& last = operation.operands.back();
    const bool swap = operation.generator == Generator::kSwap;
    for (const Operand* operand : {&last, swap ? &operation.operands.front() : &last}) {
      if (operand->kind == Operand::Kind::kSigil) continue;
      FailAt(ErrorKind::kSyntax, operand->column,
             "expected a class here, found " + Shown(Print(*operand)));
    }
  }

  void ParseRanges(Operation& operation) {
    const size_t column = Column();
    operation.form = Operation::Form::kRange;
    operation.ranges.push_back(ParseRange());
    if (failed_) return;
    const bool merge = operation.generator == Generator::kMerge;
    if (!merge && operation.generator != Generator::kMark &&
        operation.generator != Generator::kQuote && operation.generator != Generator::kEvaluate) {
      FailAt(ErrorKind::kSyntax, column,
             std::string(NameOf(operation.generator)) + " takes no range");
      return;
    }
    if (!merge || !TakeIf(TokenKind::kOpenBracket)) return;
    operation.form = Operation::Form::kRanges;
    operation.ranges.push_back(ParseRange());
    Expect(TokenKind::kComma, "','");
    if (!failed_) operation.ranges.push_back(ParseRange());
    Expect(TokenKind::kCloseBracket, "']'");
    if (failed_) return;
    const auto length = [](const ClassRange& range) { return range.last - range.first; };
    for (const ClassRange& range : operation.ranges) {
      if (length(range) == length(operation.ranges[0])) continue;
      FailAt(ErrorKind::kRange, column, "the three ranges have different lengths");
    }
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  uint32_t depth_ = 0;
  bool failed_ = false;
  CircuitError error_;
};

}  // namespace

Checked<Circuit> Parse(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return CircuitError{ErrorKind::kLimit, kMaxTextBytes + 1,
                        "the circuit is longer than " + std::to_string(kMaxTextBytes) + " bytes"};
  }
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(text));
  return Parser(text, std::move(tokens)).Run();
}

}  // namespace hologram::sigmatics
