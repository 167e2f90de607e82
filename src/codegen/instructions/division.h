// DIV and REM of integers, which fault where the divisor is zero.
#pragma once

#include <map>

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

  // Within a piece of a row (codegen/lanes/row_pieces.h), whether the instruction has a quotient
  // that all lanes share, of what can be computed before them.
  bool SharesQuotient(uint32_t pc) const;
  // Computes it here, for what is emitted later. REQUIRES: SharesQuotient(pc); its operands are
  // those of any lane of the piece
  void ComputeQuotient(uint32_t pc);

 private:
  llvm::Value* Safe(const isa::Instruction& in, llvm::Value* a, llvm::Value* b,
                    llvm::Value* is_zero);
  static bool IsLeftToLlvm(const isa::Instruction& in, const llvm::Value* divisor);
  void EmitShared(uint32_t pc);
  llvm::Value* Divide(const isa::Instruction& in, llvm::Value* a, llvm::Value* b);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  const Chunk& chunk_;
  Faults& faults_;
  std::map<uint32_t, llvm::Value*> quotients_;  // by pc
};

}  // namespace hologram::codegen
