// The operations of the instruction set on values of a device, one lane at a time: what
// src/interpreter computes, step by step. Floats of 16 bits are widened, computed in f32 and
// rounded once (isa/half.h). NaN is tested on the bits as an integer: optimisers of drivers have
// dropped comparisons of a float with itself. Tested by tests/device.
#pragma once

#include "device/builder.h"
#include "isa/instruction.h"

namespace hologram::device {

// How floats of 32 bits are divided, and their roots taken: by the device's own instruction, which
// is exact only with an option that not every device has, or in f64 and rounded, which is always.
enum class Division : uint8_t { kSingle, kDouble };

class Arithmetic {
 public:
  Arithmetic(Builder& builder, Division division) : b_(builder), division_(division) {}

  Builder& builder() const { return b_; }
  // With the bits of `bits`, of the type of `like`.
  Value Like(Value like, uint64_t bits) { return b_.Constant(b_.TypeOf(like), bits); }
  Value IsNan(Value a);  // f32 or f64
  // The canonical NaN in place of any other one.
  Value Canonical(Value a);

  // The result of an instruction that computes, in an order of its own operands. A NaN of f32 or
  // f64 may be any NaN. Unused operands are 0. REQUIRES: it is one of MOV CVT BITCAST, of
  // arithmetic, or of logic on numbers (instructions.def); divisors of integers are not 0.
  Value Result(const isa::Instruction& in, Value a, Value b, Value c);
  // `a` and `b` combined as BLK.RED does.
  Value Combine(isa::Opcode op, isa::Type type, Value a, Value b);
  Value Compare(isa::Condition condition, isa::Type type, Value a, Value b);
  Value Convert(isa::Type to, isa::Type from, Value a);

  Value Widen(isa::Type half, Value bits);  // to f32
  Value Narrow(isa::Type half, Value value);
  Value Quotient(Value a, Value b);  // of floats
  Value Root(Value a);
  // An integer as one of 64 bits.
  Value Extend(isa::Type type, Value a);

 private:
  Value Add(Value a, uint64_t v) { return b_.Emit(Binary::kAdd, a, Like(a, v)); }
  Value Sub(Value a, uint64_t v) { return b_.Emit(Binary::kSub, a, Like(a, v)); }
  Value And(Value a, uint64_t v) { return b_.Emit(Binary::kAnd, a, Like(a, v)); }
  Value Shl(Value a, uint64_t v) { return b_.Emit(Binary::kShl, a, Like(a, v)); }
  Value Shr(Value a, uint64_t v) { return b_.Emit(Binary::kLShr, a, Like(a, v)); }
  Value Below(Value a, uint64_t v) { return b_.Emit(device::Compare::kULt, a, Like(a, v)); }
  Value Bits(Value a) { return b_.Emit(Cast::kBits, a, IntegerOf(b_.TypeOf(a))); }
  Value FloatOf(Value bits, Scalar type) { return b_.Emit(Cast::kBits, bits, type); }
  Value IsEven(Value bits);
  Value FloatConstant(Scalar type, double value);
  Value Wide(isa::Opcode op, Value a, Value b, Value c);
  Value Shift(isa::Opcode op, isa::Type type, Value a, Value b);
  Value Integer(isa::Opcode op, isa::Type type, Value a, Value b, Value c);
  Value Extreme(bool max, Value a, Value b);
  Value WidenF16(Value bits);
  Value NarrowF16(Value value);
  Value NarrowBF16(Value value);
  Value BeforeNarrowing(isa::Type from, Value value);
  Value KeepInF64(Value value, bool is_signed);
  Value RoundToOdd(Value value);
  Value FusedToOdd(Value a, Value b, Value c);
  Value FloatToInteger(isa::Type to, Value a);
  Value IntegerToFloat(isa::Type from, Scalar to, Value a);

  Builder& b_;
  Division division_;
};

}  // namespace hologram::device
