// Local arrays: an array of the function, element by element and in an element lane by lane, so
// that an index that the lanes agree about is one contiguous access. Each chunk of lanes zeroes it
// and uses it alone; where lanes wait at barriers, it holds all lanes of a block instead, in memory
// of the caller if it does not fit the stack.
#include "codegen/lowering.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Instruction;

namespace {

constexpr uint64_t kStep = 32;  // bytes zeroed at once
// Of all lanes of a block together; larger arrays would not fit the stack of a thread.
constexpr uint64_t kMaxBlockBytes = uint64_t{1} << 20;

}  // namespace

// `lanes`: a multiple of 4, or 1 where lanes run one by one.
void Lowering::AllocateLocal(unsigned lanes) {
  const uint64_t bytes = uint64_t{plan_.LocalBytes()} * lanes;
  if (local_ == nullptr) {
    AllocaInst* slot = NewSlot(llvm::ArrayType::get(b_.getInt8Ty(), bytes), "local");
    slot->setAlignment(Align(64));
    local_ = slot;
  }
  ZeroLocal(b_.getInt64(lanes), uint64_t{plan_.ZeroedBytes()} * lanes % kStep == 0 ? kStep : 8);
}

// The arrays of `lanes` lanes from `local_` on. REQUIRES: `step` divides their bytes.
void Lowering::ZeroLocal(Value* lanes, uint64_t step) {
  local_lanes_ = lanes;
  local_lane_ = b_.getInt64(0);
  Value* zeroed = BehindLocal(plan_.ZeroedBytes());
  Type* type = llvm::FixedVectorType::get(b_.getInt8Ty(), static_cast<unsigned>(step));
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* body = NewBlock("zero.local");
  BasicBlock* after = NewBlock("zeroed.local");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* at = b_.CreatePHI(b_.getInt64Ty(), 2);
  b_.CreateAlignedStore(llvm::Constant::getNullValue(type),
                        b_.CreateGEP(b_.getInt8Ty(), local_, at), Align(8));
  Value* next = b_.CreateAdd(at, b_.getInt64(step));
  at->addIncoming(b_.getInt64(0), before);
  at->addIncoming(next, body);
  b_.CreateCondBr(b_.CreateICmpULT(next, zeroed), body, after);
  b_.SetInsertPoint(after);
}

bool Lowering::LocalPerBlock() const {
  return region_entries_.size() > 1 && plan_.LocalBytes() != 0;
}

// How far behind the arrays of all lanes those are that follow `bytes` of each.
llvm::Value* Lowering::BehindLocal(uint64_t bytes) {
  return b_.CreateMul(b_.getInt64(bytes), local_lanes_);
}

// What the caller has to bring for each lane of a block: 0 if the arrays of all lanes fit a stack.
uint32_t Lowering::ScratchBytes() {
  FindRegions();
  const uint64_t bytes = plan_.LocalBytes();
  const bool fits = !LocalPerBlock() || bytes * isa::kMaxLanesPerBlock <= kMaxBlockBytes;
  return fits ? 0 : static_cast<uint32_t>(bytes);
}

void Lowering::AllocateBlockLocal() {
  if (!LocalPerBlock()) return;
  if (scratch_bytes_ == 0) return AllocateLocal(isa::kMaxLanesPerBlock);
  const uint64_t most = HOLOGRAM_SCRATCH_LANES - 1;
  local_ = LoadInvariant(b_.getPtrTy(), state_, offsetof(hologram_launch_state, scratch));
  ZeroLocal(b_.CreateAnd(b_.CreateAdd(BlockLanes(), b_.getInt64(most)), ~most), kStep);
}

// The first lane of the chunk in the array.
void Lowering::StartLocal() {
  if (plan_.LocalBytes() == 0) return;
  if (!LocalPerBlock()) return AllocateLocal(plan_.scalar ? 1 : unroll_ * target_.width);
  local_lane_ = b_.CreateAdd(row_lanes_, ids_[static_cast<size_t>(isa::Sreg::kLaneX)]);
}

void Lowering::EmitLocalAccess(uint32_t pc, const Place& place) {
  const isa::Instruction& in = plan_.program().code[pc];
  const OperandId index = IndexOf(pc);
  FaultOutside(pc, place);
  const Values stored = isa::IsStore(in.op) ? StoredValues(pc, false) : Values();
  const bool together = plan_.KindOf(index) == Kind::kUniform;
  if (together) {
    RemarkAccess(pc, "contiguous vectors, as elements of all lanes lie side by side");
  } else {
    RemarkScattered(pc, place, "lanes have different indices");
  }
  const Align align(place.size);
  Type* type = VectorOf(place.type);
  Type* narrow = VectorOf(b_.getInt32Ty());
  llvm::Constant* none = llvm::Constant::getNullValue(type);
  Value* first = nullptr;
  if (together) {
    Value* element = b_.CreateMul(Exact(index), local_lanes_);
    first = b_.CreateGEP(place.type, place.base, b_.CreateAdd(element, local_lane_));
  }
  Values loaded;
  for (unsigned u = 0; u < unroll_; ++u) {
    const uint64_t behind = uint64_t{u} * target_.width;
    Value* address = nullptr;
    if (together) {
      address = b_.CreateConstGEP1_64(place.type, first, behind);
      if (isa::IsStore(in.op)) {
        if (all_) {
          b_.CreateAlignedStore(stored[u], address, align);
        } else {
          b_.CreateMaskedStore(stored[u], address, align, mask_[u]);
        }
      } else {
        loaded.push_back(all_ ? static_cast<Value*>(b_.CreateAlignedLoad(type, address, align))
                              : b_.CreateMaskedLoad(type, address, align, mask_[u], none));
      }
      continue;
    }
    const bool is_signed = isa::IsSignedInteger(plan_.TypeOf(index));
    Value* element = b_.CreateIntCast(Vector(index, u), narrow, is_signed);
    element = b_.CreateMul(element, Splat(b_.CreateTrunc(local_lanes_, b_.getInt32Ty())));
    Value* lane = b_.CreateTrunc(local_lane_, b_.getInt32Ty());
    lane = b_.CreateAdd(Splat(lane), Iota(b_.getInt32Ty(), 1, static_cast<int64_t>(behind)));
    address = b_.CreateGEP(place.type, place.base, b_.CreateAdd(element, lane));
    if (isa::IsStore(in.op)) {
      b_.CreateMaskedScatter(stored[u], address, align, Mask(u));
    } else {
      loaded.push_back(b_.CreateMaskedGather(type, address, align, Mask(u), none));
    }
  }
  if (isa::IsLoad(in.op)) Write(pc, std::move(loaded));
}

}  // namespace hologram::codegen
