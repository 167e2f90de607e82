#include "codegen/ptx/shared_memory.h"

namespace hologram::codegen::ptx {

llvm::GlobalVariable* AddSharedMemory(const Kernel& kernel, llvm::Type* type, const char* name) {
  constexpr unsigned kSharedSpace = 3;
  auto* variable = new llvm::GlobalVariable(
      kernel.module, type, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type),
      name, nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
  variable->setAlignment(llvm::Align(16));
  return variable;
}

void EmitBarrier(FunctionState& f) {
  f.builder().CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
}

}  // namespace hologram::codegen::ptx
