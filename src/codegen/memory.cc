// Loads and stores. What the verifier proved decides the form:
//   uniform      one scalar access              stride 1     one vector access per sub-vector
//   stride 2..4  whole vectors and shuffles     otherwise    gather and scatter
//   a stride that the launch knows: steps.cc
// Local arrays lie element by element, and in an element lane by lane: local.cc.
// A proved access carries no check. A guarded one tests its index first; lanes outside the extent
// fault and take no part. Indices of up to 32 bits stay 32 bits wide in gathers, which extend them
// with their sign: unsigned ones are moved by 2^31, and the base in the other direction.
#include <cstddef>

#include "codegen/lowering.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::Align;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Instruction;

OperandId Lowering::IndexOf(uint32_t pc) const {
  const bool global = isa::IsGlobalAccess(plan_.program().code[pc].op);
  return plan_.operands[pc].reads[global ? 1 : 0];
}

OperandId Lowering::StoredOperand(uint32_t pc) const {
  const bool global = isa::IsGlobalAccess(plan_.program().code[pc].op);
  return plan_.operands[pc].reads[global ? 2 : 1];
}

Lowering::Place Lowering::PlaceOf(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const verify::AccessFact& fact = *plan_.verified->AccessAt(pc);
  Place place;
  place.type = ScalarType(in.type);
  place.size = isa::SizeOf(in.type);
  place.distance = in.displacement() / static_cast<int64_t>(place.size);
  if (fact.local) {
    Value* offset = BehindLocal(plan_.program().LocalOffset(fact.slot));
    place.base = b_.CreateInBoundsGEP(b_.getInt8Ty(), local_, offset);
    place.extent = b_.getInt64(plan_.program().locals[fact.slot].count);
  } else if (fact.shared) {
    place.base = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), shared_,
                                               plan_.program().SharedOffset(fact.slot));
    place.extent = b_.getInt64(plan_.program().shared[fact.slot].count);
  } else {
    place.base = data_[fact.slot];
    place.extent = extent_[fact.slot];
    place.slot = static_cast<int32_t>(fact.slot);
  }
  return place;
}

void Lowering::Tag(Instruction* access, const Place& place) {
  if (place.slot < 0) return;
  const auto slot = static_cast<size_t>(place.slot);
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, scopes_[slot]);
  access->setMetadata(llvm::LLVMContext::MD_noalias, no_alias_[slot]);
}

void Lowering::EmitAccess(uint32_t pc) {
  const verify::AccessFact* fact = plan_.verified->AccessAt(pc);
  if (fact == nullptr) return;  // unreachable
  const Place place = PlaceOf(pc);
  const isa::Instruction& in = plan_.program().code[pc];
  const Kind index = plan_.KindOf(IndexOf(pc));
  const bool proved = fact->tier == verify::Tier::kProved || options_.unchecked;
  if (plan_.scalar || (isa::IsLoad(in.op) && plan_.KindOfResult(pc) == Kind::kUniform)) {
    return EmitScalarAccess(pc, place);
  }
  if (fact->local) return EmitLocalAccess(pc, place);
  if (isa::IsAtomic(in.op)) return EmitAtomic(pc, place);
  if (!proved) return EmitScattered(pc, place, "each index is compared with the length first");
  if (index == Kind::kUniform) {
    // In bounds for a lane that runs, and here one does (FaultLanes).
    if (isa::IsLoad(in.op)) return EmitScalarAccess(pc, place);
    return EmitUniformStore(pc, place);
  }
  std::string why = "the index has no constant stride";
  if (index == Kind::kAffine && fact->stride) {
    const int64_t stride = *fact->stride;
    if (stride == 1) return EmitAffineAccess(pc, place, stride);
    if (stride >= 2 && stride <= 4 && all_ && isa::IsLoad(in.op)) {
      return EmitStrided(pc, place, stride);
    }
    why = "stride " + std::to_string(stride);
  }
  if (EmitStepped(pc, place)) return;
  EmitScattered(pc, place, why);
}

llvm::Value* Lowering::ElementAddress(const Place& place, Value* exact_index) {
  Value* element = b_.CreateAdd(exact_index, b_.getInt64(static_cast<uint64_t>(place.distance)));
  return b_.CreateGEP(place.type, place.base, element);
}

