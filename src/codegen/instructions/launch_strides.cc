#include "codegen/instructions/launch_strides.h"

#include <algorithm>

#include "codegen/plan/accesses.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::Align;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

std::optional<LaunchStrides::Steps> LaunchStrides::StepsOf(OperandId id, uint32_t pc, int depth) {
  constexpr int kMaxDepth = 8;
  const Kind kind = plan_.KindOf(id);
  if (kind != Kind::kVarying) {
    Value* first = registers_.Scalar(id);
    int64_t stride = 0;
    if (kind == Kind::kAffine) {
      stride = IsFixed(id) ? 1 : plan_.webs[static_cast<size_t>(id)].stride;
    }
    return Steps{first, ConstantInt::getSigned(first->getType(), stride)};
  }
  const std::optional<uint32_t> made = MadeBy(plan_, id, pc);
  if (!made || depth == kMaxDepth) return std::nullopt;
  const isa::Instruction& in = plan_.program().code[*made];
  if (!isa::IsInteger(in.type)) return std::nullopt;
  const auto& reads = plan_.operands[*made].reads;
  const auto of = [&](size_t k) { return StepsOf(reads[k], pc, depth + 1); };
  const auto product = [&]() -> std::optional<Steps> {
    const bool left = plan_.KindOf(reads[0]) == Kind::kUniform;
    if (!left && plan_.KindOf(reads[1]) != Kind::kUniform) return std::nullopt;
    const std::optional<Steps> varying = of(left ? 1 : 0);
    if (!varying) return std::nullopt;
    Value* factor = registers_.Scalar(reads[left ? 0 : 1]);
    return Steps{b_.CreateMul(varying->first, factor), b_.CreateMul(varying->step, factor)};
  };
  const auto sum = [&](const std::optional<Steps>& a, const std::optional<Steps>& b,
                       bool minus) -> std::optional<Steps> {
    if (!a || !b) return std::nullopt;
    if (minus) return Steps{b_.CreateSub(a->first, b->first), b_.CreateSub(a->step, b->step)};
    return Steps{b_.CreateAdd(a->first, b->first), b_.CreateAdd(a->step, b->step)};
  };
  if (in.op == Opcode::kMov) return of(0);
  if (in.op == Opcode::kAdd || in.op == Opcode::kSub) {
    return sum(of(0), of(1), in.op == Opcode::kSub);
  }
  if (in.op == Opcode::kMul) return product();
  if (in.op == Opcode::kMad) return sum(product(), of(2), false);
  return std::nullopt;
}

// Each vector starts so that it ends at or before the last element that is needed; nothing outside
// is read.
Value* LaunchStrides::LoadShuffled(const Place& place, Value* first, int64_t stride, unsigned u) {
  const auto w = static_cast<int64_t>(f_.target().width);
  Type* type = f_.VectorOf(place.type);
  Value* result = llvm::PoisonValue::get(type);
  for (int64_t c = 0; c < stride; ++c) {
    const int64_t start = std::min(c * w, stride * (w - 1) + 1 - w);
    Value* address =
        b_.CreateConstGEP1_64(place.type, first, static_cast<uint64_t>(stride * u * w + start));
    llvm::LoadInst* load = b_.CreateAlignedLoad(type, address, place.align);
    places_.Tag(load, place);
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

// The elements at `first`, which is in bounds as all of them are, and `stride` apart.
Values LaunchStrides::Load(const Place& place, Value* first, int64_t stride) {
  const auto load = [&](Type* type, Value* address) {
    llvm::LoadInst* loaded = b_.CreateAlignedLoad(type, address, place.align);
    places_.Tag(loaded, place);
    return loaded;
  };
  if (stride == 0) return Values(chunk_.unroll(), f_.Splat(load(place.type, first)));
  Values loaded;
  const int64_t w = f_.target().width;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    if (stride > 1) {
      loaded.push_back(LoadShuffled(place, first, stride, u));
      continue;
    }
    const int64_t start = stride == 1 ? u * w : 1 - (u + 1) * w;
    Value* address = b_.CreateConstGEP1_64(place.type, first, static_cast<uint64_t>(start));
    Value* vector = load(f_.VectorOf(place.type), address);
    loaded.push_back(stride == 1 ? vector : b_.CreateVectorReverse(vector));
  }
  return loaded;
}

// With masks between the elements, which others may be writing.
void LaunchStrides::StoreShuffled(const Place& place, Value* first, unsigned stride, Value* value) {
  const unsigned w = f_.target().width;
  for (unsigned part = 0; part < stride; ++part) {
    std::vector<int> picks;
    std::vector<llvm::Constant*> mine;
    for (unsigned i = part * w; i < (part + 1) * w; ++i) {
      picks.push_back(static_cast<int>(i / stride));
      mine.push_back(b_.getInt1(i % stride == 0));
    }
    Value* address = b_.CreateConstGEP1_64(place.type, first, uint64_t{part} * w);
    places_.Tag(b_.CreateMaskedStore(b_.CreateShuffleVector(value, picks), address, place.align,
                                     llvm::ConstantVector::get(mine)),
                place);
  }
}

void LaunchStrides::Store(const Place& place, Value* first, int64_t stride, const Values& stored) {
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* address = b_.CreateConstGEP1_64(
        place.type, first, uint64_t{u} * static_cast<uint64_t>(stride) * f_.target().width);
    if (stride == 1) {
      places_.Tag(b_.CreateAlignedStore(stored[u], address, place.align), place);
    } else {
      StoreShuffled(place, address, static_cast<unsigned>(stride), stored[u]);
    }
  }
}

