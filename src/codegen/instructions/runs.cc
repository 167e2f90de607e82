#include "codegen/instructions/runs.h"

#include "codegen/emit/masked_store.h"
#include "codegen/plan/accesses.h"

namespace hologram::codegen {

namespace {

constexpr unsigned kShortestRecord = 2;
constexpr unsigned kLongestRecord = 4;

}  // namespace

using llvm::Align;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

bool Runs::CanAsk(uint32_t pc) const {
  const isa::Instruction& in = plan_.program().code[pc];
  if (plan_.scalar || f_.target().width == 1 || !(isa::IsLoad(in.op) || isa::IsStore(in.op)))
    return false;
  const OperandId index = IndexOf(plan_, pc);
  if (plan_.KindOf(index) == Kind::kUniform || isa::BitsOf(plan_.TypeOf(index)) < 32) return false;
  if (plan_.KindOf(index) == Kind::kAffine) {
    return !IsFixed(index) && plan_.webs[static_cast<size_t>(index)].stride == 1;
  }
  return FollowsLanes(plan_, index) || IsComputed(plan_, index);
}

bool Runs::AsksForRecords(uint32_t pc) const {
  const bool load = isa::IsLoad(plan_.program().code[pc].op);
  const OperandId index = IndexOf(plan_, pc);
  return (load || f_.target().avx512) && plan_.KindOf(index) == Kind::kVarying &&
         FollowsLanes(plan_, index);
}

Value* Runs::AllOf(const Values& masks) {
  Value* all = masks[0];
  for (size_t u = 1; u < masks.size(); ++u) all = b_.CreateAnd(all, masks[u]);
  Value* bits = b_.CreateBitCast(all, b_.getIntNTy(f_.target().width));
  return b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

bool Runs::MasksAreFree(uint32_t pc) const {
  if (chunk_.all()) return false;
  const isa::Instruction& in = plan_.program().code[pc];
  return f_.target().avx512 ||
         (f_.target().loads_under_mask && isa::IsLoad(in.op) && isa::SizeOf(in.type) >= 4);
}

Value* Runs::Among(uint32_t pc, Value* fits, unsigned u) {
  return MasksAreFree(pc) ? b_.CreateOr(fits, b_.CreateNot(chunk_.Mask(u)))
                          : b_.CreateAnd(fits, chunk_.Mask(u));
}

// One element is asked for only where all lanes of the chunk run: without any nothing is read.
Runs::Question Runs::Ask(uint32_t pc) {
  const OperandId index = IndexOf(plan_, pc);
  const unsigned width = f_.target().width;
  const unsigned bits = isa::BitsOf(plan_.TypeOf(index));
  const llvm::APInt most = isa::IsSignedInteger(plan_.TypeOf(index))
                               ? llvm::APInt::getSignedMaxValue(bits)
                               : llvm::APInt::getMaxValue(bits);
  Question question;
  Values runs;
  Values same;
  Value* far = b_.getTrue();  // from the end of the numbers: none wraps
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* indices = registers_.Vector(index, u);
    Value* first = b_.CreateExtractElement(indices, uint64_t{0});
    Value* all = f_.Splat(first);
    Value* row = b_.CreateAdd(all, f_.Iota(first->getType(), 1, 0));
    runs.push_back(Among(pc, b_.CreateICmpEQ(indices, row), u));
    same.push_back(b_.CreateAnd(b_.CreateICmpEQ(indices, all), chunk_.Mask(u)));
    far = b_.CreateAnd(
        far, b_.CreateICmpULE(first, ConstantInt::get(first->getType(), most - (width - 1))));
    question.firsts.push_back(first);
  }
  question.side_by_side = b_.CreateAnd(AllOf(runs), far);
  question.one_element = AllOf(same);
  return question;
}

// By the first two lanes, if all of the chunk run: what lies further apart is asked no more.
Value* Runs::MayBeRecords(uint32_t pc, Question& question) {
  Value* indices = registers_.Vector(IndexOf(plan_, pc), 0);
  question.distance =
      b_.CreateSub(b_.CreateExtractElement(indices, uint64_t{1}), question.firsts[0]);
  Type* type = question.distance->getType();
  Value* longer = b_.CreateSub(question.distance, ConstantInt::get(type, kShortestRecord));
  Value* is = b_.CreateICmpULE(longer, ConstantInt::get(type, kLongestRecord - kShortestRecord));
  return chunk_.all() ? is : b_.CreateAnd(is, AllOf(chunk_.Masks()));
}

// Indices that differ by one number.
void Runs::AskForRecords(uint32_t pc, Question& question) {
  const OperandId index = IndexOf(plan_, pc);
  const unsigned width = f_.target().width;
  const unsigned bits = isa::BitsOf(plan_.TypeOf(index));
  const llvm::APInt most = isa::IsSignedInteger(plan_.TypeOf(index))
                               ? llvm::APInt::getSignedMaxValue(bits)
                               : llvm::APInt::getMaxValue(bits);
  Values rows;
  Value* far = b_.getTrue();
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* indices = registers_.Vector(index, u);
    Value* first = question.firsts[u];
    Value* steps = b_.CreateMul(f_.Iota(first->getType(), 1, 0), f_.Splat(question.distance));
    Value* row = b_.CreateAdd(f_.Splat(first), steps);
    rows.push_back(b_.CreateICmpEQ(indices, row));
    const llvm::APInt last = most - uint64_t{kLongestRecord} * (width - 1);
    far = b_.CreateAnd(far, b_.CreateICmpULE(first, ConstantInt::get(first->getType(), last)));
  }
  question.even = b_.CreateAnd(AllOf(rows), far);
}

