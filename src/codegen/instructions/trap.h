// TRAP: an assertion failed.
#pragma once

#include "codegen/emit/faults.h"
#include "codegen/emit/registers.h"

namespace hologram::codegen {

void EmitTrap(uint32_t pc, FunctionState& f, Registers& registers, const Chunk& chunk,
              Faults& faults);

}  // namespace hologram::codegen
