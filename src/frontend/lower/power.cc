// `x ** n` with an integer n that is known: by squaring, from the highest bit of n down, so that
// x ** 3 is (x * x) * x and x ** 4 is (x * x) * (x * x), in the type of x.
#include <bit>

#include "frontend/lower/lowerer.h"

namespace hologram::frontend {

using isa::Opcode;
using isa::Type;

Lowerer::Value Lowerer::LowerPower(const Expr& expr, std::optional<uint8_t> dest) {
  const Type type = expr.type.number;
  const __int128 exponent = expr.operands[1]->constant.integer;
  const auto magnitude = static_cast<uint32_t>(exponent < 0 ? -exponent : exponent);
  const uint32_t top = std::bit_floor(magnitude);
  int products = std::popcount(magnitude - top) + std::countr_zero(top) + (exponent < 0 ? 1 : 0);
  const Value base = Lower(*expr.operands[0]);
  // Several products read the base: none of them frees it, and only the last may write over it.
  const Value kept{base.reg, false};
  const auto emit = [&](Opcode op, Value a, Value b) {
    if (a.reg == b.reg) b.owned = false;
    const bool last = --products == 0;
    if (last) Free(base);
    return Apply(op, type, a, b, expr, last ? dest : std::nullopt);
  };
  Value power = kept;
  for (uint32_t bit = top >> 1; bit != 0; bit >>= 1) {
    power = emit(Opcode::kMul, power, power);
    if ((magnitude & bit) != 0) power = emit(Opcode::kMul, power, kept);
  }
  if (exponent < 0) {
    const Value one = LowerConstant(type, Constant::Int(1), expr.at);
    power = emit(Opcode::kDiv, one, power);
  }
  return power;
}

}  // namespace hologram::frontend