// The element number as an i64 (or vector of them), which wraps only for 64-bit index types.
llvm::Value* Lowering::ExtendIndex(OperandId index, Value* value, const Place& place) {
  Type* wide = value->getType()->isVectorTy() ? VectorOf(b_.getInt64Ty()) : b_.getInt64Ty();
  Value* extended = b_.CreateIntCast(value, wide, isa::IsSignedInteger(plan_.TypeOf(index)));
  if (place.distance == 0) return extended;
  return b_.CreateAdd(extended, ConstantInt::get(wide, static_cast<uint64_t>(place.distance)));
}

// Which lanes are outside [0, extent), exactly.
llvm::Value* Lowering::OutOfBounds(const Place& place, OperandId index, Value* value) {
  const isa::Type type = plan_.TypeOf(index);
  const bool is_signed = isa::IsSignedInteger(type);
  const bool vector = value->getType()->isVectorTy();
  const auto splat = [&](Value* v) { return vector ? Splat(v) : v; };
  if (place.distance == 0 && isa::BitsOf(type) == 32) {
    // Compared in 32 bits: a negative index looks like 2^31 or more.
    Value* limit =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, place.extent,
                                 b_.getInt64(is_signed ? uint64_t{1} << 31 : uint64_t{UINT32_MAX}));
    Value* outside = b_.CreateICmpUGE(value, splat(b_.CreateTrunc(limit, b_.getInt32Ty())));
    if (is_signed) return outside;
    Value* huge = b_.CreateICmpUGT(place.extent, b_.getInt64(UINT32_MAX));
    return b_.CreateAnd(outside, splat(b_.CreateNot(huge)));
  }
  Value* element = ExtendIndex(index, value, place);
  Value* outside = b_.CreateICmpUGE(element, splat(place.extent));
  if (place.distance == 0 || isa::BitsOf(type) < 64) return outside;
  const auto distance = static_cast<uint64_t>(place.distance);
  Value* wrapped = nullptr;
  if (is_signed) {
    wrapped =
        place.distance > 0 ? b_.CreateICmpSLT(element, value) : b_.CreateICmpSGT(element, value);
  } else if (place.distance > 0) {
    wrapped = b_.CreateICmpULT(element, value);
  } else {
    wrapped = b_.CreateICmpULT(value, ConstantInt::get(value->getType(), uint64_t{0} - distance));
  }
  return b_.CreateOr(outside, wrapped);
}

// One access for all lanes: a load at a uniform index, or anything where lanes run one by one.
void Lowering::EmitScalarAccess(uint32_t pc, const Place& place) {
  const isa::Instruction& in = plan_.program().code[pc];
  const OperandId index = IndexOf(pc);
  const bool guarded =
      plan_.verified->AccessAt(pc)->tier == verify::Tier::kGuarded && !options_.unchecked;
  RemarkAccess(pc,
               llvm::Twine(plan_.scalar ? "an access for each lane" : "one load for all lanes") +
                   (guarded ? ", its index is compared with the length first" : ""));
  Value* value = Scalar(index);
  Value* element = ExtendIndex(index, value, place);
  // All lanes that run share the index: behind the fault there is none.
  if (guarded) {
    FaultAll(HOLOGRAM_FAULT_OUT_OF_BOUNDS, pc, OutOfBounds(place, index, value), element);
  }
  Value* address = b_.CreateGEP(place.type, place.base, element);
  if (isa::IsAtomic(in.op)) {
    Value* desired = isa::IsCompareAndSwap(in.op) ? Scalar(DesiredOperand(pc)) : nullptr;
    return WriteScalar(pc,
                       AtomicUpdate(pc, place, address, Scalar(StoredOperand(pc)), desired, false));
  }
  if (isa::IsStore(in.op)) {
    const Values stored = StoredValues(pc, true);
    Tag(b_.CreateAlignedStore(stored[0], address, Align(place.size)), place);
    return;
  }
  llvm::LoadInst* load = b_.CreateAlignedLoad(place.type, address, Align(place.size));
  Tag(load, place);
  WriteScalar(pc, load);
}

