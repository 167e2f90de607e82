// Instructions of the Atlas: classes by arithmetic on their labels (isa/atlas.h), a fault check
// like that of division, and the phase, whose steps lie behind the local arrays of a lane.
#include "isa/atlas.h"

#include <cstddef>

#include "codegen/lowering.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::Align;
using llvm::BasicBlock;
using llvm::ConstantInt;

namespace {
constexpr uint64_t kServiceOperands = 3;  // room for those of any instruction
}  // namespace

llvm::Value* Lowering::ClassOfBlock() {
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* base = LoadInvariant(b_.getInt32Ty(), state_, offsetof(hologram_launch_state, class_base));
  Value* sum = b_.CreateAdd(wide(ReadId(isa::Sreg::kBlockX)), wide(base));
  return b_.CreateTrunc(b_.CreateURem(sum, b_.getInt64(isa::kNumClasses)), b_.getInt8Ty());
}

// Lanes whose value of an operand is not below `limit` fault with it.
void Lowering::FaultNotBelow(uint32_t pc, OperandId id, uint32_t limit, uint32_t code) {
  const bool scalar = plan_.KindOfResult(pc) == Kind::kUniform;
  const Values values = Operand(id, scalar);
  const auto outside = [&](Value* v) {
    return b_.CreateICmpUGE(v, ConstantInt::get(v->getType(), limit));
  };
  if (scalar) {
    return FaultAll(code, pc, outside(values[0]), b_.CreateZExt(values[0], b_.getInt64Ty()));
  }
  Values bad;
  Values index;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* here = outside(values[u]);
    bad.push_back(all_ ? here : b_.CreateAnd(here, mask_[u]));
    index.push_back(b_.CreateZExt(values[u], VectorOf(b_.getInt64Ty())));
  }
  FaultLanes(code, pc, bad, index);
}

llvm::Value* Lowering::MirrorOf(Value* c) {
  Type* type = c->getType();
  const auto constant = [&](uint64_t value) { return ConstantInt::get(type, value); };
  Value* low = b_.CreateICmpULT(b_.CreateURem(c, constant(6)), constant(3));
  return b_.CreateSelect(low, b_.CreateAdd(c, constant(3)), b_.CreateSub(c, constant(3)));
}

// The steps in ascending order: the one that comes after `k` others is taken.
llvm::Value* Lowering::NeighbourOf(Value* c, unsigned k) {
  Type* type = c->getType();
  const auto constant = [&](uint64_t value) { return ConstantInt::get(type, value & 0xff); };
  Value* t = b_.CreateURem(c, constant(3));
  Value* count = constant(0);
  Value* found = constant(isa::kNoNeighbour);
  for (const isa::NeighbourStep step : isa::kNeighbourSteps) {
    const bool up = step.distance > 0;
    Value* present = nullptr;
    if (step.bit == 1) {
      present = b_.CreateICmpNE(t, constant(up ? 2 : 0));
    } else {
      Value* bit = b_.CreateAnd(b_.CreateUDiv(c, constant(step.bit)), constant(1));
      present = b_.CreateICmpEQ(bit, constant(up ? 0 : 1));
    }
    Value* taken = b_.CreateAnd(present, b_.CreateICmpEQ(count, constant(k)));
    Value* there = b_.CreateAdd(c, constant(static_cast<uint64_t>(int64_t{step.distance})));
    found = b_.CreateSelect(taken, there, found);
    count = b_.CreateAdd(count, b_.CreateZExt(present, type));
  }
  return found;
}

void Lowering::EmitAtlas(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const auto& reads = plan_.operands[pc].reads;
  if (!plan_.verified->NeverFaults(pc)) {
    FaultNotBelow(pc, reads[0], isa::kNumClasses, HOLOGRAM_FAULT_INVALID_CLASS);
    if (in.op == Opcode::kBoundMap) {
      FaultNotBelow(pc, reads[1], isa::kPagesPerClass, HOLOGRAM_FAULT_INVALID_COORDINATES);
    }
  }
  const bool scalar = plan_.KindOfResult(pc) == Kind::kUniform;
  const Values classes = Operand(reads[0], scalar);
  Values results;
  if (in.op == Opcode::kBoundMap) {
    const Values pages = Operand(reads[1], scalar);
    const Values bytes = Operand(reads[2], scalar);
    Type* wide = scalar ? b_.getInt64Ty() : VectorOf(b_.getInt64Ty());
    const auto scaled = [&](Value* v, uint64_t by) {
      return b_.CreateMul(b_.CreateZExt(v, wide), ConstantInt::get(wide, by));
    };
    for (size_t u = 0; u < classes.size(); ++u) {
      Value* page = b_.CreateAdd(scaled(classes[u], isa::kBytesPerClass),
                                 scaled(pages[u], isa::kBytesPerPage));
      results.push_back(b_.CreateAdd(page, b_.CreateZExt(bytes[u], wide)));
    }
  } else {
    for (Value* c : classes) {
      if (in.op == Opcode::kMirror) {
        results.push_back(MirrorOf(c));
      } else if (in.op == Opcode::kNbrGet) {
        results.push_back(NeighbourOf(c, in.mod));
      } else {
        Type* wide = scalar ? b_.getInt32Ty() : VectorOf(b_.getInt32Ty());
        Value* t = b_.CreateURem(c, ConstantInt::get(c->getType(), 3));
        Value* middle = b_.CreateICmpEQ(t, ConstantInt::get(c->getType(), 1));
        results.push_back(b_.CreateAdd(b_.CreateZExt(middle, wide), ConstantInt::get(wide, 5)));
      }
    }
  }
  if (scalar) return WriteScalar(pc, results[0]);
  Write(pc, std::move(results));
}

