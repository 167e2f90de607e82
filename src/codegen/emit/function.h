// One LLVM function while it is written: where the next instruction goes, its blocks and its stack
// slots, and the line of the kernel that the instruction belongs to. The output, and in which
// lanes, is the business of others.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "codegen/llvm_headers.h"
#include "codegen/plan/plan.h"
#include "codegen/target.h"

namespace hologram::codegen {

// One value per sub-vector, or a single scalar.
using Values = llvm::SmallVector<llvm::Value*, 4>;
using Slots = llvm::SmallVector<llvm::AllocaInst*, 4>;

// The DWARF line tables of a module: made with the first function that has lines.
class DebugLines {
 public:
  DebugLines(llvm::Module& module, const isa::Program& program, const Options& options)
      : module_(module), program_(program), options_(options) {}

  // The scope of a function, and its first line; null if there are none.
  llvm::DILocation* Begin(llvm::Function* function);
  void Finish();
  bool any() const { return builder_ != nullptr; }

 private:
  llvm::Module& module_;
  const isa::Program& program_;
  const Options& options_;
  std::unique_ptr<llvm::DIBuilder> builder_;
  llvm::DIFile* file_ = nullptr;
};

class AliasScopes;

// Inputs shared by all functions of a kernel. Nothing here changes while they are written, but
// that functions, globals and lines are added to the module.
struct Kernel {
  llvm::Module& module;
  const Plan& plan;
  const Target& target;
  const Options& options;
  const llvm::TargetMachine& machine;
  const AliasScopes& scopes;
  DebugLines& lines;

  std::string name() const;
  llvm::Function* AddFunction(llvm::FunctionType* type, const std::string& suffix) const;
};

class FunctionState {
 public:
  // Starts with the entry block of `function`, which is empty. `follows_source`: with the lines of
  // the kernel.
  FunctionState(const Kernel& kernel, llvm::Function* function, bool follows_source);

  const Kernel& kernel() const { return kernel_; }
  const Plan& plan() const { return kernel_.plan; }
  const Target& target() const { return kernel_.target; }
  llvm::LLVMContext& context() const { return kernel_.module.getContext(); }
  llvm::IRBuilder<>& builder() { return b_; }
  llvm::Function* function() const { return function_; }

  llvm::BasicBlock* NewBlock(const char* name);
  llvm::AllocaInst* NewSlot(llvm::Type* type, const char* name);
  // Instructions that come before all others of the function.
  llvm::IRBuilder<> AtStart() const;
  void BranchUnlikely(llvm::Value* condition, llvm::BasicBlock* rare, llvm::BasicBlock* usual);
  // The code that follows comes from the instruction at `pc`.
  void SetLine(uint32_t pc);

  // ---- Lanes: `width` elements to a vector, or scalars where lanes run one by one
  llvm::Type* VectorOf(llvm::Type* type) const;
  llvm::Value* Splat(llvm::Value* scalar);
  // (first + i) * stride in lane i.
  llvm::Value* Iota(llvm::Type* element, int64_t stride, int64_t first) const;
  // One bit: whether any lane of any of the masks is set.
  llvm::Value* AnyOf(const Values& masks);

 private:
  const Kernel& kernel_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_;
  llvm::BasicBlock* entry_;
};

// Common parts of every CPU function.
void SetCpuAttributes(const Kernel& kernel, llvm::Function* function);

}  // namespace hologram::codegen
