// Products and shifts of 128 bits. Where LLVM would call a library for them (WebAssembly) they are
// made of 64-bit instructions.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

class WideIntegers {
 public:
  WideIntegers(llvm::IRBuilder<>& b, const Target& target)
      : b_(b), wide_(b.getInt128Ty()), whole_(!target.is_wasm) {}

  // x * y of two i64, as i128.
  llvm::Value* Product(llvm::Value* x, llvm::Value* y);
  // Of an i128. REQUIRES: count, an i128, is below 128.
  llvm::Value* Shl(llvm::Value* v, llvm::Value* count);
  llvm::Value* LShr(llvm::Value* v, llvm::Value* count);

 private:
  llvm::Value* Low(llvm::Value* v) { return b_.CreateTrunc(v, b_.getInt64Ty()); }
  llvm::Value* High(llvm::Value* v) { return Low(b_.CreateLShr(v, 64)); }
  llvm::Value* Join(llvm::Value* low, llvm::Value* high);
  llvm::Value* Shift(llvm::Value* v, llvm::Value* count, bool left);

  llvm::IRBuilder<>& b_;
  llvm::Type* wide_;
  bool whole_;
};

// The library function that LLVM calls on WebAssembly for what overflows 64 bits in a product, if
// the module has such.
void DefineWideProduct(llvm::Module& module, const Target& target);

}  // namespace hologram::codegen
