// The list of functions.def as an enumeration and a table. Light: no algorithms. Tested by
// tests/math.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instruction.h"

namespace hologram::math {

enum class Function : std::uint8_t {
#define FUNCTION(Name, operands, has_fast) k##Name,
#include "math/functions.def"
};

struct FunctionInfo {
  Function function;
  isa::Opcode op;
  int num_operands;
  bool has_fast;
};

inline constexpr FunctionInfo kFunctions[] = {
#define FUNCTION(Name, operands, has_fast) \
  {Function::k##Name, isa::Opcode::k##Name, operands, has_fast},
#include "math/functions.def"
};
inline constexpr std::size_t kNumFunctions = sizeof kFunctions / sizeof kFunctions[0];

constexpr const FunctionInfo& InfoOf(Function function) {
  return kFunctions[static_cast<std::size_t>(function)];
}

// nullptr for an instruction that is not a canonical function.
constexpr const FunctionInfo* FindFunction(isa::Opcode op) {
  for (const FunctionInfo& info : kFunctions) {
    if (info.op == op) return &info;
  }
  return nullptr;
}

}  // namespace hologram::math