// The steps of the phase of the lanes of vector `u`.
llvm::Value* Lowering::PhaseSteps(unsigned u) {
  Value* behind = BehindLocal(plan_.program().LocalBytes());
  Value* base = b_.CreateGEP(b_.getInt8Ty(), local_, behind);
  Value* first = b_.CreateGEP(b_.getInt32Ty(), base, local_lane_);
  return b_.CreateConstGEP1_64(b_.getInt32Ty(), first, uint64_t{u} * target_.width);
}

// A sum of two phases, which is below twice their number.
llvm::Value* Lowering::WrapPhase(Value* sum) {
  Value* wrapped = b_.CreateSub(sum, ConstantInt::get(sum->getType(), isa::kNumPhases));
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, sum, wrapped);
}

// What all lanes of the block start with.
llvm::Value* Lowering::PhaseOfBlock() {
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* block = b_.getInt64(0);
  for (unsigned d = 3; d-- > 0;) {
    Value* at = ids_[static_cast<size_t>(isa::Sreg::kBlockX) + d];
    block = b_.CreateAdd(b_.CreateMul(block, wide(ShapeValue(false, d))), wide(at));
  }
  Value* phase = LoadInvariant(b_.getInt32Ty(), state_, offsetof(hologram_stream_state, phase));
  Value* start = b_.CreateURem(b_.CreateAdd(block, wide(phase)), b_.getInt64(isa::kNumPhases));
  return b_.CreateTrunc(start, b_.getInt32Ty());
}

void Lowering::EmitPhase(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const Align align(4);
  Type* type = VectorOf(b_.getInt32Ty());
  const bool get = in.op == Opcode::kPhaseGet;
  Value* start =
      get ? PhaseOfBlock() : b_.getInt32(static_cast<uint32_t>(in.imm % isa::kNumPhases));
  Values results;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* address = PhaseSteps(u);
    Value* steps = all_ ? static_cast<Value*>(b_.CreateAlignedLoad(type, address, align))
                        : b_.CreateMaskedLoad(type, address, align, mask_[u],
                                              llvm::Constant::getNullValue(type));
    Value* sum = WrapPhase(b_.CreateAdd(steps, plan_.scalar ? start : Splat(start)));
    results.push_back(sum);
    if (get) continue;
    if (all_) {
      b_.CreateAlignedStore(sum, address, align);
    } else {
      b_.CreateMaskedStore(sum, address, align, mask_[u]);
    }
  }
  if (!get) return KeepStepsOfLane0(results[0]);
  if (plan_.scalar) return WriteScalar(pc, results[0]);
  Write(pc, std::move(results));
}

// Lane 0 of the launch says how far the phase of the stream goes.
void Lowering::KeepStepsOfLane0(Value* steps) {
  Value* here = b_.CreateICmpEQ(LinearLane(), b_.getInt64(0));
  if (!all_) here = b_.CreateAnd(here, b_.CreateExtractElement(mask_[0], b_.getInt64(0)));
  BasicBlock* keep = NewBlock("phase.keep");
  BasicBlock* end = NewBlock("phase.kept");
  BranchUnlikely(here, keep, end);
  b_.SetInsertPoint(keep);
  Value* of_lane = plan_.scalar ? steps : b_.CreateExtractElement(steps, b_.getInt64(0));
  b_.CreateStore(of_lane,
                 b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state_,
                                               offsetof(hologram_stream_state, phase_advance)));
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

