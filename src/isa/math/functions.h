// The list of functions.def as an enumeration and a table. Light: no algorithms. Tested by
// tests/math.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instruction.h"

namespace hologram::isa::math {

enum class Function : std::uint8_t {
#define FUNCTION(Name, operands, has_fast) k##Name,
#include "isa/math/functions.def"
};

struct FunctionInfo {
  Function function;
  Opcode op;
  int num_operands;
  bool has_fast;
};

inline constexpr FunctionInfo kFunctions[] = {
#define FUNCTION(Name, operands, has_fast) {Function::k##Name, Opcode::k##Name, operands, has_fast},
#include "isa/math/functions.def"
};
inline constexpr std::size_t kNumFunctions = sizeof kFunctions / sizeof kFunctions[0];

constexpr const FunctionInfo& InfoOf(Function function) {
  return kFunctions[static_cast<std::size_t>(function)];
}

// nullptr for an instruction that is not a canonical function.
constexpr const FunctionInfo* FindFunction(Opcode op) {
  for (const FunctionInfo& info : kFunctions) {
    if (info.op == op) return &info;
  }
  return nullptr;
}

}  // namespace hologram::isa::math
