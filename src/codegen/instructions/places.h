// Where accesses go: arrays, the elements that lanes name in them, and whether these are inside.
// Indices of up to 32 bits stay 32 bits wide in gathers, which extend them with their sign:
// unsigned ones are moved by 2^31, and the base in the other direction.
#pragma once

#include "codegen/emit/alias_scopes.h"
#include "codegen/emit/faults.h"
#include "codegen/emit/local_arrays.h"
#include "codegen/emit/registers.h"
#include "codegen/emit/shared_arrays.h"

namespace hologram::codegen {

struct Place {
  llvm::Value* base = nullptr;    // of element 0
  llvm::Value* extent = nullptr;  // elements, i64
  llvm::Type* type = nullptr;
  unsigned size = 0;
  llvm::Align align;      // of each element
  int64_t distance = 0;   // from the index to the element
  int32_t slot = -1;      // parameter number, or -1 for shared memory
  Transposed transposed;  // a row of 0: it is not
  bool is_transposed() const { return transposed.row != 0; }
};

class Places {
 public:
  Places(FunctionState& f, const Arguments& arguments, const AliasScopes& scopes,
         Registers& registers, const Chunk& chunk, Faults& faults, LocalArrays& local,
         const SharedArrays& shared);

  Place Of(uint32_t pc);
  void Tag(llvm::Instruction* access, const Place& place) const;
  llvm::Value* ElementAddress(const Place& place, llvm::Value* exact_index);
  // The same of an element number.
  llvm::Value* AddressOf(const Place& place, llvm::Value* element);
  // The addresses of the elements of one sub-vector.
  llvm::Value* LaneAddresses(const Place& place, OperandId index, unsigned u);
  // The element number as an i64 (or vector of them), which wraps only for 64-bit index types.
  llvm::Value* ExtendIndex(OperandId index, llvm::Value* value, const Place& place);

  // The access may name an element outside, and that is tested.
  bool IsGuarded(uint32_t pc) const;
  // Which lanes are outside [0, extent), exactly.
  llvm::Value* OutOfBounds(const Place& place, OperandId index, llvm::Value* value);
  // The lanes of a guarded access whose element is outside leave the running ones.
  void FaultOutside(uint32_t pc, const Place& place);

  // The value of a store.
  Values Stored(uint32_t pc, bool scalar);
  // The same with NaNs as they were computed, if it may have such.
  Values Computed(uint32_t pc, bool scalar);
  bool MayStoreNan(uint32_t pc) const;
  Values CanonicalForStore(Values values);

 private:
  bool FaultOutsideTogether(uint32_t pc, const Place& place);
  llvm::Value* TransposedAddresses(const Place& place, OperandId index, unsigned u);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  const Arguments& args_;
  const AliasScopes& scopes_;
  Registers& registers_;
  const Chunk& chunk_;
  Faults& faults_;
  LocalArrays& local_;
  const SharedArrays& shared_;
  std::vector<bool> is_aligned_;  // by parameter
};

}  // namespace hologram::codegen
