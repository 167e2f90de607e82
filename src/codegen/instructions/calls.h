// CALL and RET of programs in which a function calls itself; in all others verify/calls.cc has put
// copies in their place. Behind the local arrays each lane has how deep its calls are nested, and
// for each of them the number of the place where it goes on. A RET is a branch with many targets,
// about which lanes disagree: masks do the rest (codegen/emit/control_flow.h).
#pragma once

#include "codegen/emit/faults.h"
#include "codegen/emit/local_arrays.h"

namespace hologram::codegen {

class Calls {
 public:
  Calls(FunctionState& f, const Chunk& chunk, Faults& faults, LocalArrays& local)
      : f_(f), b_(f.builder()), plan_(f.plan()), chunk_(chunk), faults_(faults), local_(local) {}

  void Call(uint32_t pc);
  void Return();
  // Of the RET that was written last: the numbers of the places where lanes go on.
  llvm::Value* returned(unsigned u) const { return returned_[u]; }

 private:
  llvm::Value* DepthAddress(unsigned u);
  llvm::Value* PlaceAddresses(llvm::Value* depth, unsigned u);
  llvm::Value* LoadDepth(unsigned u);
  void StoreDepth(llvm::Value* depth, unsigned u);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  const Chunk& chunk_;
  Faults& faults_;
  LocalArrays& local_;
  Values returned_;
};

}  // namespace hologram::codegen
