#include "codegen/instructions/runs.h"

#include "codegen/plan/accesses.h"

namespace hologram::codegen {

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
  return FollowsLanes(plan_, index) ||
         (plan_.KindOf(index) == Kind::kVarying && IsComputed(plan_, index));
}

Value* Runs::AllOf(const Values& masks) {
  Value* all = masks[0];
  for (size_t u = 1; u < masks.size(); ++u) all = b_.CreateAnd(all, masks[u]);
  Value* bits = b_.CreateBitCast(all, b_.getIntNTy(f_.target().width));
  return b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

Value* Runs::Among(Value* fits, unsigned u) {
  return masks() ? b_.CreateOr(fits, b_.CreateNot(chunk_.Mask(u)))
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
    runs.push_back(Among(b_.CreateICmpEQ(indices, row), u));
    same.push_back(b_.CreateAnd(b_.CreateICmpEQ(indices, all), chunk_.Mask(u)));
    far = b_.CreateAnd(
        far, b_.CreateICmpULE(first, ConstantInt::get(first->getType(), most - (width - 1))));
    question.firsts.push_back(first);
  }
  question.side_by_side = b_.CreateAnd(AllOf(runs), far);
  question.one_element = AllOf(same);
  return question;
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
    if (masks()) {
      load = b_.CreateMaskedLoad(type, address, Align(place.size), chunk_.Mask(u),
                                 llvm::Constant::getNullValue(type));
    } else {
      load = b_.CreateAlignedLoad(type, address, Align(place.size));
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
    llvm::Instruction* store = nullptr;
    if (masks()) {
      store = b_.CreateMaskedStore(stored[u], address, Align(place.size), chunk_.Mask(u));
    } else {
      store = b_.CreateAlignedStore(stored[u], address, Align(place.size));
    }
    places_.Tag(store, place);
  }
}

Values Runs::LoadOne(uint32_t pc, const Place& place, const Values& firsts) {
  Values loaded;
  for (Value* first : firsts) {
    llvm::LoadInst* load =
        b_.CreateAlignedLoad(place.type, AddressOf(place, pc, first), Align(place.size));
    places_.Tag(load, place);
    loaded.push_back(f_.Splat(load));
  }
  return loaded;
}

Values Runs::Access(uint32_t pc, const Place& place, const Values& stored,
                    llvm::function_ref<Values()> others) {
  const Question question = Ask(pc);
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
