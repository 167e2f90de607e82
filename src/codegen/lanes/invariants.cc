#include "codegen/lanes/invariants.h"

namespace hologram::codegen {

void Invariants::Compute(OperandId id) {
  if (registers_.IsKnown(id)) return;
  const uint32_t pc = plan_.webs[static_cast<size_t>(id)].definitions[0];
  plan_.ForEachRead(pc, [this](OperandId read) { Compute(read); });
  const Position::Outside outside(position_);
  EmitInstruction(instructions_, pc);
}

}  // namespace hologram::codegen
