#include "codegen/lanes/contexts.h"

#include <algorithm>

#include "codegen/emit/idioms.h"
#include "codegen/plan/loops.h"

namespace hologram::codegen {

using isa::Sreg;
using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;

Contexts::Contexts(FunctionState& f, LaneIds& ids, Chunk& chunk, Registers& registers,
                   BackEdges& back_edges, Invariants& invariants, const Regions& regions)
    : f_(f),
      b_(f.builder()),
      plan_(f.plan()),
      ids_(ids),
      chunk_(chunk),
      registers_(registers),
      back_edges_(back_edges),
      invariants_(invariants),
      tracks_alive_(regions.tracks_alive),
      arrays_(f.plan().webs.size(), nullptr) {}

void Contexts::EnterRegion(uint32_t number, const Blocks& blocks) {
  region_ = number;
  blocks_ = blocks;
}

Contexts::Array Contexts::ArrayOf(OperandId web) {
  const bool varying = plan_.KindOf(web) == Kind::kVarying;
  Type* element = plan_.KindOf(web) == Kind::kAffine ? b_.getInt64Ty() : registers_.TypeOfWeb(web);
  if (element->isIntegerTy(1)) element = b_.getInt8Ty();
  Value*& array = arrays_[static_cast<size_t>(web)];
  if (array == nullptr) {
    const uint64_t count = uint64_t{isa::kMaxLanesPerBlock} * (varying ? 1 : 2);
    llvm::AllocaInst* slot = f_.NewSlot(llvm::ArrayType::get(element, count), "context");
    slot->setAlignment(llvm::Align(64));
    array = slot;
  }
  return {array, element};
}

Value* Contexts::LaneElement(OperandId web) {
  const Array array = ArrayOf(web);
  Value* lane = ids_.LaneInBlock();
  return b_.CreateGEP(array.element, array.base, lane);
}

Value* Contexts::RowElement(OperandId web, bool after) {
  const Array array = ArrayOf(web);
  Value* at = after ? b_.CreateAdd(ids_.row(), b_.getInt64(isa::kMaxLanesPerBlock)) : ids_.row();
  return b_.CreateGEP(array.element, array.base, at);
}

// How far the first lane of the chunk is from what lane 0 of the row has.
Value* Contexts::ChunkOffset(OperandId web) {
  const Web& one = plan_.webs[static_cast<size_t>(web)];
  return b_.CreateMul(ids_.Get(Sreg::kLaneX), b_.getInt64(static_cast<uint64_t>(one.stride)));
}

// Those that live across the barrier and may have changed. The first region stores all: what is
// there when a block starts is of the block before.
std::vector<OperandId> Contexts::WebsToStore() const {
  std::vector<OperandId> webs = WebsAcrossBarriers(plan_, blocks_);
  if (region_ == 0) return webs;
  std::erase_if(webs, [&](OperandId web) {
    const std::vector<uint32_t>& writes = plan_.webs[static_cast<size_t>(web)].definitions;
    return std::none_of(writes.begin(), writes.end(), [&](uint32_t pc) {
      return Contains(blocks_, plan_.verified->BlockOf(pc));
    });
  });
  return webs;
}

void Contexts::CommitRow() {
  for (OperandId web : WebsToStore()) {
    if (!KeptPerRow(plan_, web)) continue;
    Type* element = ArrayOf(web).element;
    b_.CreateStore(b_.CreateLoad(element, RowElement(web, true)), RowElement(web, false));
  }
}

Values Contexts::ReadLanes(Value* array, Type* element, bool as_bool) {
  Type* type = f_.VectorOf(element);
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  Values values;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* address = b_.CreateConstGEP1_64(element, array, uint64_t{u} * f_.target().width);
    Value* value = chunk_.full() ? static_cast<Value*>(b_.CreateAlignedLoad(type, address, align))
                                 : b_.CreateMaskedLoad(type, address, align, chunk_.existing(u),
                                                       llvm::Constant::getNullValue(type));
    if (as_bool) value = b_.CreateICmpNE(value, llvm::Constant::getNullValue(type));
    values.push_back(value);
  }
  return values;
}

void Contexts::WriteLanes(Value* array, const Values& values) {
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* value = values[u];
    if (value->getType()->getScalarType()->isIntegerTy(1)) {
      value = b_.CreateZExt(value, f_.VectorOf(b_.getInt8Ty()));
    }
    Type* element = value->getType()->getScalarType();
    const llvm::Align align(element->getScalarSizeInBits() / 8);
    Value* address = b_.CreateConstGEP1_64(element, array, uint64_t{u} * f_.target().width);
    if (chunk_.full()) {
      b_.CreateAlignedStore(value, address, align);
    } else {
      b_.CreateMaskedStore(value, address, align, chunk_.existing(u));
    }
  }
}

// What lanes have counted before the barrier; nothing if they count nothing.
void Contexts::LoadCounts(Value* lane) {
  for (const bool limited : {false, true}) {
    const Slots& slots = back_edges_.SlotsOf(limited);
    if (slots.empty() || counts_[limited] == nullptr) continue;
    Type* wide = b_.getInt64Ty();
    const Values counts = ReadLanes(b_.CreateGEP(wide, counts_[limited], lane), wide, false);
    for (unsigned u = 0; u < chunk_.unroll(); ++u) b_.CreateStore(counts[u], slots[u]);
  }
}