Values Lowering::StoredValues(uint32_t pc, bool scalar) {
  const OperandId id = StoredOperand(pc);
  Values values = Operand(id, scalar);
  if (isa::IsFloat(plan_.program().code[pc].type) && MaybeNan(id)) {
    values = CanonicalForStore(std::move(values));
  }
  return values;
}

// A NaN is rare, so pairs of sub-vectors are tested together and repaired out of line.
Values Lowering::CanonicalForStore(Values values) {
  if (values.size() < 2) {
    for (Value*& value : values) value = Canonical(value);
    return values;
  }
  Values tests;
  for (size_t u = 0; u + 1 < values.size(); u += 2) {
    tests.push_back(b_.CreateFCmpUNO(values[u], values[u + 1]));
  }
  BasicBlock* head = b_.GetInsertBlock();
  BasicBlock* repair = NewBlock("nan");
  BasicBlock* join = NewBlock("numbers");
  BranchUnlikely(AnyOf(tests), repair, join);
  b_.SetInsertPoint(repair);
  Values repaired;
  for (Value* value : values) repaired.push_back(Canonical(value));
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  for (size_t u = 0; u < values.size(); ++u) {
    llvm::PHINode* phi = b_.CreatePHI(values[u]->getType(), 2);
    phi->addIncoming(values[u], head);
    phi->addIncoming(repaired[u], repair);
    values[u] = phi;
  }
  return values;
}

void Lowering::EmitAffineAccess(uint32_t pc, const Place& place, int64_t stride) {
  const isa::Instruction& in = plan_.program().code[pc];
  RemarkAccess(pc, "contiguous vectors");
  Value* first = ElementAddress(place, Exact(IndexOf(pc)));
  const Align align(place.size);
  Type* type = VectorOf(place.type);
  const Values stored = isa::IsStore(in.op) ? StoredValues(pc, false) : Values();
  Values loaded;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* address =
        b_.CreateConstGEP1_64(place.type, first, static_cast<uint64_t>(stride) * u * target_.width);
    Instruction* access = nullptr;
    if (isa::IsLoad(in.op)) {
      access = all_ ? static_cast<Instruction*>(b_.CreateAlignedLoad(type, address, align))
                    : b_.CreateMaskedLoad(type, address, align, mask_[u],
                                          llvm::Constant::getNullValue(type));
      loaded.push_back(access);
    } else if (all_ && streaming_) {
      access = b_.CreateAlignedStore(stored[u], address, Align(place.size * target_.width));
      access->setMetadata(
          llvm::LLVMContext::MD_nontemporal,
          llvm::MDNode::get(context_, llvm::ConstantAsMetadata::get(b_.getInt32(1))));
    } else if (all_) {
      access = b_.CreateAlignedStore(stored[u], address, align);
    } else {
      access = b_.CreateMaskedStore(stored[u], address, align, mask_[u]);
    }
    Tag(access, place);
  }
  if (isa::IsLoad(in.op)) Write(pc, std::move(loaded));
}

// Sub-vector `u` of elements `stride` apart, as `stride` whole vectors, each starting so that it
// ends at or before the last element that is needed; nothing outside is read. REQUIRES: all_
llvm::Value* Lowering::LoadShuffled(const Place& place, Value* first, int64_t stride, unsigned u) {
  const auto w = static_cast<int64_t>(target_.width);
  Type* type = VectorOf(place.type);
  Value* result = llvm::PoisonValue::get(type);
  for (int64_t c = 0; c < stride; ++c) {
    const int64_t start = std::min(c * w, stride * (w - 1) + 1 - w);
    Value* address =
        b_.CreateConstGEP1_64(place.type, first, static_cast<uint64_t>(stride * u * w + start));
    llvm::LoadInst* load = b_.CreateAlignedLoad(type, address, Align(place.size));
    Tag(load, place);
    std::vector<int> picks;
    for (int64_t i = 0; i < w; ++i) {
      const int64_t at = i * stride - start;
      const bool mine = at >= 0 && at < w && i * stride / w == c;
      picks.push_back(static_cast<int>(mine ? w + at : i));
    }
    result = b_.CreateShuffleVector(result, load, picks);
  }
  return result;
}

