#include "codegen/instructions/memory.h"

#include "codegen/emit/masked_store.h"
#include "codegen/plan/accesses.h"
#include "verify/checked_form.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Instruction;
using llvm::Type;
using llvm::Value;

Memory::Memory(FunctionState& f, Registers& registers, Chunk& chunk, Faults& faults,
               RemarkWriter& remarks, LocalArrays& local, Places& places, LaunchStrides& strides,
               Atomics& atomics)
    : f_(f),
      b_(f.builder()),
      plan_(f.plan()),
      registers_(registers),
      chunk_(chunk),
      faults_(faults),
      remarks_(remarks),
      local_(local),
      places_(places),
      strides_(strides),
      atomics_(atomics),
      cells_(f, registers, chunk),
      runs_(f, registers, chunk, places, strides),
      records_(f, registers, chunk, places) {}

void Memory::Access(uint32_t pc) {
  const verify::AccessFact* fact = plan_.verified->AccessAt(pc);
  if (fact == nullptr) return;  // unreachable
  const Place place = places_.Of(pc);
  const isa::Instruction& in = plan_.program().code[pc];
  const Kind index = plan_.KindOf(IndexOf(plan_, pc));
  const bool proved = fact->tier == verify::Tier::kProved || plan_.options.unchecked;
  if (plan_.scalar || (isa::IsLoad(in.op) && plan_.KindOfResult(pc) == Kind::kUniform)) {
    return ScalarAccess(pc, place);
  }
  if (fact->local) return LocalAccess(pc, place);
  if (cells_.Holds(pc)) return AccessCell(pc, place);
  if (isa::IsAtomic(in.op)) return atomics_.Update(pc, place);
  if (!proved) {
    places_.FaultOutside(pc, place);
    if (records_.Holds(pc)) {
      remarks_.Access(pc, "records of each lane at once: each index is compared with the length");
      return registers_.Write(pc, records_.Load(pc, place));
    }
    if (!verify::IsLeftToCode(*fact)) {
      return Scattered(pc, place, "each index is compared with the length first");
    }
  }
  if (index == Kind::kUniform) {
    // In bounds for a lane that runs, and here one does (codegen/emit/faults.h).
    if (isa::IsLoad(in.op)) return ScalarAccess(pc, place);
    return UniformStore(pc, place);
  }
  std::string why = "the index has no constant stride";
  if (index == Kind::kAffine && fact->stride) {
    const int64_t stride = *fact->stride;
    const int64_t beside = place.is_transposed() ? int64_t{place.transposed.row} : 1;
    if (stride == beside || (place.is_transposed() && stride == -beside)) {
      return Contiguous(pc, place, stride < 0);
    }
    if (!place.is_transposed() && stride >= 2 && stride <= 4 && chunk_.all() &&
        isa::IsLoad(in.op)) {
      return Strided(pc, place, stride);
    }
    why = "stride " + std::to_string(stride);
  }
  if (place.is_transposed()) {
    return Scattered(pc, place, "rows and columns are exchanged, for other accesses");
  }
  if (strides_.Access(pc, place)) return;
  Scattered(pc, place, why);
}

void Memory::AccessCell(uint32_t pc, const Place& place) {
  const char* held = "in a register while its loop runs";
  const bool row = IsRowOfCells(pc);
  const bool load = isa::IsLoad(plan_.program().code[pc].op);
  if (row) remarks_.Access(pc, llvm::Twine("contiguous vectors, ") + held);
  if (!row && (load || cells_.IsStoredBy(pc))) remarks_.Scattered(pc, place.type, place.size, held);
  if (!row && !load && !cells_.IsStoredBy(pc)) remarks_.Access(pc, held);
  if (!load) {
    return cells_.Store(
        pc, cells_.LeavesNans(pc) ? places_.Computed(pc, false) : places_.Stored(pc, false));
  }
  cells_.Load(pc, [&] { return CellAccess(pc, place, {}); });
}

