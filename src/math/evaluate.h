// One canonical function for one value: what the instruction gives for these operands. For callers
// with single values, such as the C API; arrays use batch.h. Tested by tests/capi and
// tests/simulator.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/type.h"
#include "math/functions.h"

namespace hologram::math {

// The function with this mnemonic ("exp"), or nullptr.
const FunctionInfo* FindFunction(std::string_view mnemonic);

// Operands and result are bit patterns in the low part of a word. `b` is not looked at where the
// function has one operand; `fast` is, only where there is a fast form. REQUIRES: IsFloat(type)
std::uint64_t Evaluate(const FunctionInfo& function, isa::Type type, bool fast, std::uint64_t a,
                       std::uint64_t b);
// In double.
inline double Evaluate(Function function, double a, double b = 0) {
  return std::bit_cast<double>(Evaluate(InfoOf(function), isa::Type::kF64, false,
                                        std::bit_cast<std::uint64_t>(a),
                                        std::bit_cast<std::uint64_t>(b)));
}

}  // namespace hologram::math