// Element by element, in the order of the lanes: where they meet, the highest comes last.
Values LaunchStrides::AccessElements(const Place& place, const Steps& steps, bool is_signed,
                                     const Values* stored) {
  Values loaded;
  Value* index = steps.first;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* vector = llvm::PoisonValue::get(f_.VectorOf(place.type));
    for (unsigned lane = 0; lane < f_.target().width; ++lane) {
      Value* element = b_.CreateIntCast(index, b_.getInt64Ty(), is_signed);
      Value* address = places_.ElementAddress(place, element);
      if (stored != nullptr) {
        Value* value = b_.CreateExtractElement((*stored)[u], lane);
        places_.Tag(b_.CreateAlignedStore(value, address, place.align), place);
      } else {
        llvm::LoadInst* load = b_.CreateAlignedLoad(place.type, address, place.align);
        places_.Tag(load, place);
        vector = b_.CreateInsertElement(vector, load, lane);
      }
      index = b_.CreateAdd(index, steps.step);
    }
    loaded.push_back(vector);
  }
  return loaded;
}

// `strides`: those that have a form of their own. Of a step that is known, LLVM keeps one form.
void LaunchStrides::Remark(uint32_t pc, Value* step, llvm::ArrayRef<int64_t> strides) {
  if (!remarks_.wanted()) return;
  if (const auto* known = llvm::dyn_cast<ConstantInt>(step)) {
    const bool whole = llvm::is_contained(strides, known->getSExtValue());
    return remarks_.Access(pc, "stride " + llvm::Twine(known->getSExtValue()) +
                                   (whole ? ": vectors" : ": element by element"));
  }
  std::string list;
  for (const int64_t stride : strides) list += (list.empty() ? "" : ", ") + std::to_string(stride);
  remarks_.Access(pc, "stride known at launch, asked in each chunk: vectors where it is " + list +
                          ", else element by element");
}

bool LaunchStrides::Access(uint32_t pc, const Place& place) {
  const isa::Instruction& in = plan_.program().code[pc];
  if (!chunk_.all() || !(isa::IsLoad(in.op) || isa::IsStore(in.op))) return false;
  const std::optional<Steps> steps = StepsOf(IndexOf(plan_, pc), pc, 0);
  if (!steps) return false;
  const bool is_signed = isa::IsSignedInteger(plan_.TypeOf(IndexOf(plan_, pc)));
  const bool load = isa::IsLoad(in.op);
  const Values stored = load ? Values() : places_.Stored(pc, false);
  Type* type = steps->first->getType();
  const auto exact = [&](Value* v) { return b_.CreateIntCast(v, b_.getInt64Ty(), is_signed); };
  const auto others = static_cast<int64_t>(chunk_.unroll()) * f_.target().width - 1;
  Value* last =
      b_.CreateAdd(steps->first, b_.CreateMul(steps->step, ConstantInt::getSigned(type, others)));
  Value* first = exact(steps->first);
  Value* distance = b_.CreateSub(exact(last), first);
  BasicBlock* join = f_.NewBlock("stepped");
  std::vector<std::pair<BasicBlock*, Values>> ends;
  // No index wraps between the lanes if the first and the last are as far apart as they should be.
  const auto leave = [&](Values values) {
    ends.emplace_back(b_.GetInsertBlock(), std::move(values));
    b_.CreateBr(join);
  };
  const int64_t of_loads[] = {1, 2, -1, 0, 3, 4};
  const int64_t of_stores[] = {1, 2, 3, 4};
  // Each form that is not taken makes the loop longer: 3 and 4 are for strides that are constants,
  // and for loads of few vectors at once.
  constexpr unsigned kFewVectors = 2;
  const size_t loads = chunk_.unroll() <= kFewVectors ? 6 : 4;
  const size_t masked = llvm::isa<ConstantInt>(steps->step) ? 4 : 2;
  const size_t count = load ? loads : f_.target().avx512 ? masked : 1;
  const llvm::ArrayRef<int64_t> strides(load ? of_loads : of_stores, count);
  Remark(pc, steps->step, strides);
  for (const int64_t stride : strides) {
    BasicBlock* mine = f_.NewBlock("steps");
    BasicBlock* next = f_.NewBlock("other");
    Value* fits = b_.CreateAnd(
        b_.CreateICmpEQ(steps->step, ConstantInt::getSigned(type, stride)),
        b_.CreateICmpEQ(distance, ConstantInt::getSigned(b_.getInt64Ty(), others * stride)));
    b_.CreateCondBr(fits, mine, next);
    b_.SetInsertPoint(mine);
    Value* address = places_.ElementAddress(place, first);
    if (load) {
      leave(Load(place, address, stride));
    } else {
      Store(place, address, stride, stored);
      leave({});
    }
    b_.SetInsertPoint(next);
  }
  leave(AccessElements(place, *steps, is_signed, load ? nullptr : &stored));
  b_.SetInsertPoint(join);
  if (!load) return true;
  Values results;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    llvm::PHINode* phi = b_.CreatePHI(f_.VectorOf(place.type), static_cast<unsigned>(ends.size()));
    for (const auto& [block, values] : ends) phi->addIncoming(values[u], block);
    results.push_back(phi);
  }
  registers_.Write(pc, std::move(results));
  return true;
}

}  // namespace hologram::codegen