void Memory::EndCells(uint32_t from, uint32_t to) {
  cells_.End(from, to, [&](uint32_t pc, const Values& values) {
    f_.SetLine(pc);
    const Values stored = cells_.LeavesNans(pc) ? places_.CanonicalForStore(values) : values;
    CellAccess(pc, places_.Of(pc), stored);
  });
}

bool Memory::IsRowOfCells(uint32_t pc) const {
  const bool affine = plan_.KindOf(IndexOf(plan_, pc)) == Kind::kAffine;
  return affine && plan_.verified->AccessAt(pc)->stride == 1;
}

// Of memory, once a loop. `stored` is empty for a load.
Values Memory::CellAccess(uint32_t pc, const Place& place, const Values& stored) {
  if (!IsRowOfCells(pc)) return LaneByLane(pc, place, stored);
  Value* first = places_.ElementAddress(place, registers_.Exact(IndexOf(plan_, pc)));
  Type* type = f_.VectorOf(place.type);
  const Align align = place.align;
  Values loaded;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* at = b_.CreateConstGEP1_64(place.type, first, uint64_t{u} * f_.target().width);
    Instruction* access = nullptr;
    if (stored.empty()) {
      access =
          b_.CreateMaskedLoad(type, at, align, chunk_.Mask(u), llvm::Constant::getNullValue(type));
      loaded.push_back(access);
    } else {
      access = b_.CreateMaskedStore(stored[u], at, align, chunk_.Mask(u));
    }
    places_.Tag(access, place);
  }
  return loaded;
}

// One access for all lanes: a load at a uniform index, or anything where lanes run one by one.
void Memory::ScalarAccess(uint32_t pc, const Place& place) {
  const isa::Instruction& in = plan_.program().code[pc];
  const OperandId index = IndexOf(plan_, pc);
  const bool guarded = places_.IsGuarded(pc);
  remarks_.Access(pc,
                  llvm::Twine(plan_.scalar ? "an access for each lane" : "one load for all lanes") +
                      (guarded ? ", its index is compared with the length first" : ""));
  Value* value = registers_.Scalar(index);
  Value* element = places_.ExtendIndex(index, value, place);
  // All lanes that run share the index: behind the fault there is none.
  if (guarded) {
    faults_.All(HOLOGRAM_FAULT_OUT_OF_BOUNDS, pc, places_.OutOfBounds(place, index, value),
                element);
  }
  Value* address = places_.AddressOf(place, element);
  if (isa::IsAtomic(in.op)) {
    return registers_.WriteScalar(pc, atomics_.UpdateScalar(pc, place, address));
  }
  if (isa::IsStore(in.op)) {
    const Values stored = places_.Stored(pc, true);
    places_.Tag(b_.CreateAlignedStore(stored[0], address, place.align), place);
    return;
  }
  llvm::LoadInst* load = b_.CreateAlignedLoad(place.type, address, place.align);
  places_.Tag(load, place);
  registers_.WriteScalar(pc, load);
}

