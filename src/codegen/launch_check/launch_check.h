// One function of the launch check (entry.h), while it is written.
#pragma once

#include "codegen/launch_check/conditions.h"

namespace hologram::codegen {

class LaunchCheck {
 public:
  // `function` is empty; `row_lanes` of the check of a launch of one row, else null.
  LaunchCheck(const Kernel& kernel, llvm::Function* function, llvm::Value* row_lanes);

  FunctionState& function() { return f_; }
  const CheckedArguments& arguments() const { return args_; }
  Rejects& rejects() { return rejects_; }

  void LoadShape(llvm::Value* shape);
  void LoadArguments(llvm::Value* buffers, llvm::Value* scalars);
  void CheckShape();
  void CheckBuffers(llvm::Value* limit);
  // False: the check of a row does not suffice.
  bool CheckConditions();
  // Goes on unless buffers share memory in a way that the kernel may not allow. Where it allows
  // exactly the same memory, `meeting` decides, with the arguments of this function.
  void CheckOverlap(llvm::Function* meeting);
  void RejectPartialOverlap();
  // How many units the launch has.
  llvm::Value* Units();
  // Ends the function with a call of another one of this kernel.
  void ReturnFrom(llvm::CallInst* call);

 private:
  std::array<llvm::Value*, 2> StartsInside(const verify::AliasRule& rule);
  llvm::Value* Overlap(const verify::AliasRule& rule);
  llvm::Value* PartialOverlap();

  FunctionState f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Rejects rejects_;
  CheckedArguments args_;
  Conditions conditions_;
};

}  // namespace hologram::codegen
