// Instructions of the Atlas on classes: arithmetic on their labels (isa/atlas.h), and a fault check
// like that of division.
#pragma once

#include "codegen/emit/faults.h"
#include "codegen/emit/registers.h"

namespace hologram::codegen {

class Classes {
 public:
  // `state`: of the launch.
  Classes(FunctionState& f, LaneIds& ids, Registers& registers, const Chunk& chunk, Faults& faults,
          llvm::Value* state)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        ids_(ids),
        registers_(registers),
        chunk_(chunk),
        faults_(faults),
        state_(state) {}

  void ClassOfBlock(uint32_t pc);
  void Mirror(uint32_t pc);
  void NeighbourCount(uint32_t pc);
  void Neighbour(uint32_t pc);
  void BoundMap(uint32_t pc);

 private:
  // result(class) of the first operand, which is a class or faults.
  void OfClass(uint32_t pc, llvm::function_ref<llvm::Value*(llvm::Value*)> result);
  void CheckClass(uint32_t pc);
  void FaultNotBelow(uint32_t pc, OperandId id, uint32_t limit, uint32_t code);
  llvm::Value* NeighbourOf(llvm::Value* c, unsigned k);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  LaneIds& ids_;
  Registers& registers_;
  const Chunk& chunk_;
  Faults& faults_;
  llvm::Value* state_;
};

}  // namespace hologram::codegen