// `backwards`: the elements of later lanes come first.
void Memory::Contiguous(uint32_t pc, const Place& place, bool backwards) {
  const isa::Instruction& in = plan_.program().code[pc];
  remarks_.Access(pc, place.is_transposed()
                          ? "contiguous vectors, as rows and columns are exchanged"
                          : "contiguous vectors");
  Value* first = places_.ElementAddress(place, registers_.Exact(IndexOf(plan_, pc)));
  const Align align = place.align;
  Type* type = f_.VectorOf(place.type);
  Values stored = isa::IsStore(in.op) ? places_.Stored(pc, false) : Values();
  const auto in_order = [&](Value* v) { return backwards ? b_.CreateVectorReverse(v) : v; };
  for (Value*& value : stored) value = in_order(value);
  Values loaded;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    const int64_t lanes = int64_t{u} * f_.target().width;
    const int64_t at = backwards ? 1 - lanes - f_.target().width : lanes;
    Value* address = b_.CreateConstGEP1_64(place.type, first, static_cast<uint64_t>(at));
    Instruction* access = nullptr;
    if (isa::IsLoad(in.op)) {
      access = chunk_.all() ? static_cast<Instruction*>(b_.CreateAlignedLoad(type, address, align))
                            : b_.CreateMaskedLoad(type, address, align, in_order(chunk_.running(u)),
                                                  llvm::Constant::getNullValue(type));
      loaded.push_back(in_order(access));
    } else if (chunk_.all() && chunk_.streams()) {
      access = b_.CreateAlignedStore(stored[u], address, Align(place.size * f_.target().width));
      access->setMetadata(
          llvm::LLVMContext::MD_nontemporal,
          llvm::MDNode::get(f_.context(), llvm::ConstantAsMetadata::get(b_.getInt32(1))));
    } else if (chunk_.all()) {
      access = b_.CreateAlignedStore(stored[u], address, align);
    } else {
      StoreUnderMask(f_, chunk_, {stored[u], address, in_order(chunk_.running(u)), align},
                     [&](Instruction* store) { places_.Tag(store, place); });
      continue;
    }
    places_.Tag(access, place);
  }
  if (isa::IsLoad(in.op)) registers_.Write(pc, std::move(loaded));
}

void Memory::Strided(uint32_t pc, const Place& place, int64_t stride) {
  remarks_.Access(pc, "stride " + llvm::Twine(stride) + ": vectors and shuffles");
  Value* first = places_.ElementAddress(place, registers_.Exact(IndexOf(plan_, pc)));
  Values results;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    results.push_back(strides_.LoadShuffled(place, first, stride, u));
  }
  registers_.Write(pc, std::move(results));
}

// `why`: not in another form.
void Memory::Scattered(uint32_t pc, const Place& place, const std::string& why) {
  const bool load = isa::IsLoad(plan_.program().code[pc].op);
  const Values stored = load ? Values() : places_.Stored(pc, false);
  const bool asks = !place.is_transposed() && runs_.CanAsk(pc);
  const bool records = asks && runs_.AsksForRecords(pc);
  const char* if_not = records ? (load ? "; where a chunk reads a run, records of 2 to 4, or one "
                                         "element, vectors"
                                       : "; where it is a run, or records of 2 to 4, vectors")
                       : load  ? "; where a chunk reads a run, or one element, a vector"
                               : "; where it is a run, a vector";
  remarks_.Scattered(pc, place.type, place.size, asks ? why + if_not : why);
  const auto others = [&] { return LaneByLane(pc, place, stored); };
  Values loaded = asks ? runs_.Access(pc, place, stored, others) : others();
  if (load) registers_.Write(pc, std::move(loaded));
}

// `stored` is empty for a load.
Values Memory::LaneByLane(uint32_t pc, const Place& place, const Values& stored) {
  const OperandId index = IndexOf(plan_, pc);
  Type* type = f_.VectorOf(place.type);
  Values loaded;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* addresses = places_.LaneAddresses(place, index, u);
    const Align align = place.align;
    Instruction* access = nullptr;
    if (stored.empty()) {
      access = b_.CreateMaskedGather(type, addresses, align, chunk_.Mask(u),
                                     llvm::Constant::getNullValue(type));
      loaded.push_back(access);
    } else {
      access = b_.CreateMaskedScatter(stored[u], addresses, align, chunk_.Mask(u));
    }
    places_.Tag(access, place);
  }
  return loaded;
}

