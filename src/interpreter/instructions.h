// One function per instruction. Each runs the instruction in all running lanes of the chunk; the
// families are in files named as in the code generator.
#pragma once

#include "interpreter/chunk.h"
#include "isa/instruction.h"

namespace hologram::interpreter {

// Runs one instruction. Branches, exits and barriers leave no running lanes behind.
void Execute(Chunk& chunk, const isa::Instruction& in);

// ---- arithmetic.cc
void Add(Chunk& chunk, const isa::Instruction& in);
void Sub(Chunk& chunk, const isa::Instruction& in);
void Mul(Chunk& chunk, const isa::Instruction& in);
void Div(Chunk& chunk, const isa::Instruction& in);
void Rem(Chunk& chunk, const isa::Instruction& in);
void Mad(Chunk& chunk, const isa::Instruction& in);
void Fma(Chunk& chunk, const isa::Instruction& in);
void Min(Chunk& chunk, const isa::Instruction& in);
void Max(Chunk& chunk, const isa::Instruction& in);
void Abs(Chunk& chunk, const isa::Instruction& in);
void Neg(Chunk& chunk, const isa::Instruction& in);
void ReduceAdd(Chunk& chunk, const isa::Instruction& in);
void ReduceMin(Chunk& chunk, const isa::Instruction& in);
void ReduceMax(Chunk& chunk, const isa::Instruction& in);
void ReduceMul(Chunk& chunk, const isa::Instruction& in);
// BLK.RED, when all lanes have arrived: the running ones.
void ReduceBlock(Chunk& chunk, const isa::Instruction& in);

// ---- logic.cc
void And(Chunk& chunk, const isa::Instruction& in);
void Or(Chunk& chunk, const isa::Instruction& in);
void Xor(Chunk& chunk, const isa::Instruction& in);
void Not(Chunk& chunk, const isa::Instruction& in);
void Shl(Chunk& chunk, const isa::Instruction& in);
void Shr(Chunk& chunk, const isa::Instruction& in);
void Set(Chunk& chunk, const isa::Instruction& in);
void Sel(Chunk& chunk, const isa::Instruction& in);
void Pand(Chunk& chunk, const isa::Instruction& in);
void Por(Chunk& chunk, const isa::Instruction& in);
void Pxor(Chunk& chunk, const isa::Instruction& in);
void Pnot(Chunk& chunk, const isa::Instruction& in);

// ---- convert.cc
void Mov(Chunk& chunk, const isa::Instruction& in);
void MovImm(Chunk& chunk, const isa::Instruction& in);
void Cvt(Chunk& chunk, const isa::Instruction& in);
void Bitcast(Chunk& chunk, const isa::Instruction& in);
// Sets a register in all lanes of the chunk to the low bits of `bits`.
void FillColumn(Chunk& chunk, uint8_t reg, isa::Type type, uint64_t bits);

// ---- math.cc
#define FUNCTION(Name, operands, has_fast) void Name(Chunk& chunk, const isa::Instruction& in);
#include "isa/math/functions.def"
void Sqrt(Chunk& chunk, const isa::Instruction& in);
void Floor(Chunk& chunk, const isa::Instruction& in);
void Ceil(Chunk& chunk, const isa::Instruction& in);
void Trunc(Chunk& chunk, const isa::Instruction& in);
void Round(Chunk& chunk, const isa::Instruction& in);

// ---- memory.cc
void Ldg(Chunk& chunk, const isa::Instruction& in);
void Stg(Chunk& chunk, const isa::Instruction& in);
void Lds(Chunk& chunk, const isa::Instruction& in);
void Sts(Chunk& chunk, const isa::Instruction& in);
void Atg(Chunk& chunk, const isa::Instruction& in);
void Ats(Chunk& chunk, const isa::Instruction& in);
void Ldl(Chunk& chunk, const isa::Instruction& in);
void Stl(Chunk& chunk, const isa::Instruction& in);

// ---- ids.cc
void ReadSreg(Chunk& chunk, const isa::Instruction& in);
// The value of a 32-bit id in all lanes of the chunk.
void FillIds(const Chunk& chunk, isa::Sreg sreg, uint32_t* out);

// ---- control.cc
void Bra(Chunk& chunk, const isa::Instruction& in);
void Call(Chunk& chunk, const isa::Instruction& in);
void Ret(Chunk& chunk, const isa::Instruction& in);
void Loop(Chunk& chunk, const isa::Instruction& in);
void Exit(Chunk& chunk, const isa::Instruction& in);
void BarSync(Chunk& chunk, const isa::Instruction& in);
void BlkRed(Chunk& chunk, const isa::Instruction& in);
void MemFence(Chunk& chunk, const isa::Instruction& in);
// Runs all lanes of a started chunk to their end.
void RunLanes(Chunk& chunk);

// ---- fault.cc
// The values of the variables that the debug line of the faulting instruction names, in the lane
// that faulted: "i = 498, k = 2".
std::string DescribeVariables(const Chunk& chunk, const verify::Fault& fault);

}  // namespace hologram::interpreter