void Contexts::StoreCounts(Value* lane) {
  for (const bool limited : {false, true}) {
    const Slots& slots = back_edges_.SlotsOf(limited);
    if (slots.empty()) continue;
    Value*& counts = counts_[limited];
    Type* wide = b_.getInt64Ty();
    if (counts == nullptr) {
      counts = f_.NewSlot(llvm::ArrayType::get(wide, isa::kMaxLanesPerBlock), "counts");
    }
    WriteLanes(b_.CreateGEP(wide, counts, lane), LoadSlots(b_, slots));
  }
}

void Contexts::BeginArrival() {
  arrived_.clear();
  if (!tracks_alive_) return;
  Type* mask_type = f_.VectorOf(b_.getInt1Ty());
  if (alive_ == nullptr) {
    llvm::AllocaInst* slot =
        f_.NewSlot(llvm::ArrayType::get(b_.getInt8Ty(), isa::kMaxLanesPerBlock), "alive");
    slot->setAlignment(llvm::Align(64));
    alive_ = slot;
  }
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    arrived_.push_back(f_.NewSlot(mask_type, "arrived"));
    b_.CreateStore(llvm::Constant::getNullValue(mask_type), arrived_[u]);
  }
}

void Contexts::LoadAlive(Value* lane) {
  if (!tracks_alive_) return;
  chunk_.SetLive(ReadLanes(b_.CreateGEP(b_.getInt8Ty(), alive_, lane), b_.getInt8Ty(), true));
}

void Contexts::LoadWeb(OperandId web) {
  const Web& one = plan_.webs[static_cast<size_t>(web)];
  if (one.invariant && one.kind != Kind::kVarying) {
    invariants_.Compute(web);
  } else if (one.kind != Kind::kVarying) {
    const Slots& slots = registers_.SlotsOf(web);
    Type* type = slots[0]->getAllocatedType();
    Value* address = RowElement(web, false);
    Value* value = type->isIntegerTy(1)
                       ? b_.CreateTrunc(b_.CreateLoad(b_.getInt8Ty(), address), type)
                       : b_.CreateLoad(type, address);
    if (one.kind == Kind::kAffine) value = b_.CreateAdd(value, ChunkOffset(web));
    b_.CreateStore(value, slots[0]);
  } else {
    const bool as_bool = one.is_predicate();
    Type* element = as_bool ? b_.getInt8Ty() : registers_.TypeOfWeb(web);
    const Values values = ReadLanes(LaneElement(web), element, as_bool);
    const Slots& slots = registers_.SlotsOf(web);
    for (unsigned u = 0; u < chunk_.unroll(); ++u) b_.CreateStore(values[u], slots[u]);
  }
}

void Contexts::Load(uint32_t entry) {
  BeginArrival();
  if (region_ == 0) return;
  Value* lane = ids_.LaneInBlock();
  LoadAlive(lane);
  LoadCounts(lane);
  for (OperandId web : plan_.live_in[entry]) LoadWeb(web);
  if (!chunk_.tracks_live()) return;
  BasicBlock* some = f_.NewBlock("some");
  b_.CreateCondBr(f_.AnyOf(chunk_.Live()), some, chunk_.end());
  b_.SetInsertPoint(some);
}

void Contexts::Arrive() {
  for (unsigned u = 0; u < arrived_.size(); ++u) {
    Value* before = b_.CreateLoad(arrived_[u]->getAllocatedType(), arrived_[u]);
    b_.CreateStore(b_.CreateOr(before, chunk_.Mask(u)), arrived_[u]);
  }
}

void Contexts::Store() {
  if (!Continues(plan_, blocks_)) return;
  Value* lane = ids_.LaneInBlock();
  if (tracks_alive_) {
    WriteLanes(b_.CreateGEP(b_.getInt8Ty(), alive_, lane), LoadSlots(b_, arrived_));
  }
  StoreCounts(lane);
  const std::vector<OperandId> webs = WebsToStore();
  for (OperandId web : webs) {
    if (plan_.KindOf(web) != Kind::kVarying) continue;
    WriteLanes(LaneElement(web), LoadSlots(b_, registers_.SlotsOf(web)));
  }
  StoreRow(webs);
}

// Values of the row come from a chunk that went on: they are stale in one whose lanes have all
// faulted or returned.
void Contexts::StoreRow(const std::vector<OperandId>& webs) {
  if (std::none_of(webs.begin(), webs.end(),
                   [&](OperandId web) { return KeptPerRow(plan_, web); })) {
    return;
  }
  BasicBlock* kept = nullptr;
  if (tracks_alive_) {
    BasicBlock* keep = f_.NewBlock("keep.row");
    kept = f_.NewBlock("kept.row");
    b_.CreateCondBr(f_.AnyOf(LoadSlots(b_, arrived_)), keep, kept);
    b_.SetInsertPoint(keep);
  }
  for (OperandId web : webs) {
    if (!KeptPerRow(plan_, web)) continue;
    const Slots& slots = registers_.SlotsOf(web);
    Value* value = b_.CreateLoad(slots[0]->getAllocatedType(), slots[0]);
    if (value->getType()->isIntegerTy(1)) value = b_.CreateZExt(value, b_.getInt8Ty());
    if (plan_.KindOf(web) == Kind::kAffine) value = b_.CreateSub(value, ChunkOffset(web));
    b_.CreateStore(value, RowElement(web, true));
  }
  if (kept == nullptr) return;
  b_.CreateBr(kept);
  b_.SetInsertPoint(kept);
}

}  // namespace hologram::codegen
