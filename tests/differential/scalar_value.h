// Arithmetic on single values of the instruction set, for the scalar reference: the definitions of
// instructions.def, on bit patterns, with integers computed in 128 bits.
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace hologram::tests {

struct Value {
  isa::Type type = isa::Type::kI8;
  uint64_t bits = 0;  // zero-extended
};

// The mathematical value of an integer.
__int128 IntegerOf(const Value& value);
// The low bits of a number.
Value FromInteger(isa::Type type, __int128 number);

// ADD SUB MUL MIN MAX AND OR XOR, and DIV, REM by non-zero integers or DIV of floats.
Value Binary(isa::Opcode op, const Value& a, const Value& b);
// The result of a REDUCE without registers.
Value IdentityOf(isa::Opcode op, isa::Type type);
// The value of an absent lane in BLK.RED.
Value PaddingOf(isa::BlockOp op, isa::Type type);
// MAD FMA
Value Ternary(isa::Opcode op, const Value& a, const Value& b, const Value& c);
// ABS NEG NOT SQRT FLOOR CEIL TRUNC ROUND
Value Unary(isa::Opcode op, const Value& a);
// The functions of math/functions.def; b counts only where there are two operands.
Value Mathematical(isa::Opcode op, const Value& a, const Value& b, bool fast);
// SHL SHR
Value Shift(isa::Opcode op, const Value& a, uint64_t amount);
bool Compare(isa::Condition condition, const Value& a, const Value& b);
Value Convert(isa::Type to, const Value& a);
Value AtomicResult(isa::AtomicOp op, const Value& old, const Value& value);

}  // namespace hologram::tests
