// One function per instruction, called as the instruction: declared here from instructions.def,
// defined in the files that are named as in the code generator. Each runs the instruction in all
// running lanes of the chunk.
#pragma once

#include <string>

#include "interpreter/chunk.h"
#include "isa/instruction.h"

namespace hologram::interpreter {

// Runs one instruction. Branches, exits and barriers leave no running lanes behind.
void Execute(Chunk& chunk, const isa::Instruction& in);

#define OP(code, Name, mnemonic, types, operands, summary) \
  void Name(Chunk& chunk, const isa::Instruction& in);
#include "isa/instructions.def"

// BLK.RED and BLK.SCAN, when all lanes have arrived: the running ones.
void CombineBlock(Chunk& chunk, const isa::Instruction& in);
// Sets a register in all lanes of the chunk to the low bits of `bits`.
void FillColumn(Chunk& chunk, uint8_t reg, isa::Type type, uint64_t bits);
// The value of a 32-bit id in all lanes of the chunk.
void FillIds(const Chunk& chunk, isa::Sreg sreg, uint32_t* out);
// Runs all lanes of a started chunk to their end.
bool RunLanes(Chunk& chunk);
// Fills in the values of the variables that the debug line of the faulting instruction names, in
// the lane that faulted: "i = 498, k = 2", and the text of the line if some of them are in it.
void DescribeVariables(const Chunk& chunk, launch::Fault& fault);

}  // namespace hologram::interpreter
