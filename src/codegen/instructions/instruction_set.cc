#include "codegen/instructions/instruction_set.h"

namespace hologram::codegen {

InstructionSet::InstructionSet(const Surroundings& s, FenceEmitter fence)
    : places_(s.function, s.arguments, s.function.kernel().scopes, s.registers, s.chunk, s.faults,
              s.local, s.shared),
      strides_(s.function, s.registers, s.chunk, s.remarks, places_),
      sums_(s.function, s.ids, s.registers, s.chunk, s.remarks, places_, s.arguments.state),
      log_(s.function, s.registers, s.chunk, s.remarks, places_),
      atomics_(s.function, s.registers, s.chunk, s.remarks, places_, sums_, log_,
               s.arguments.alone),
      memory_(s.function, s.registers, s.chunk, s.faults, s.remarks, s.local, places_, strides_,
              atomics_),
      computation_(s.function, s.registers, s.ids),
      division_(s.function, s.registers, s.chunk, s.faults),
      classes_(s.function, s.ids, s.registers, s.chunk, s.faults, s.arguments.state),
      phase_(s.function, s.ids, s.registers, s.chunk, s.local, s.arguments.state),
      services_(s.function, s.ids, s.registers, s.chunk, s.faults, s.arguments.state),
      calls_(s.function, s.chunk, s.faults, s.local),
      loops_(s.function, s.registers),
      agreement_(s.function, s.registers, s.chunk),
      emitters_{s.function, s.registers, s.chunk,   s.faults, computation_, division_,  memory_,
                classes_,   phase_,      services_, calls_,   loops_,       agreement_, fence} {}

}  // namespace hologram::codegen
