// Local arrays: an array of the function, element by element and in an element lane by lane, so
// that an index that the lanes agree about is one contiguous access. Each chunk of lanes zeroes it
// and uses it alone; where lanes wait at barriers, it holds all lanes of a block instead.
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
  local_lanes_ = lanes;
  local_lane_ = b_.getInt64(0);
  const uint64_t bytes = uint64_t{plan_.LocalBytes()} * lanes;
  if (local_ == nullptr) {
    AllocaInst* slot = NewSlot(llvm::ArrayType::get(b_.getInt8Ty(), bytes), "local");
    slot->setAlignment(Align(64));
    local_ = slot;
  }
  const uint64_t zeroed = uint64_t{plan_.ZeroedBytes()} * lanes;
  const uint64_t step = zeroed % kStep == 0 ? kStep : 8;
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
  b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(zeroed)), body, after);
  b_.SetInsertPoint(after);
}

bool Lowering::LocalPerBlock() const {
  return region_entries_.size() > 1 && plan_.LocalBytes() != 0;
}

// False, with an error: the arrays of all lanes of a block together are too large for a stack.
bool Lowering::BlockLocalFits() {
  FindRegions();
  const uint64_t bytes = plan_.LocalBytes();
  if (!LocalPerBlock() || bytes * isa::kMaxLanesPerBlock <= kMaxBlockBytes) return true;
  Fail("local arrays" + std::string(plan_.recursive ? " and nested calls" : "") + " of " +
       std::to_string(bytes) +
       " bytes a lane in a kernel with barriers have no native code, up to " +
       std::to_string(kMaxBlockBytes / isa::kMaxLanesPerBlock) +
       " bytes have; it runs on the interpreter");
  return false;
}

void Lowering::AllocateBlockLocal() {
  if (LocalPerBlock()) AllocateLocal(isa::kMaxLanesPerBlock);
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
    Value* element = b_.CreateMul(Exact(index), b_.getInt64(local_lanes_));
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
    element = b_.CreateMul(element, ConstantInt::get(narrow, local_lanes_));
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
