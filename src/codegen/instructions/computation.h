// Instructions that compute and do nothing else. Each is computed in the cheapest form its operands
// allow: once (uniform), as the exact value of lane 0 (affine), or per sub-vector.
#pragma once

#include "codegen/emit/registers.h"
#include "codegen/instructions/lanewise.h"

namespace hologram::codegen {

// The same on exact values of lane 0, i64; operand(i) reads one.
using ExactOperation = llvm::Value* (*)(llvm::IRBuilder<>& b,
                                        llvm::function_ref<llvm::Value*(size_t)> operand);

class Computation {
 public:
  Computation(FunctionState& f, Registers& registers, LaneIds& ids)
      : f_(f), b_(f.builder()), plan_(f.plan()), registers_(registers), ids_(ids) {}

  // `exact`: of instructions whose result may differ by a constant from lane to lane.
  void Emit(uint32_t pc, LaneOperation operation, ExactOperation exact = nullptr);
  // A comparison, in two steps: what comes between may read its operands too.
  Values Results(uint32_t pc, LaneOperation operation);
  void Write(uint32_t pc, Values results);

  void EmitMath(uint32_t pc);
  // From the first register of a run, step by step; `identity` is the result for none.
  void EmitReduce(uint32_t pc, LaneOperation step, double identity);
  void EmitImmediate(uint32_t pc);
  void EmitId(uint32_t pc);

 private:
  bool IsScalar(uint32_t pc) const { return plan_.KindOfResult(pc) == Kind::kUniform; }
  size_t ReadSources(uint32_t pc, std::array<Values, 3>& sources);
  void MakeCanonical(uint32_t pc, Values& results);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  LaneIds& ids_;
};

}  // namespace hologram::codegen