// Calls for one lane; `at` is its number in the chunk.
void Lowering::CallService(uint32_t pc, Value* at, Value* operands, Value* results, Value* bad) {
  Type* wide = b_.getInt64Ty();
  llvm::FunctionType* type = llvm::FunctionType::get(
      b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt32Ty(), wide, b_.getPtrTy(), b_.getPtrTy()}, false);
  Value* service = LoadInvariant(b_.getPtrTy(), state_, offsetof(hologram_stream_state, service));
  Value* mine = b_.CreateGEP(wide, operands, b_.CreateMul(at, b_.getInt64(kServiceOperands)));
  Value* failed = b_.CreateCall(type, service,
                                {state_, b_.getInt32(pc), b_.CreateAdd(LinearLane(), at), mine,
                                 b_.CreateGEP(wide, results, at)});
  b_.CreateStore(b_.CreateTrunc(failed, b_.getInt8Ty()), b_.CreateGEP(b_.getInt8Ty(), bad, at));
}

// Operands, results and whether a lane faulted go through arrays of the chunk.
void Lowering::EmitService(uint32_t pc, llvm::ArrayRef<OperandId> reads) {
  const isa::Instruction& in = plan_.program().code[pc];
  const unsigned lanes = unroll_ * target_.width;
  Type* wide = b_.getInt64Ty();
  Type* byte = b_.getInt8Ty();
  Value* operands = NewSlot(llvm::ArrayType::get(wide, uint64_t{lanes} * kServiceOperands), "in");
  Value* results = NewSlot(llvm::ArrayType::get(wide, lanes), "out");
  Value* bad = NewSlot(llvm::ArrayType::get(byte, lanes), "bad");
  Value* runs = NewSlot(llvm::ArrayType::get(byte, lanes), "runs");
  const auto at = [&](Type* type, Value* array, uint64_t index) {
    return b_.CreateConstGEP1_64(type, array, index);
  };
  unsigned count = 0;
  for (const OperandId id : reads) {
    if (id == kNoOperand) continue;
    for (unsigned u = 0; u < unroll_; ++u) {
      Value* value = Vector(id, u);
      if (MaybeNan(id)) value = Canonical(value);
      value = b_.CreateBitCast(value, BitsType(value->getType()));
      value = b_.CreateZExt(value, VectorOf(wide));
      for (unsigned k = 0; k < target_.width; ++k) {
        const uint64_t lane = uint64_t{u} * target_.width + k;
        b_.CreateStore(b_.CreateExtractElement(value, k),
                       at(wide, operands, lane * kServiceOperands + count));
      }
    }
    ++count;
  }
  for (unsigned u = 0; u < unroll_; ++u) {
    const uint64_t first = uint64_t{u} * target_.width;
    b_.CreateAlignedStore(b_.CreateZExt(Mask(u), VectorOf(byte)), at(byte, runs, first), Align(1));
    b_.CreateAlignedStore(llvm::Constant::getNullValue(VectorOf(byte)), at(byte, bad, first),
                          Align(1));
  }
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* head = NewBlock("service");
  BasicBlock* call = NewBlock("service.call");
  BasicBlock* next = NewBlock("service.next");
  BasicBlock* end = NewBlock("served");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* lane = b_.CreatePHI(wide, 2);
  Value* run = b_.CreateLoad(byte, b_.CreateGEP(byte, runs, lane));
  b_.CreateCondBr(b_.CreateICmpNE(run, b_.getInt8(0)), call, next);
  b_.SetInsertPoint(call);
  CallService(pc, lane, operands, results, bad);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
  Value* following = b_.CreateAdd(lane, b_.getInt64(1));
  lane->addIncoming(b_.getInt64(0), before);
  lane->addIncoming(following, next);
  b_.CreateCondBr(b_.CreateICmpULT(following, b_.getInt64(lanes)), head, end);
  b_.SetInsertPoint(end);
  if (isa::IsPrint(in.op)) return;  // no result, and no fault
  Values failed;
  Values found;
  for (unsigned u = 0; u < unroll_; ++u) {
    const uint64_t first = uint64_t{u} * target_.width;
    Value* flags = b_.CreateAlignedLoad(VectorOf(byte), at(byte, bad, first), Align(1));
    failed.push_back(b_.CreateICmpNE(flags, llvm::Constant::getNullValue(flags->getType())));
    found.push_back(b_.CreateAlignedLoad(VectorOf(wide), at(wide, results, first), Align(8)));
  }
  if (in.op != Opcode::kUnityTest) FaultLanes(HOLOGRAM_FAULT_NONE, pc, failed, {});
  const OperandId write = plan_.operands[pc].write;
  if (write == kNoOperand) return;
  Type* type = VectorOf(TypeOfWeb(write));
  for (Value*& value : found) {
    value = b_.CreateBitCast(b_.CreateTrunc(value, BitsType(type)), type);
  }
  Write(pc, std::move(found));
}

}  // namespace hologram::codegen
