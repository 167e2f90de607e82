// The registers of the program as LLVM values. A web is a stack slot of the function, one per
// sub-vector for varying webs, which SROA turns into SSA values. An affine web is kept as the exact
// value of lane 0 in 64 bits: it may be outside its type in a lane that does not run (i - 1 in
// lane 0 under `if i > 0`), and the lanes that run still find the right element.
#pragma once

#include "codegen/emit/arguments.h"
#include "codegen/emit/chunk.h"
#include "codegen/emit/lane_ids.h"
#include "codegen/emit/position.h"

namespace hologram::codegen {

class Registers {
 public:
  Registers(FunctionState& f, const Arguments& arguments, LaneIds& ids, const Chunk& chunk,
            const Position& position);

  // For another copy of the body: nothing is in any web.
  void Forget();

  // ---- Reading
  llvm::Value* Scalar(OperandId id);  // lane 0
  llvm::Value* Exact(OperandId id);   // lane 0 as an exact i64
  llvm::Value* Vector(OperandId id, unsigned u);
  Values Operand(OperandId id, bool as_scalar);
  bool MaybeNan(OperandId id) const;  // that was computed and is not yet canonical
  // With canonical NaNs, if the operand may have others.
  llvm::Value* WithCanonicalNan(OperandId id, llvm::Value* value);

  // ---- Writing what the instruction at `pc` gives
  void WriteScalar(uint32_t pc, llvm::Value* value);
  void WriteAffine(uint32_t pc, llvm::Value* exact);
  void Write(uint32_t pc, Values values);
  // Of either form; a scalar is one value.
  void WriteResult(uint32_t pc, bool scalar, Values values);

  // ---- Slots, for what keeps webs elsewhere meanwhile
  llvm::Type* TypeOfWeb(OperandId id);
  const Slots& SlotsOf(OperandId id);
  // Nothing has to be computed before the web is read.
  bool IsKnown(OperandId id);

 private:
  llvm::Value* ConstantOf(OperandId id);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  const Arguments& args_;
  LaneIds& ids_;
  const Chunk& chunk_;
  const Position& position_;
  std::vector<Slots> slots_;  // by web
};

}  // namespace hologram::codegen
