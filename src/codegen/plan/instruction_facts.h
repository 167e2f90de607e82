// Per-instruction facts of the plan.
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace hologram::codegen {

// Side effects of an instruction, which otherwise depends on its operands only.
enum class Effect : uint8_t { kNone, kIntegersFault, kSome };

// How floats of 32 and 64 bits get into its result: their NaN is canonical by definition, or bits
// are copied, sign apart. kConverts: copied from the same type, else computed.
enum class NanSource : uint8_t { kNone, kComputes, kCopies, kConverts };

struct InstructionFacts {
  Effect effect = Effect::kNone;
  NanSource nans = NanSource::kNone;
  // Of integers that differ by a constant from lane to lane it makes such integers.
  bool keeps_affine = false;
};

const InstructionFacts& FactsOf(isa::Opcode op);

}  // namespace hologram::codegen
