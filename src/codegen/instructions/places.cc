#include "codegen/instructions/places.h"

#include <bit>

#include "codegen/emit/idioms.h"
#include "codegen/plan/accesses.h"
#include "codegen/plan/transposed.h"
#include "verify/checked_form.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Instruction;
using llvm::Type;
using llvm::Value;

Places::Places(FunctionState& f, const Arguments& arguments, const AliasScopes& scopes,
               Registers& registers, const Chunk& chunk, Faults& faults, LocalArrays& local,
               const SharedArrays& shared)
    : f_(f),
      b_(f.builder()),
      plan_(f.plan()),
      args_(arguments),
      scopes_(scopes),
      registers_(registers),
      chunk_(chunk),
      faults_(faults),
      local_(local),
      shared_(shared) {
  // Threads of a GPU fault on addresses that processors take.
  const bool aligned = f.target().lane_per_thread;
  for (size_t k = 0; k < plan_.program().parameters.size(); ++k) {
    is_aligned_.push_back(aligned || plan_.given().NeedsAlignment(k));
  }
}

Place Places::Of(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const verify::AccessFact& fact = *plan_.verified->AccessAt(pc);
  Place place;
  place.type = ScalarType(b_, in.type);
  place.size = isa::SizeOf(in.type);
  place.align = Align(place.size);
  place.distance = in.displacement() / static_cast<int64_t>(place.size);
  if (fact.local) {
    Value* offset = local_.Behind(plan_.program().LocalOffset(fact.slot));
    place.base = b_.CreateInBoundsGEP(b_.getInt8Ty(), local_.base(), offset);
    place.extent = b_.getInt64(plan_.program().locals[fact.slot].count);
  } else if (fact.shared) {
    place.base = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), shared_.base(),
                                               OffsetOfShared(plan_, fact.slot));
    place.extent = b_.getInt64(plan_.program().shared[fact.slot].count);
    const auto transposed = plan_.arrays.transposed.find(fact.slot);
    if (transposed != plan_.arrays.transposed.end()) place.transposed = transposed->second;
  } else {
    place.base = args_.data[fact.slot];
    place.extent = args_.extent[fact.slot];
    place.slot = static_cast<int32_t>(fact.slot);
    if (!is_aligned_[fact.slot]) place.align = Align(1);
  }
  return place;
}

void Places::Tag(Instruction* access, const Place& place) const {
  if (place.slot >= 0) scopes_.Tag(access, static_cast<size_t>(place.slot));
}

bool Places::IsGuarded(uint32_t pc) const {
  return !plan_.options.unchecked && plan_.verified->AccessAt(pc)->tier == verify::Tier::kGuarded;
}

Value* Places::ElementAddress(const Place& place, Value* exact_index) {
  Value* element = b_.CreateAdd(exact_index, b_.getInt64(static_cast<uint64_t>(place.distance)));
  return AddressOf(place, element);
}

// Of a transposed array the first of a vector may lie before it, where its lane does not run.
Value* Places::AddressOf(const Place& place, Value* element) {
  if (place.is_transposed()) {
    constexpr uint64_t kRowsBefore = uint64_t{1} << 16;
    const uint64_t length = place.transposed.row;
    Value* row = nullptr;
    if (std::has_single_bit(length)) {
      row = b_.CreateAShr(element, b_.getInt64(static_cast<uint64_t>(std::countr_zero(length))));
    } else {
      Value* behind = b_.CreateAdd(element, b_.getInt64(kRowsBefore * length));
      row = b_.CreateUDiv(behind, b_.getInt64(length));
      row = b_.CreateSub(row, b_.getInt64(kRowsBefore));
    }
    Value* column = b_.CreateSub(element, b_.CreateMul(row, b_.getInt64(length)));
    element = b_.CreateAdd(b_.CreateMul(column, b_.getInt64(place.transposed.rows)), row);
  }
  return b_.CreateGEP(place.type, place.base, element);
}

Value* Places::ExtendIndex(OperandId index, Value* value, const Place& place) {
  Type* wide = value->getType()->isVectorTy() ? f_.VectorOf(b_.getInt64Ty()) : b_.getInt64Ty();
  Value* extended = b_.CreateIntCast(value, wide, isa::IsSignedInteger(plan_.TypeOf(index)));
  if (place.distance == 0) return extended;
  return b_.CreateAdd(extended, ConstantInt::get(wide, static_cast<uint64_t>(place.distance)));
}

