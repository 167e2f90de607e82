#include "codegen/instructions/phase.h"

#include <cstddef>

#include "codegen/emit/idioms.h"
#include "isa/atlas.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

// A sum of two phases, which is below twice their number.
Value* Phase::WrapPhase(Value* sum) {
  Value* wrapped = b_.CreateSub(sum, ConstantInt::get(sum->getType(), isa::kNumPhases));
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, sum, wrapped);
}

// What all lanes of the block start with.
Value* Phase::PhaseOfBlock() {
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* block = b_.getInt64(0);
  for (unsigned d = 3; d-- > 0;) {
    Value* at = ids_.Get(isa::Sreg::kBlockX, d);
    block = b_.CreateAdd(b_.CreateMul(block, wide(ids_.Shape(false, d))), wide(at));
  }
  Value* phase = LoadInvariant(b_, b_.getInt32Ty(), state_, offsetof(hologram_stream_state, phase));
  Value* start = b_.CreateURem(b_.CreateAdd(block, wide(phase)), b_.getInt64(isa::kNumPhases));
  return b_.CreateTrunc(start, b_.getInt32Ty());
}

Values Phase::Sums(Value* start, bool keeps) {
  const Align align(4);
  Type* type = f_.VectorOf(b_.getInt32Ty());
  Values results;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* address = local_.FirstBehind(plan_.program().LocalBytes(), b_.getInt32Ty(), u);
    Value* steps = chunk_.all() ? static_cast<Value*>(b_.CreateAlignedLoad(type, address, align))
                                : b_.CreateMaskedLoad(type, address, align, chunk_.running(u),
                                                      llvm::Constant::getNullValue(type));
    Value* sum = WrapPhase(b_.CreateAdd(steps, f_.Splat(start)));
    results.push_back(sum);
    if (!keeps) continue;
    if (chunk_.all()) {
      b_.CreateAlignedStore(sum, address, align);
    } else {
      b_.CreateMaskedStore(sum, address, align, chunk_.running(u));
    }
  }
  return results;
}

void Phase::Get(uint32_t pc) {
  registers_.WriteResult(pc, plan_.scalar, Sums(PhaseOfBlock(), false));
}

void Phase::Advance(uint32_t pc) {
  const uint64_t delta = plan_.program().code[pc].imm % isa::kNumPhases;
  KeepStepsOfLane0(Sums(b_.getInt32(static_cast<uint32_t>(delta)), true)[0]);
}

// Lane 0 of the launch says how far the phase of the stream goes.
void Phase::KeepStepsOfLane0(Value* steps) {
  Value* here = b_.CreateICmpEQ(ids_.LinearLane(), b_.getInt64(0));
  if (!chunk_.all())
    here = b_.CreateAnd(here, b_.CreateExtractElement(chunk_.running(0), b_.getInt64(0)));
  BasicBlock* keep = f_.NewBlock("phase.keep");
  BasicBlock* end = f_.NewBlock("phase.kept");
  f_.BranchUnlikely(here, keep, end);
  b_.SetInsertPoint(keep);
  Value* of_lane = plan_.scalar ? steps : b_.CreateExtractElement(steps, b_.getInt64(0));
  b_.CreateStore(of_lane,
                 b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state_,
                                               offsetof(hologram_stream_state, phase_advance)));
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

}  // namespace hologram::codegen
