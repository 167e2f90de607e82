#include "math/evaluate.h"

#include <bit>

#include "isa/half.h"
#include "isa/instruction.h"
#include "math/batch.h"

namespace hologram::math {

using isa::BF16;
using isa::F16;
using isa::Narrow;
namespace {

float Single(const FunctionInfo& function, bool fast, float a, float b) {
  float result = 0;
  BestBatch().Find32(function.function, fast)(&a, &b, &result, 1);
  return result;
}

template <class Half>
std::uint64_t OfHalf(const FunctionInfo& function, bool fast, std::uint64_t a, std::uint64_t b) {
  const float wide_a = Widen(Half{static_cast<std::uint16_t>(a)});
  const float wide_b = Widen(Half{static_cast<std::uint16_t>(b)});
  return Narrow<Half>(Single(function, fast, wide_a, wide_b)).bits;
}

}  // namespace

const FunctionInfo* FindFunction(std::string_view mnemonic) {
  for (const FunctionInfo& info : kFunctions) {
    if (InfoOf(info.op).mnemonic == mnemonic) return &info;
  }
  return nullptr;
}

std::uint64_t Evaluate(const FunctionInfo& function, isa::Type type, bool fast, std::uint64_t a,
                       std::uint64_t b) {
  if (type == isa::Type::kF16) return OfHalf<F16>(function, fast, a, b);
  if (type == isa::Type::kBF16) return OfHalf<BF16>(function, fast, a, b);
  if (type == isa::Type::kF32) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
    const auto y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    return std::bit_cast<std::uint32_t>(Single(function, fast, x, y));
  }
  const auto x = std::bit_cast<double>(a);
  const auto y = std::bit_cast<double>(b);
  double result = 0;
  BestBatch().Find64(function.function)(&x, &y, &result, 1);
  return std::bit_cast<std::uint64_t>(result);
}

}  // namespace hologram::math
