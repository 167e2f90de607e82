// DIV and REM of integers, which fault where the divisor is zero.
#pragma once

#include "codegen/emit/faults.h"
#include "codegen/emit/registers.h"

namespace hologram::codegen {

class Division {
 public:
  Division(FunctionState& f, Registers& registers, const Chunk& chunk, Faults& faults)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        registers_(registers),
        chunk_(chunk),
        faults_(faults) {}

  void Emit(uint32_t pc);

 private:
  static bool IsLeftToLlvm(const isa::Instruction& in, const llvm::Value* divisor);
  void EmitShared(uint32_t pc);
  llvm::Value* Divide(const isa::Instruction& in, llvm::Value* a, llvm::Value* b);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  const Chunk& chunk_;
  Faults& faults_;
};

}  // namespace hologram::codegen