void Lowering::EmitStrided(uint32_t pc, const Place& place, int64_t stride) {
  RemarkAccess(pc, "stride " + llvm::Twine(stride) + ": vectors and shuffles");
  Value* first = ElementAddress(place, Exact(IndexOf(pc)));
  Values results;
  for (unsigned u = 0; u < unroll_; ++u) {
    results.push_back(LoadShuffled(place, first, stride, u));
  }
  Write(pc, std::move(results));
}

// The addresses of the elements of one sub-vector.
llvm::Value* Lowering::LaneAddresses(const Place& place, OperandId index, unsigned u) {
  const isa::Type type = plan_.TypeOf(index);
  Value* value = Vector(index, u);
  Value* base =
      b_.CreateGEP(place.type, place.base, b_.getInt64(static_cast<uint64_t>(place.distance)));
  if (isa::BitsOf(type) == 64) return b_.CreateGEP(place.type, base, value);
  Type* narrow = VectorOf(b_.getInt32Ty());
  if (type == isa::Type::kU32) {
    constexpr uint64_t kBias = uint64_t{1} << 31;
    base = b_.CreateGEP(place.type, base, b_.getInt64(kBias));
    value = b_.CreateXor(value, ConstantInt::get(narrow, kBias));
  } else {
    value = b_.CreateIntCast(value, narrow, isa::IsSignedInteger(type));
  }
  return b_.CreateGEP(place.type, base, value);
}

// The lanes of a guarded access whose element is outside leave the running ones.
void Lowering::FaultOutside(uint32_t pc, const Place& place) {
  const OperandId index = IndexOf(pc);
  if (plan_.verified->AccessAt(pc)->tier != verify::Tier::kGuarded || options_.unchecked) return;
  Values bad;
  Values elements;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* value = Vector(index, u);
    bad.push_back(b_.CreateAnd(OutOfBounds(place, index, value), Mask(u)));
    elements.push_back(ExtendIndex(index, value, place));
  }
  FaultLanes(HOLOGRAM_FAULT_OUT_OF_BOUNDS, pc, bad, elements);
}

// `why`: not in another form.
void Lowering::EmitScattered(uint32_t pc, const Place& place, const std::string& why) {
  const isa::Instruction& in = plan_.program().code[pc];
  const OperandId index = IndexOf(pc);
  RemarkScattered(pc, place, why);
  FaultOutside(pc, place);
  const Values stored = isa::IsStore(in.op) ? StoredValues(pc, false) : Values();
  Type* type = VectorOf(place.type);
  Values loaded;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* addresses = LaneAddresses(place, index, u);
    const Align align(place.size);
    Instruction* access = nullptr;
    if (isa::IsLoad(in.op)) {
      access = b_.CreateMaskedGather(type, addresses, align, Mask(u),
                                     llvm::Constant::getNullValue(type));
      loaded.push_back(access);
    } else {
      access = b_.CreateMaskedScatter(stored[u], addresses, align, Mask(u));
    }
    Tag(access, place);
  }
  if (isa::IsLoad(in.op)) Write(pc, std::move(loaded));
}

// All running lanes store to one element; the highest one comes last.
void Lowering::EmitUniformStore(uint32_t pc, const Place& place) {
  RemarkAccess(pc, "one store, of the highest lane");
  Value* address = ElementAddress(place, Exact(IndexOf(pc)));
  const Values values = StoredValues(pc, false);
  for (unsigned u = 0; u < unroll_; ++u) {
    if (all_ && u + 1 < unroll_) continue;
    Value* lane = b_.getInt32(target_.width - 1);
    BasicBlock* join = nullptr;
    if (!all_) {
      Value* bits = b_.CreateBitCast(mask_[u], b_.getIntNTy(target_.width));
      BasicBlock* store = NewBlock("store");
      join = NewBlock("stored");
      b_.CreateCondBr(b_.CreateICmpNE(bits, ConstantInt::get(bits->getType(), 0)), store, join);
      b_.SetInsertPoint(store);
      Value* zeros = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b_.getFalse());
      lane = b_.CreateSub(lane, b_.CreateZExt(zeros, b_.getInt32Ty()));
      lane = b_.CreateAnd(lane, b_.getInt32(target_.width - 1));
    }
    Tag(b_.CreateAlignedStore(b_.CreateExtractElement(values[u], lane), address, Align(place.size)),
        place);
    if (join == nullptr) continue;
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
  }
}

}  // namespace hologram::codegen
