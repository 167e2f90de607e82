// The canonical functions: the algorithms of math, written out in LLVM IR by LlvmMathOps. f16
// and bf16 are the f32 function, rounded once.
#include "base/check.h"
#include "codegen/instructions/half.h"
#include "codegen/instructions/lanewise.h"
#include "codegen/instructions/llvm_math_ops.h"
#include "math/apply.h"

namespace hologram::codegen {
namespace {

using math::Function;

template <Function kFunction, bool kFast, class Ops>
Values EmitForm(Ops& ops, const Values& a, const Values& b) {
  if constexpr (math::InfoOf(kFunction).num_operands == 1) {
    return math::Apply<kFunction, kFast>(ops, a);
  } else {
    return math::Apply<kFunction, kFast>(ops, a, b);
  }
}

template <class Format>
Values Emit(FunctionState& f, Function function, bool fast, const Values& a, const Values& b) {
  LlvmMathOps<Format> ops(f, a[0]->getType(), a.size());
  switch (function) {
#define FUNCTION(Name, operands, has_fast)                                       \
  case Function::k##Name:                                                        \
    if (fast && (has_fast)) return EmitForm<Function::k##Name, true>(ops, a, b); \
    return EmitForm<Function::k##Name, false>(ops, a, b);
#include "math/functions.def"
  }
  return {};
}

}  // namespace

// `b` is empty where the function has one operand.
Values MathFunction(FunctionState& f, const isa::Instruction& in, const Values& a,
                    const Values& b) {
  const math::FunctionInfo* info = math::FindFunction(in.op);
  HOLOGRAM_CHECK(info != nullptr);
  if (isa::IsHalf(in.type)) {
    const auto widen = [&](Values values) {
      for (llvm::Value*& value : values) value = Widen(f, in.type, value);
      return values;
    };
    Values results = Emit<math::Binary32>(f, info->function, in.fast(), widen(a), widen(b));
    for (llvm::Value*& value : results) value = Narrow(f, in.type, value);
    return results;
  }
  if (in.type == isa::Type::kF32) {
    return Emit<math::Binary32>(f, info->function, in.fast(), a, b);
  }
  return Emit<math::Binary64>(f, info->function, in.fast(), a, b);
}

}  // namespace hologram::codegen