Value* Runs::AddressOf(const Place& place, uint32_t pc, Value* first) {
  return b_.CreateGEP(place.type, place.base,
                      places_.ExtendIndex(IndexOf(plan_, pc), first, place));
}

Values Runs::LoadSideBySide(uint32_t pc, const Place& place, const Values& firsts) {
  Values loaded;
  Type* type = f_.VectorOf(place.type);
  for (size_t u = 0; u < firsts.size(); ++u) {
    Value* address = AddressOf(place, pc, firsts[u]);
    llvm::Instruction* load = nullptr;
    if (MasksAreFree(pc)) {
      load = b_.CreateMaskedLoad(type, address, place.align, chunk_.Mask(u),
                                 llvm::Constant::getNullValue(type));
    } else {
      load = b_.CreateAlignedLoad(type, address, place.align);
    }
    places_.Tag(load, place);
    loaded.push_back(load);
  }
  return loaded;
}

void Runs::StoreSideBySide(uint32_t pc, const Place& place, const Values& firsts,
                           const Values& stored) {
  for (size_t u = 0; u < firsts.size(); ++u) {
    Value* address = AddressOf(place, pc, firsts[u]);
    const auto tag = [&](llvm::Instruction* store) { places_.Tag(store, place); };
    if (MasksAreFree(pc)) {
      StoreUnderMask(f_, chunk_, {stored[u], address, chunk_.Mask(u), place.align}, tag);
    } else {
      tag(b_.CreateAlignedStore(stored[u], address, place.align));
    }
  }
}

Values Runs::LoadOne(uint32_t pc, const Place& place, const Values& firsts) {
  Values loaded;
  for (Value* first : firsts) {
    llvm::LoadInst* load =
        b_.CreateAlignedLoad(place.type, AddressOf(place, pc, first), place.align);
    places_.Tag(load, place);
    loaded.push_back(f_.Splat(load));
  }
  return loaded;
}

Values Runs::AccessRecords(uint32_t pc, const Place& place, const Values& firsts, unsigned distance,
                           const Values& stored) {
  Values loaded;
  for (size_t u = 0; u < firsts.size(); ++u) {
    Value* address = AddressOf(place, pc, firsts[u]);
    if (stored.empty()) {
      loaded.push_back(strides_.LoadShuffled(place, address, distance, 0));
    } else {
      strides_.StoreShuffled(place, address, distance, stored[u]);
    }
  }
  return loaded;
}

Values Runs::Access(uint32_t pc, const Place& place, const Values& stored,
                    llvm::function_ref<Values()> others) {
  Question question = Ask(pc);
  std::vector<std::pair<BasicBlock*, Values>> ends;
  BasicBlock* join = f_.NewBlock("accessed");
  const auto when = [&](Value* condition, llvm::function_ref<Values()> access) {
    BasicBlock* yes = f_.NewBlock("run");
    BasicBlock* no = f_.NewBlock("other");
    b_.CreateCondBr(condition, yes, no);
    b_.SetInsertPoint(yes);
    Values loaded = access();
    ends.emplace_back(b_.GetInsertBlock(), std::move(loaded));
    b_.CreateBr(join);
    b_.SetInsertPoint(no);
  };
  const bool load = stored.empty();
  when(question.side_by_side, [&]() -> Values {
    if (load) return LoadSideBySide(pc, place, question.firsts);
    StoreSideBySide(pc, place, question.firsts, stored);
    return {};
  });
  if (load) when(question.one_element, [&] { return LoadOne(pc, place, question.firsts); });
  if (AsksForRecords(pc)) {
    BasicBlock* near = f_.NewBlock("records");
    BasicBlock* apart = f_.NewBlock("apart");
    b_.CreateCondBr(MayBeRecords(pc, question), near, apart);
    b_.SetInsertPoint(near);
    AskForRecords(pc, question);
    for (unsigned d = kShortestRecord; d <= kLongestRecord; ++d) {
      Value* length = ConstantInt::get(question.distance->getType(), d);
      when(b_.CreateAnd(question.even, b_.CreateICmpEQ(question.distance, length)),
           [&] { return AccessRecords(pc, place, question.firsts, d, stored); });
    }
    b_.CreateBr(apart);
    b_.SetInsertPoint(apart);
  }
  Values scattered = others();
  ends.emplace_back(b_.GetInsertBlock(), std::move(scattered));
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  Values results;
  for (unsigned u = 0; load && u < chunk_.unroll(); ++u) {
    llvm::PHINode* phi = b_.CreatePHI(f_.VectorOf(place.type), static_cast<unsigned>(ends.size()));
    for (const auto& [block, values] : ends) phi->addIncoming(values[u], block);
    results.push_back(phi);
  }
  return results;
}

}  // namespace hologram::codegen
