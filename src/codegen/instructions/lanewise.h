// Instructions that compute each lane from its operands alone, on values: of one lane, or of all
// lanes of a vector. One function per instruction, called as it is; those of mathematical functions
// take all vectors at once, so that their steps are interleaved. No fast-math flags anywhere; a
// product is fused only by FMA.
#pragma once

#include "codegen/emit/function.h"
#include "isa/instruction.h"

namespace hologram::codegen {

// The operands in the order of the instruction, predicates first.
struct Sources {
  llvm::Value* a = nullptr;
  llvm::Value* b = nullptr;
  llvm::Value* c = nullptr;
};

// Of the instruction only its type, source type and condition are looked at.
using LaneOperation = llvm::Value* (*)(FunctionState& f, const isa::Instruction& in,
                                       const Sources& s);

namespace lanewise {

#define LANEWISE(Name) \
  llvm::Value* Name(FunctionState& f, const isa::Instruction& in, const Sources& s);
LANEWISE(Mov)
LANEWISE(Cvt)
LANEWISE(Bitcast)
LANEWISE(Add)
LANEWISE(Sub)
LANEWISE(Mul)
LANEWISE(Div)  // of floats; of integers it may fault (division.cc)
LANEWISE(Mad)
LANEWISE(Fma)
LANEWISE(Min)
LANEWISE(Max)
LANEWISE(Abs)
LANEWISE(Neg)
LANEWISE(Sqrt)
LANEWISE(Floor)
LANEWISE(Ceil)
LANEWISE(Trunc)
LANEWISE(Round)
LANEWISE(And)
LANEWISE(Or)
LANEWISE(Xor)
LANEWISE(Not)
LANEWISE(Popc)
LANEWISE(Shl)
LANEWISE(Shr)
LANEWISE(Set)
LANEWISE(Sel)
LANEWISE(Pand)
LANEWISE(Por)
LANEWISE(Pxor)
LANEWISE(Pnot)
#undef LANEWISE

}  // namespace lanewise

// The operation and the identity element of BLK.RED and BLK.SCAN.
LaneOperation StepOf(isa::BlockOp op);
llvm::Constant* PaddingOf(llvm::IRBuilderBase& b, const isa::Instruction& in);

// MIN or MAX of floats of 32 or 64 bits.
llvm::Value* MinMax(FunctionState& f, llvm::Value* a, llvm::Value* b, bool max);

// EXP and so on. `b` is empty where the function has one operand.
Values MathFunction(FunctionState& f, const isa::Instruction& in, const Values& a, const Values& b);

}  // namespace hologram::codegen
