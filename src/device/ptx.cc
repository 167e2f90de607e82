#include "device/ptx.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "base/check.h"

namespace hologram::device {
namespace {

// By type. Registers of integers that are smaller have 32 bits.
constexpr std::string_view kRegisterName[kNumScalars] = {"%p", "%r", "%r", "%r", "%d", "%f", "%g"};
constexpr int kFileOf[kNumScalars] = {0, 1, 1, 1, 2, 3, 4};
constexpr std::string_view kBitsName[kNumScalars] = {"pred", "b32", "b32", "b32",
                                                     "b64",  "b32", "b64"};
constexpr std::string_view kUnsignedName[kNumScalars] = {"pred", "u32", "u32", "u32",
                                                         "u64",  "f32", "f64"};
constexpr std::string_view kSignedName[kNumScalars] = {"pred", "s32", "s32", "s32",
                                                       "s64",  "f32", "f64"};
// In memory.
constexpr std::string_view kMemoryName[kNumScalars] = {"", "u8", "u16", "u32", "u64", "f32", "f64"};
constexpr std::string_view kSmallName[2][kNumScalars] = {{"", "u8", "u16"}, {"", "s8", "s16"}};

constexpr bool IsSmall(Scalar type) {
  return type == Scalar::kI8 || type == Scalar::kI16;
}

std::string_view SpaceName(Space space) {
  constexpr std::string_view kNames[] = {"global", "shared", "local", "global"};
  return kNames[static_cast<size_t>(space)];
}

void PutHex(std::string& text, uint64_t bits, int digits) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (int k = digits; k-- > 0;) text += kDigits[bits >> (4 * k) & 15];
}

template <class Number>
void PutDecimal(std::string& text, Number number) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

// ---- Operands

void PtxWriter::PutConstant(std::string& text, const ValueFact& fact) {
  switch (fact.type) {
    case Scalar::kF32:
      text += "0f";
      return PutHex(text, fact.bits, 8);
    case Scalar::kF64:
      text += "0d";
      return PutHex(text, fact.bits, 16);
    case Scalar::kI64:
      return PutDecimal(text, static_cast<int64_t>(fact.bits));
    default:
      return PutDecimal(text, static_cast<int32_t>(fact.bits));
  }
}

void PtxWriter::Put(std::string& text, const Piece& piece) const {
  if (piece.as == Piece::As::kLabel) {
    text += "$L";
    return PutDecimal(text, piece.number);
  }
  const ValueFact& fact = values_[piece.number];
  if (piece.as == Piece::As::kValue) {
    if (fact.kind == Kind::kConstant) return PutConstant(text, fact);
    text += kRegisterName[static_cast<size_t>(fact.type)];
    return PutDecimal(text, fact.number);
  }
  text += fact.space == Space::kShared ? "[%r" : "[%d";
  PutDecimal(text, fact.number);
  if (fact.bits != 0) {
    text += '+';
    PutDecimal(text, static_cast<int64_t>(fact.bits));
  }
  text += ']';
}

Value PtxWriter::NewValue(Scalar type, Kind kind) {
  uses_f64_ |= type == Scalar::kF64;
  ValueFact& fact = values_.emplace_back();
  fact.type = type;
  fact.kind = kind;
  return static_cast<Value>(values_.size() - 1);
}

Value PtxWriter::NewRegister(Scalar type) {
  const Value value = NewValue(type, Kind::kRegister);
  values_[value].number =
      function().registers[static_cast<size_t>(kFileOf[static_cast<size_t>(type)])]++;
  return value;
}

// The same register, or address, as another type.
Value PtxWriter::Alias(Value of, Scalar type) {
  const ValueFact fact = values_[of];
  const Value value = NewValue(type, fact.kind);
  values_[value] = fact;
  values_[value].type = type;
  return value;
}

Value PtxWriter::Constant(Scalar type, uint64_t bits) {
  const uint32_t width = BitsOf(type);
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  const auto [found, is_new] = constants_[static_cast<size_t>(type)].try_emplace(bits, 0);
  if (!is_new) return found->second;
  const Value value = found->second = NewValue(type, Kind::kConstant);
  values_[value].bits = bits;
  return value;
}

// In a register: where an instruction takes no number.
Value PtxWriter::Held(Value value) {
  const ValueFact fact = values_[value];
  if (fact.kind != Kind::kConstant) return value;
  const Value held = NewRegister(fact.type);
  if (fact.type == Scalar::kBool) {
    Code("setp.eq.u32 ", V(held), ",0,", fact.bits != 0 ? "0" : "1");
  } else {
    Code("mov.", kBitsName[static_cast<size_t>(fact.type)], " ", V(held), ",", V(value));
  }
  return held;
}

// Without what an operation has put above a small integer.
Value PtxWriter::Masked(Value value) {
  const Scalar type = TypeOf(value);
  if (IsSmall(type)) {
    Code("and.b32 ", V(value), ",", V(value), ",", type == Scalar::kI8 ? "255" : "65535");
  }
  return value;
}

// A small integer as one of 32 bits.
Value PtxWriter::Small(Value value, bool is_signed) {
  const ValueFact fact = values_[value];
  if (!IsSmall(fact.type)) return value;
  return Extended(value, Scalar::kI32, is_signed);
}

Value PtxWriter::Extended(Value value, Scalar to, bool is_signed) {
  const ValueFact fact = values_[value];
  if (fact.kind == Kind::kConstant) {
    const uint32_t width = BitsOf(fact.type);
    const bool negative = is_signed && (fact.bits >> (width - 1) & 1) != 0;
    return Constant(to, negative ? fact.bits | ~uint64_t{0} << width : fact.bits);
  }
  if (!is_signed && to != Scalar::kI64) return Alias(value, to);
  const Value result = NewRegister(to);
  const auto k = static_cast<size_t>(fact.type);
  const std::string_view from = IsSmall(fact.type) ? kSmallName[is_signed ? 1 : 0][k]
                                                   : (is_signed ? kSignedName : kUnsignedName)[k];
  Code("cvt.", (is_signed ? kSignedName : kUnsignedName)[static_cast<size_t>(to)], ".", from, " ",
       V(result), ",", V(value));
  if (fact.type == Scalar::kI32) {
    values_[result].narrow = value;
    values_[result].is_signed = is_signed;
  }
  return Masked(result);
}

// ---- Operations

Value PtxWriter::Emit(Unary op, Value a) {
  a = Held(a);
  const Scalar type = TypeOf(a);
  const auto k = static_cast<size_t>(type);
  if (op == Unary::kPopCount || op == Unary::kLeadingZeros) {
    const Value count = NewRegister(Scalar::kI32);
    Code(op == Unary::kPopCount ? "popc." : "clz.", kBitsName[k], " ", V(count), ",", V(a));
    if (op == Unary::kLeadingZeros && IsSmall(type)) {
      Code("sub.s32 ", V(count), ",", V(count), ",", type == Scalar::kI8 ? "24" : "16");
    }
    return type == Scalar::kI64 ? Extended(count, type, false) : Alias(count, type);
  }
  const Value result = NewRegister(type);
  if (op == Unary::kNot) {
    Code("not.", kBitsName[k], " ", V(result), ",", V(a));
    return Masked(result);
  }
  if (op == Unary::kNegate || op == Unary::kSqrt) {
    Code(op == Unary::kNegate ? "neg." : "sqrt.rn.", kSignedName[k], " ", V(result), ",", V(a));
    return result;
  }
  constexpr std::string_view kRoundings[kNumUnary] = {{},    {},    {},    {},   {},
                                                      "rmi", "rpi", "rzi", "rni"};
  Code("cvt.", kRoundings[static_cast<size_t>(op)], ".", kSignedName[k], ".", kSignedName[k], " ",
       V(result), ",", V(a));
  return result;
}

Value PtxWriter::FloatOperation(Binary op, Value a, Value b) {
  constexpr std::string_view kNames[] = {"add.rn.", "sub.rn.", "mul.rn.", "div.rn."};
  const Scalar type = TypeOf(a);
  const Value result = NewRegister(type);
  Code(kNames[static_cast<size_t>(op) - static_cast<size_t>(Binary::kFAdd)],
       kSignedName[static_cast<size_t>(type)], " ", V(result), ",", V(a), ",", V(b));
  return result;
}

// Amounts are of 32 bits, and below the number of bits.
Value PtxWriter::Shifted(Binary op, Value a, Value b) {
  const Scalar type = TypeOf(a);
  const auto k = static_cast<size_t>(type);
  if (type == Scalar::kI64) b = Emit(Cast::kTruncate, b, Scalar::kI32);
  if (op == Binary::kAShr) a = Small(a, true);
  const Value result = NewRegister(type);
  constexpr std::string_view kShl = "shl.";
  const std::string_view name = op == Binary::kShl ? kShl : "shr.";
  const std::string_view of = op == Binary::kShl    ? kBitsName[k]
                              : op == Binary::kAShr ? kSignedName[k]
                                                    : kUnsignedName[k];
  Code(name, of, " ", V(result), ",", V(a), ",", V(b));
  return op == Binary::kLShr ? result : Masked(result);
}

// Unsigned, by a number from 2 on: a shift, or the upper half of a product with 2^(32 + s) /
// divisor, rounded up, less 2^32 so that it has 32 bits, s being the bits of divisor - 1 (Granlund
// and Montgomery, Division by invariant integers using multiplication, 1994).
Value PtxWriter::QuotientOf(Value a, uint32_t divisor) {
  const auto shift = static_cast<uint32_t>(std::bit_width(divisor - 1));
  if (std::has_single_bit(divisor)) return With(Binary::kLShr, a, shift);
  const uint64_t excess = (uint64_t{1} << shift) - divisor;
  Value upper = With(Binary::kMulHigh, a, ((excess << 32) / divisor) + 1);
  Value half = With(Binary::kLShr, Emit(Binary::kSub, a, upper), 1);
  return With(Binary::kLShr, Emit(Binary::kAdd, half, upper), shift - 1);
}

// Drivers divide by numbers that they know as by others, in some twenty instructions. Signed ones
// by their sizes: the result has the sign of `a`. `type` has at most 32 bits; if it is signed, `a`
// has 32.
Value PtxWriter::DivideByConstant(Binary op, Scalar type, Value a, uint32_t divisor) {
  const bool is_signed = op == Binary::kSDiv || op == Binary::kSRem;
  const bool wants_rest = op == Binary::kSRem || op == Binary::kURem;
  Value wide = IsSmall(TypeOf(a)) ? Alias(a, Scalar::kI32) : a;
  Value sign = is_signed ? With(Binary::kAShr, wide, 31) : 0;
  const auto negate = [&](Value v) {
    return Emit(Binary::kSub, Emit(Binary::kXor, v, sign), sign);
  };
  Value size = is_signed ? negate(wide) : wide;
  Value found = QuotientOf(size, divisor);
  if (wants_rest && std::has_single_bit(divisor)) {
    found = With(Binary::kAnd, size, divisor - 1);
  } else if (wants_rest) {
    found = Emit(Binary::kSub, size, With(Binary::kMul, found, divisor));
  }
  if (is_signed) found = negate(found);
  return IsSmall(type) ? Masked(Alias(found, type)) : found;
}

Value PtxWriter::Emit(Binary op, Value a, Value b) {
  const Scalar type = TypeOf(a);
  const auto k = static_cast<size_t>(type);
  if (type == Scalar::kBool) {
    a = Held(a);
    b = Held(b);
  }
  if (op >= Binary::kFAdd) return FloatOperation(op, a, b);
  if (op == Binary::kShl || op == Binary::kLShr || op == Binary::kAShr) return Shifted(op, a, b);
  const bool divides_signed = op == Binary::kSDiv || op == Binary::kSRem;
  if (divides_signed) {
    a = Small(a, true);
    b = Small(b, true);
  }
  if (op >= Binary::kSDiv && op <= Binary::kURem && values_[b].kind == Kind::kConstant) {
    const auto divisor = static_cast<uint32_t>(values_[b].bits);
    const uint32_t most = divides_signed ? uint32_t{1} << 31 : ~uint32_t{0};
    if (TypeOf(a) != Scalar::kI64 && divisor > 1 && divisor < most) {
      return DivideByConstant(op, type, a, divisor);
    }
  }
  constexpr std::string_view kNames[] = {"add.", "sub.", "mul.lo.", "mul.hi.", "div.", "div.",
                                         "rem.", "rem.", "and.",    "or.",     "xor."};
  const Value result = NewRegister(type);
  const bool is_logic = op >= Binary::kAnd;
  const std::string_view of = is_logic ? kBitsName[k]
                              : op == Binary::kMulHigh || op == Binary::kUDiv || op == Binary::kURem
                                  ? kUnsignedName[k]
                                  : kSignedName[k];
  Code(kNames[static_cast<size_t>(op)], of, " ", V(result), ",", V(a), ",", V(b));
  // These stay below their first operand, or have nothing above.
  if (is_logic || op == Binary::kUDiv || op == Binary::kURem) return result;
  return Masked(result);
}

Value PtxWriter::Emit(Compare op, Value a, Value b) {
  constexpr std::string_view kNames[kNumCompare] = {"eq", "ne", "lt", "le", "gt", "ge",
                                                    "lt", "le", "gt", "ge", "eq", "neu",
                                                    "lt", "le", "gt", "ge"};
  const bool is_signed = op >= Compare::kSLt && op <= Compare::kSGe;
  if (is_signed) {
    a = Small(a, true);
    b = Small(b, true);
  }
  const auto k = static_cast<size_t>(TypeOf(a));
  const Value result = NewRegister(Scalar::kBool);
  Code("setp.", kNames[static_cast<size_t>(op)], ".", is_signed ? kSignedName[k] : kUnsignedName[k],
       " ", V(result), ",", V(a), ",", V(b));
  return result;
}

Value PtxWriter::Emit(Cast op, Value a, Scalar to) {
  const Scalar from = TypeOf(a);
  if (from == to) return a;
  if (op == Cast::kZeroExtend) return Extended(a, to, false);
  if (op == Cast::kSignExtend) return Extended(a, to, true);
  const ValueFact fact = values_[a];
  if (fact.kind == Kind::kConstant && (op == Cast::kTruncate || op == Cast::kBits)) {
    return Constant(to, fact.bits);
  }
  a = Held(a);
  const Value result = NewRegister(to);
  const auto f = static_cast<size_t>(from);
  const auto t = static_cast<size_t>(to);
  switch (op) {
    case Cast::kTruncate:
      if (from != Scalar::kI64) {
        Code("and.b32 ", V(result), ",", V(a), ",", to == Scalar::kI8 ? "255" : "65535");
      } else {
        Code("cvt.u32.", IsSmall(to) ? kSmallName[0][t] : "u64", " ", V(result), ",", V(a));
      }
      break;
    case Cast::kBits:
      Code("mov.", kBitsName[t], " ", V(result), ",", V(a));
      break;
    case Cast::kSignedToFloat:
    case Cast::kUnsignedToFloat:
      Code("cvt.rn.", kSignedName[t], ".",
           op == Cast::kSignedToFloat ? kSignedName[f] : kUnsignedName[f], " ", V(result), ",",
           V(a));
      break;
    case Cast::kFloatToSigned:
    case Cast::kFloatToUnsigned:
      Code("cvt.rzi.", op == Cast::kFloatToSigned ? kSignedName[t] : kUnsignedName[t], ".",
           kSignedName[f], " ", V(result), ",", V(a));
      break;
    case Cast::kFloat:
      Code("cvt.", to == Scalar::kF32 ? "rn." : "", kSignedName[t], ".", kSignedName[f], " ",
           V(result), ",", V(a));
      break;
    case Cast::kZeroExtend:
    case Cast::kSignExtend:
      break;  // above
  }
  return result;
}

Value PtxWriter::Fma(Value a, Value b, Value c) {
  const Scalar type = TypeOf(a);
  const Value result = NewRegister(type);
  Code("fma.rn.", kSignedName[static_cast<size_t>(type)], " ", V(result), ",", V(a), ",", V(b), ",",
       V(c));
  return result;
}

Value PtxWriter::Select(Value condition, Value yes, Value no) {
  if (yes == no) return yes;
  condition = Held(condition);
  const Scalar type = TypeOf(yes);
  if (type == Scalar::kBool) return SelectTruth(condition, Held(yes), Held(no));
  const Value result = NewRegister(type);
  Code(
      "selp.",
      IsFloat(type) ? kSignedName[static_cast<size_t>(type)] : kBitsName[static_cast<size_t>(type)],
      " ", V(result), ",", V(yes), ",", V(no), ",", V(condition));
  return result;
}

// There is no SELP of predicates.
Value PtxWriter::SelectTruth(Value condition, Value yes, Value no) {
  const Value not_condition = Emit(Unary::kNot, condition);
  const Value first = Emit(Binary::kAnd, condition, yes);
  return Emit(Binary::kOr, first, Emit(Binary::kAnd, not_condition, no));
}

// ---- Memory

Value PtxWriter::Element(Value base, Value index) {
  const ValueFact fact = values_[base];
  if (fact.kind == Kind::kVariable) return base;
  const ValueFact by = values_[index];
  const uint64_t size = std::max(BitsOf(fact.type) / 8, 1U);
  const Value address = NewValue(fact.type, Kind::kAddress);
  values_[address].space = fact.space;
  values_[address].bits = fact.bits;
  if (by.kind == Kind::kConstant) {
    values_[address].number = fact.number;
    values_[address].bits += by.bits * size;
    return address;
  }
  std::string& text = function().code;
  if (fact.space == Space::kShared) {
    // Indices there have few bits, and sums of 32 bits become distances in loads and stores.
    Value place = by.narrow != 0 ? by.narrow : Emit(Cast::kTruncate, index, Scalar::kI32);
    const Value sum = NewRegister(Scalar::kI32);
    Line(text, "mad.lo.s32 ", V(sum), ",", V(place), ",", std::to_string(size), ",%r",
         std::to_string(fact.number));
    values_[address].number = values_[sum].number;
    return address;
  }
  const Value sum = NewRegister(Scalar::kI64);
  text += by.narrow == 0 ? "mad.lo.s64 " : by.is_signed ? "mad.wide.s32 " : "mad.wide.u32 ";
  Put(text, V(sum));
  text += ',';
  Put(text, V(by.narrow == 0 ? index : by.narrow));
  text += ',';
  PutDecimal(text, size);
  Line(text, ",%d", std::to_string(fact.number));
  values_[address].number = values_[sum].number;
  return address;
}

Value PtxWriter::OfInteger(Value address) {
  const Scalar type = IntegerOf(TypeOf(address));
  return type == TypeOf(address) ? address : Alias(address, type);
}

Value PtxWriter::Load(Value address) {
  const ValueFact fact = values_[address];
  const auto k = static_cast<size_t>(fact.type);
  const Value result = NewRegister(fact.type);
  if (fact.kind == Kind::kVariable) {
    Code("mov.", kBitsName[k], " ", V(result), ",", V(address));
    return result;
  }
  const bool is_table = fact.space == Space::kConstant;
  Code("ld.", SpaceName(fact.space), is_table ? ".nc." : ".", kMemoryName[k], " ", V(result), ",",
       At(address));
  return result;
}

void PtxWriter::Store(Value address, Value value) {
  const ValueFact fact = values_[address];
  const auto k = static_cast<size_t>(fact.type);
  if (fact.kind != Kind::kVariable) {
    return Code("st.", SpaceName(fact.space), ".", kMemoryName[k], " ", At(address), ",", V(value));
  }
  if (fact.type == Scalar::kBool) value = Held(value);
  Code("mov.", kBitsName[k], " ", V(address), ",", V(value));
}

Value PtxWriter::Update(Atomic op, Value address, Value value) {
  constexpr std::string_view kNames[kNumAtomic] = {"add.", "min.", "min.", "max.", "max.",
                                                   "and.", "or.",  "xor.", "exch."};
  const ValueFact fact = values_[address];
  const auto k = static_cast<size_t>(fact.type);
  uses_atomics64_ |= fact.type == Scalar::kI64;
  const bool is_signed = op == Atomic::kSMin || op == Atomic::kSMax;
  const bool is_number = op <= Atomic::kUMax;
  const Value old = NewRegister(fact.type);
  Code("atom.", SpaceName(fact.space), ".", kNames[static_cast<size_t>(op)],
       !is_number  ? kBitsName[k]
       : is_signed ? kSignedName[k]
                   : kUnsignedName[k],
       " ", V(old), ",", At(address), ",", V(value));
  return old;
}

Value PtxWriter::CompareAndSwap(Value address, Value expected, Value desired) {
  const ValueFact fact = values_[address];
  uses_atomics64_ |= fact.type == Scalar::kI64;
  const Value old = NewRegister(fact.type);
  Code("atom.", SpaceName(fact.space), ".cas.", kBitsName[static_cast<size_t>(fact.type)], " ",
       V(old), ",", At(address), ",", V(expected), ",", V(desired));
  return old;
}

// Lanes of a warp may come apart, so it is not the aligned form.
void PtxWriter::Barrier() {
  Code("barrier.sync 0");
}

void PtxWriter::Fence(FenceScope scope) {
  constexpr std::string_view kScopes[] = {"cta", "gl", "sys"};
  Code("membar.", kScopes[static_cast<size_t>(scope)]);
}

Value PtxWriter::Read(Id id, unsigned dimension) {
  constexpr std::string_view kIds[kNumIds] = {"%tid.", "%ctaid.", "%ntid.", "%nctaid."};
  constexpr std::string_view kDimensions[] = {"x", "y", "z"};
  const Value value = NewRegister(Scalar::kI32);
  Code("mov.u32 ", V(value), ",", kIds[static_cast<size_t>(id)], kDimensions[dimension]);
  return value;
}

}  // namespace hologram::device
