// Barriers of a block in PTX. BLK.RED and BLK.SCAN: the values of a block go into shared memory,
// and the lanes that are still there share the steps of the tree of docs/isa.md out among them. A
// lane that returned before takes no part, so who works is found out first, unless the program
// knows that all come. Each element is computed by one lane, from elements of the step before, so
// which lane it is changes no bit.
#pragma once

#include "codegen/emit/barriers.h"
#include "codegen/emit/registers.h"

namespace hologram::codegen::ptx {

// Where the values of a block go.
struct ReductionMemory {
  llvm::GlobalVariable* values = nullptr;   // null: no instruction needs any
  llvm::GlobalVariable* arrived = nullptr;  // how many lanes have come
};
// Makes the memory for all reductions of the kernel, and the counter of lanes. An error if that
// is more than there is.
Result<ReductionMemory> AddReductionMemory(FunctionState& f);

class Reductions : public Barriers {
 public:
  // `block_lanes`: of the block, i64.
  Reductions(FunctionState& f, LaneIds& ids, Registers& registers, const ReductionMemory& memory,
             llvm::Value* block_lanes)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        ids_(ids),
        registers_(registers),
        memory_(memory.values),
        arrived_(memory.arrived),
        block_lanes_(block_lanes) {}

  bool Emit(uint32_t block) override;

 private:
  void Reduce(uint32_t pc, uint32_t block);
  void Scan(uint32_t pc, uint32_t block);
  bool AllLanesCome(uint32_t block) const;
  void NumberLanes(uint32_t block);
  void ShareOut(llvm::Value* count, llvm::function_ref<void(llvm::Value*)> body);
  void Fill(uint32_t pc, llvm::Value* slots);
  void Keep(uint32_t pc, llvm::Value* value);
  void Barrier();

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  LaneIds& ids_;
  Registers& registers_;
  llvm::Value* memory_;
  llvm::Value* arrived_;
  llvm::Value* block_lanes_;
  llvm::Value* worker_ = nullptr;   // number of this lane among those that work, i64
  llvm::Value* workers_ = nullptr;  // how many these are, i64
};

}  // namespace hologram::codegen::ptx