// All running lanes store to one element; the highest one comes last.
void Memory::UniformStore(uint32_t pc, const Place& place) {
  remarks_.Access(pc, "one store, of the highest lane");
  Value* address = places_.ElementAddress(place, registers_.Exact(IndexOf(plan_, pc)));
  const Values values = places_.Stored(pc, false);
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    if (chunk_.all() && u + 1 < chunk_.unroll()) continue;
    Value* lane = b_.getInt32(f_.target().width - 1);
    BasicBlock* join = nullptr;
    if (!chunk_.all()) {
      Value* bits = b_.CreateBitCast(chunk_.running(u), b_.getIntNTy(f_.target().width));
      BasicBlock* store = f_.NewBlock("store");
      join = f_.NewBlock("stored");
      b_.CreateCondBr(b_.CreateICmpNE(bits, ConstantInt::get(bits->getType(), 0)), store, join);
      b_.SetInsertPoint(store);
      Value* zeros = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b_.getFalse());
      lane = b_.CreateSub(lane, b_.CreateZExt(zeros, b_.getInt32Ty()));
      lane = b_.CreateAnd(lane, b_.getInt32(f_.target().width - 1));
    }
    places_.Tag(
        b_.CreateAlignedStore(b_.CreateExtractElement(values[u], lane), address, place.align),
        place);
    if (join == nullptr) continue;
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
  }
}

void Memory::LocalAccess(uint32_t pc, const Place& place) {
  const isa::Instruction& in = plan_.program().code[pc];
  const OperandId index = IndexOf(plan_, pc);
  places_.FaultOutside(pc, place);
  const Values stored = isa::IsStore(in.op) ? places_.Stored(pc, false) : Values();
  if (plan_.KindOf(index) == Kind::kUniform) {
    remarks_.Access(pc, "contiguous vectors, as elements of all lanes lie side by side");
    LocalTogether(pc, place, stored);
  } else {
    remarks_.Scattered(pc, place.type, place.size, "lanes have different indices");
    LocalScattered(pc, place, stored);
  }
}

// All lanes name one element.
void Memory::LocalTogether(uint32_t pc, const Place& place, const Values& stored) {
  const Align align = place.align;
  Type* type = f_.VectorOf(place.type);
  Value* element = b_.CreateMul(registers_.Exact(IndexOf(plan_, pc)), local_.lanes());
  Value* first = b_.CreateGEP(place.type, place.base, b_.CreateAdd(element, local_.lane()));
  Values loaded;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* address = b_.CreateConstGEP1_64(place.type, first, uint64_t{u} * f_.target().width);
    if (!stored.empty()) {
      if (chunk_.all()) {
        b_.CreateAlignedStore(stored[u], address, align);
      } else {
        StoreToOwn(f_, chunk_, {stored[u], address, chunk_.running(u), align});
      }
    } else {
      loaded.push_back(chunk_.all()
                           ? static_cast<Value*>(b_.CreateAlignedLoad(type, address, align))
                           : b_.CreateMaskedLoad(type, address, align, chunk_.running(u),
                                                 llvm::Constant::getNullValue(type)));
    }
  }
  if (stored.empty()) registers_.Write(pc, std::move(loaded));
}

void Memory::LocalScattered(uint32_t pc, const Place& place, const Values& stored) {
  const OperandId index = IndexOf(plan_, pc);
  const bool is_signed = isa::IsSignedInteger(plan_.TypeOf(index));
  const Align align = place.align;
  Type* type = f_.VectorOf(place.type);
  Type* narrow = f_.VectorOf(b_.getInt32Ty());
  Values loaded;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    const int64_t behind = int64_t{u} * f_.target().width;
    Value* element = b_.CreateIntCast(registers_.Vector(index, u), narrow, is_signed);
    element = b_.CreateMul(element, f_.Splat(b_.CreateTrunc(local_.lanes(), b_.getInt32Ty())));
    Value* lane = b_.CreateTrunc(local_.lane(), b_.getInt32Ty());
    lane = b_.CreateAdd(f_.Splat(lane), f_.Iota(b_.getInt32Ty(), 1, behind));
    Value* address = b_.CreateGEP(place.type, place.base, b_.CreateAdd(element, lane));
    if (!stored.empty()) {
      b_.CreateMaskedScatter(stored[u], address, align, chunk_.Mask(u));
    } else {
      loaded.push_back(b_.CreateMaskedGather(type, address, align, chunk_.Mask(u),
                                             llvm::Constant::getNullValue(type)));
    }
  }
  if (stored.empty()) registers_.Write(pc, std::move(loaded));
}

}  // namespace hologram::codegen
