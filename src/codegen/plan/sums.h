// Indices that are computed alike, but for a constant.
#pragma once

#include "codegen/plan/plan.h"

namespace hologram::codegen {

// By the same pure instructions from the same webs.
bool IsSameValue(const Plan& plan, OperandId a, OperandId b);

// An index as a sum, modulo 2^bits.
struct Sum {
  OperandId base;
  uint64_t offset = 0;
};
Sum SumOf(const Plan& plan, OperandId index);

}  // namespace hologram::codegen
