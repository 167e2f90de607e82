// One function per instruction, called as the instruction: declared here from instructions.def,
// defined in instructions.cc. Each writes the instruction at `pc` for the running lanes of the
// chunk. An instruction without a function does not link.
#pragma once

#include "codegen/emit/agreement.h"
#include "codegen/instructions/calls.h"
#include "codegen/instructions/classes.h"
#include "codegen/instructions/computation.h"
#include "codegen/instructions/division.h"
#include "codegen/instructions/loop_counters.h"
#include "codegen/instructions/memory.h"
#include "codegen/instructions/phase.h"
#include "codegen/instructions/services.h"

namespace hologram::codegen {

// MEMFENCE, which differs between processors and GPUs.
using FenceEmitter = void (*)(FunctionState& f, const isa::Instruction& in);

// Helpers for emission.
struct Emitters {
  FunctionState& function;
  Registers& registers;
  Chunk& chunk;
  Faults& faults;
  Computation& computation;
  Division& division;
  Memory& memory;
  Classes& classes;
  Phase& phase;
  Services& services;
  Calls& calls;
  LoopCounters& loops;
  Agreement& agreement;
  FenceEmitter fence;
};

void EmitInstruction(Emitters& emitters, uint32_t pc);

namespace instructions {

#define OP(code, Name, mnemonic, types, operands, summary) void Name(Emitters& e, uint32_t pc);
#include "isa/instructions.def"

}  // namespace instructions

}  // namespace hologram::codegen
