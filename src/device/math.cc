#include "device/math.h"

#include "base/check.h"
#include "device/math_ops.h"
#include "math/apply.h"

namespace hologram::device {
namespace {

template <math::Function kFunction, bool kFast, class Ops>
Value Form(Ops& ops, const std::vector<Value>& x) {
  if constexpr (math::InfoOf(kFunction).num_operands == 1) {
    return math::Apply<kFunction, kFast>(ops, x[0]);
  } else {
    return math::Apply<kFunction, kFast>(ops, x[0], x[1]);
  }
}

template <class Ops>
Value Body(Ops& ops, math::Function function, bool fast, const std::vector<Value>& x) {
  using math::Function;
  switch (function) {
#define FUNCTION(Name, operands, has_fast)                                \
  case Function::k##Name:                                                 \
    if (fast && (has_fast)) return Form<Function::k##Name, true>(ops, x); \
    return Form<Function::k##Name, false>(ops, x);
#include "math/functions.def"
  }
  return 0;
}

}  // namespace

Value MathFunctions::Call(const isa::Instruction& in, Value a, Value b) {
  const math::FunctionInfo* info = math::FindFunction(in.op);
  HOLOGRAM_CHECK(info != nullptr);
  const bool half = isa::IsHalf(in.type);
  if (half) {
    a = arithmetic_.Widen(in.type, a);
    if (b != 0) b = arithmetic_.Widen(in.type, b);
  }
  const bool is_double = in.type == isa::Type::kF64;
  const bool fast = in.fast() && !is_double;
  const std::string name = std::string(isa::InfoOf(in.op).mnemonic) + (fast ? ".fast" : "") +
                           (is_double ? ".f64" : ".f32");
  const Function function = Once(name, is_double ? Scalar::kF64 : Scalar::kF32, b == 0 ? 1 : 2,
                                 [&](const std::vector<Value>& x) {
                                   if (is_double) {
                                     DeviceMathOps<math::Binary64> ops(*this, arithmetic_);
                                     return Body(ops, info->function, false, x);
                                   }
                                   DeviceMathOps<math::Binary32> ops(*this, arithmetic_);
                                   return Body(ops, info->function, fast, x);
                                 });
  const Value operands[] = {a, b};
  const Value result = arithmetic_.builder().Call(function, {operands, size_t{b == 0 ? 1U : 2U}});
  return half ? arithmetic_.Narrow(in.type, result) : result;
}

}  // namespace hologram::device