Value* Places::OutOfBounds(const Place& place, OperandId index, Value* value) {
  const isa::Type type = plan_.TypeOf(index);
  const bool is_signed = isa::IsSignedInteger(type);
  const bool vector = value->getType()->isVectorTy();
  const auto splat = [&](Value* v) { return vector ? f_.Splat(v) : v; };
  // A processor extends one number for nothing.
  const bool narrow = vector || f_.target().lane_per_thread;
  if (place.distance == 0 && isa::BitsOf(type) == 32 && narrow) {
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

// The number of a row by a product and a shift, where both fit 32 bits: a vector has no division.
Value* Places::TransposedAddresses(const Place& place, OperandId index, unsigned u) {
  Type* narrow = f_.VectorOf(b_.getInt32Ty());
  const uint64_t length = place.transposed.row;
  const uint64_t count = length * place.transposed.rows;
  const auto number = [&](uint64_t n) { return ConstantInt::get(narrow, n); };
  Value* element = b_.CreateIntCast(registers_.Vector(index, u), narrow, true);
  element = b_.CreateAdd(element, number(static_cast<uint64_t>(place.distance)));
  Value* row = nullptr;
  for (unsigned shift = 1; shift < 32 && row == nullptr; ++shift) {
    const uint64_t factor = ((uint64_t{1} << shift) + length - 1) / length;
    const uint64_t error = factor * length - (uint64_t{1} << shift);
    if (error * count >= uint64_t{1} << shift || factor * count > UINT32_MAX) continue;
    row = b_.CreateLShr(b_.CreateMul(element, number(factor)), number(shift));
  }
  if (row == nullptr) row = b_.CreateUDiv(element, number(length));
  // (element - row * length) * rows + row
  Value* place_in_array = b_.CreateSub(b_.CreateMul(element, number(place.transposed.rows)),
                                       b_.CreateMul(row, number(count - 1)));
  return b_.CreateGEP(place.type, place.base, place_in_array);
}

Value* Places::LaneAddresses(const Place& place, OperandId index, unsigned u) {
  if (place.is_transposed()) return TransposedAddresses(place, index, u);
  const isa::Type type = plan_.TypeOf(index);
  Value* value = registers_.Vector(index, u);
  Value* base =
      b_.CreateGEP(place.type, place.base, b_.getInt64(static_cast<uint64_t>(place.distance)));
  if (isa::BitsOf(type) == 64) return b_.CreateGEP(place.type, base, value);
  Type* narrow = f_.VectorOf(b_.getInt32Ty());
  if (type == isa::Type::kU32) {
    constexpr uint64_t kBias = uint64_t{1} << 31;
    base = b_.CreateGEP(place.type, base, b_.getInt64(kBias));
    value = b_.CreateXor(value, ConstantInt::get(narrow, kBias));
  } else {
    value = b_.CreateIntCast(value, narrow, isa::IsSignedInteger(type));
  }
  return b_.CreateGEP(place.type, base, value);
}

// Of lanes that all run, at a stride, all are inside if the first and the last are; else the chunk
// is run again. Only where the index is what it seems.
bool Places::FaultOutsideTogether(uint32_t pc, const Place& place) {
  const verify::AccessFact& fact = *plan_.verified->AccessAt(pc);
  const OperandId index = IndexOf(plan_, pc);
  const bool is_row = fact.stride.value_or(-1) >= 0 && plan_.KindOf(index) != Kind::kVarying;
  if (!verify::IsLeftToCode(fact) || !is_row || !chunk_.all() || faults_.LanesLeave()) return false;
  const uint64_t lanes = uint64_t{chunk_.unroll()} * f_.target().width;
  const auto at = [&](Value* from, uint64_t distance) {
    return b_.CreateAdd(from, b_.getInt64(distance));
  };
  Value* first = at(registers_.Exact(index), static_cast<uint64_t>(place.distance));
  Value* last = at(first, static_cast<uint64_t>(*fact.stride) * (lanes - 1));
  Value* outside =
      b_.CreateOr(b_.CreateICmpUGE(first, place.extent), b_.CreateICmpUGE(last, place.extent));
  // A scalar of 64 bits may wrap on its way to the element.
  if (place.distance > 0 && plan_.TypeOf(index) == isa::Type::kU64) {
    Value* distance = b_.getInt64(static_cast<uint64_t>(place.distance));
    outside = b_.CreateOr(outside, b_.CreateICmpULT(first, distance));
  }
  faults_.All(HOLOGRAM_FAULT_OUT_OF_BOUNDS, pc, outside, first);
  return true;
}

void Places::FaultOutside(uint32_t pc, const Place& place) {
  const OperandId index = IndexOf(plan_, pc);
  if (!IsGuarded(pc) || FaultOutsideTogether(pc, place)) return;
  Values bad;
  Values elements;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* value = registers_.Vector(index, u);
    bad.push_back(b_.CreateAnd(OutOfBounds(place, index, value), chunk_.Mask(u)));
    elements.push_back(ExtendIndex(index, value, place));
  }
  faults_.Lanes(HOLOGRAM_FAULT_OUT_OF_BOUNDS, pc, bad, elements);
}

Values Places::Stored(uint32_t pc, bool scalar) {
  Values values = Computed(pc, scalar);
  if (plan_.arrays.leave_nans.contains(pc) || !MayStoreNan(pc)) return values;
  return CanonicalForStore(std::move(values));
}

Values Places::Computed(uint32_t pc, bool scalar) {
  return registers_.Operand(StoredOperand(plan_, pc), scalar);
}

bool Places::MayStoreNan(uint32_t pc) const {
  return isa::IsFloat(plan_.program().code[pc].type) &&
         registers_.MaybeNan(StoredOperand(plan_, pc));
}

// A NaN is rare, so pairs of sub-vectors are tested together and repaired out of line.
Values Places::CanonicalForStore(Values values) {
  if (values.size() < 2) {
    for (Value*& value : values) value = Canonical(b_, value);
    return values;
  }
  Values tests;
  for (size_t u = 0; u + 1 < values.size(); u += 2) {
    tests.push_back(b_.CreateFCmpUNO(values[u], values[u + 1]));
  }
  BasicBlock* head = b_.GetInsertBlock();
  BasicBlock* repair = f_.NewBlock("nan");
  BasicBlock* join = f_.NewBlock("numbers");
  f_.BranchUnlikely(f_.AnyOf(tests), repair, join);
  b_.SetInsertPoint(repair);
  Values repaired;
  for (Value* value : values) repaired.push_back(Canonical(b_, value));
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

}  // namespace hologram::codegen
