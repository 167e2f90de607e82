// Circuits: the text, the tree it represents, and back. The grammar is the union of the formal and
// the circuit dialect (docs/sigmatics.md). Parsing takes linear time; nesting deeper than
// kMaxNesting and texts longer than kMaxTextBytes are errors. Print is the inverse of Parse:
// Parse(Print(c)) == c for every circuit that Parse made. Thread-safe: no state.
// Tested by tests/sigmatics/parser_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/type.h"
#include "sigmatics/algebra/sigil_class.h"
#include "sigmatics/algebra/transform.h"
#include "sigmatics/error.h"
#include "sigmatics/values/variant.h"

namespace hologram::sigmatics {

inline constexpr size_t kMaxTextBytes = size_t{1} << 20;
inline constexpr uint32_t kMaxNesting = 256;
// Amounts of transforms. kMaxNesting of them can be added without overflow.
inline constexpr int64_t kMaxAmount = (int64_t{1} << 53) - 1;
inline constexpr uint32_t kMaxRowLanes = 1024;
inline constexpr uint32_t kMaxCut = uint32_t{1} << 31;

enum class Generator : uint8_t {
  kMark,
  kCopy,
  kSwap,
  kMerge,
  kSplit,
  kQuote,
  kEvaluate,
  kReduceSum,
  kReduceMin,
  kReduceMax,
  kReduceProd,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kReduceFma,
  kSoftmax,
};
inline constexpr int kNumGenerators = 16;

constexpr std::string_view NameOf(Generator generator) {
  constexpr std::string_view kNames[kNumGenerators] = {
      "mark",      "copy",       "swap",       "merge",      "split",       "quote",
      "evaluate",  "reduce_sum", "reduce_min", "reduce_max", "reduce_prod", "reduce_and",
      "reduce_or", "reduce_xor", "reduce_fma", "softmax"};
  return kNames[static_cast<size_t>(generator)];
}

// `^R+1`, `^D-2`, `^T+3`; the text `^+3` is a T too.
struct Power {
  char letter = 'T';
  int64_t amount = 0;
  bool operator==(const Power&) const = default;
};

// The power and then the mirror of a sigil or range.
struct Postfix {
  std::optional<Power> power;
  bool mirror = false;
  Transform transform() const;
  bool operator==(const Postfix&) const = default;
};

struct Sigil {
  SigilClass base;  // as written
  Postfix postfix;
  std::optional<uint8_t> page;
  bool operator==(const Sigil&) const = default;
};

// `#2`, `#-2.5`, `#1:u32`. A literal with a point, an exponent, inf or nan is a float; equal bits
// are equal. Without a type it has the type of its neighbour.
struct Literal {
  bool is_float = false;
  bool negative = false;   // of an integer
  uint64_t magnitude = 0;  // of an integer; the bits of the double if is_float
  std::optional<isa::Type> type = std::nullopt;
  // The default type.
  isa::Type own_type() const { return type.value_or(is_float ? isa::Type::kF32 : isa::Type::kI32); }
  static Literal OfDouble(double value);
  double AsDouble() const;  // REQUIRES: is_float
  auto operator<=>(const Literal&) const = default;
};
std::string TextOf(const Literal& literal);

// Operand of an operation.
struct Operand {
  enum class Kind : uint8_t { kSigil, kScalar, kLiteral };
  Kind kind = Kind::kSigil;
  Sigil sigil;
  std::string scalar;  // the name behind `$`
  Literal literal;
  size_t column = 0;  // not part of what it is
  bool operator==(const Operand& other) const {
    return kind == other.kind && sigil == other.sigil && scalar == other.scalar &&
           literal == other.literal;
  }
};

// `c[first..last]`, both ends included, first < last.
struct ClassRange {
  uint8_t first = 0;
  uint8_t last = 0;
  Postfix postfix;
  bool operator==(const ClassRange&) const = default;
};

struct Operation {
  enum class Form : uint8_t {
    kSigil,     // mark@c05, and any generator in the formal dialect
    kArrow,     // copy@c05->c06; reductions of one vector and softmax, with an optional count #n
    kExchange,  // swap@c05<->c06
    kBracket,   // merge@c00[c01,c02]: source, the sources in the bracket, destination
    kRange,     // mark@c[0..9]
    kRanges,    // merge@c[0..9][c[10..19],c[20..29]]
  };
  Generator generator = Generator::kMark;
  std::optional<Variant> variant;
  Form form = Form::kSigil;
  std::vector<Operand> operands;   // of all forms but the last two
  std::vector<ClassRange> ranges;  // of the last two
  std::optional<uint64_t> count;
  size_t column = 0;  // not part of what it is
  bool operator==(const Operation& other) const {
    return generator == other.generator && variant == other.variant && form == other.form &&
           operands == other.operands && ranges == other.ranges && count == other.count;
  }
};

// `R+1 D-1 T+2 ~`. Absent and zero amounts differ in text only.
struct Prefix {
  std::optional<int64_t> r;
  std::optional<int64_t> d;
  std::optional<int64_t> t;
  bool mirror = false;
  Transform transform() const { return {r.value_or(0), d.value_or(0), t.value_or(0), mirror}; }
  bool operator==(const Prefix&) const = default;
};

struct Sequence;

struct Term {
  enum class Kind : uint8_t { kOperation, kGroup, kPrefixed };
  Kind kind = Kind::kOperation;
  Operation operation;
  Prefix prefix;               // of kPrefixed
  std::vector<Sequence> body;  // of kGroup and kPrefixed: branches separated by ||
  size_t column = 0;           // not part of what it is
  bool operator==(const Term& other) const;
};

struct Sequence {
  std::vector<Term> terms;  // separated by `.`
  bool operator==(const Sequence&) const = default;
};

inline bool Term::operator==(const Term& other) const {
  return kind == other.kind && operation == other.operation && prefix == other.prefix &&
         body == other.body;
}

// `(f32 c00, shared f32 c01, column f32 c02, f32 $a) -> (f32 c03) over n by 64`: the parameters of
// a kernel.
struct HeaderParameter {
  isa::Type type = isa::Type::kF32;
  bool is_scalar = false;
  bool is_shared = false;  // an input that all rows have, of the length of one
  bool is_column = false;  // an input that has one number for each row
  SigilClass buffer;
  std::string scalar;
  bool operator==(const HeaderParameter&) const = default;
};

struct Header {
  std::vector<HeaderParameter> inputs;
  std::vector<HeaderParameter> outputs;  // buffers; one that is an input too is updated in place
  std::string size;
  // `by 64`: 64 lanes have a row, lane t the elements t, t + 64, ... in this order. 0: not said.
  uint32_t lanes = 0;
  // `cut 4096`, behind `by`: rows of 4,096 elements of the `size` that there are. 0: rows of
  // `size`.
  uint32_t cut = 0;
  bool operator==(const Header&) const = default;
};

struct Circuit {
  std::optional<Header> header;
  std::vector<Sequence> branches;
  bool operator==(const Circuit&) const = default;
};

Checked<Circuit> Parse(std::string_view text);
std::string Print(const Circuit& circuit);
std::string Print(const Header& header);
std::string Print(const Operand& operand);
std::string Print(SigilClass c);  // "c05"

}  // namespace hologram::sigmatics
