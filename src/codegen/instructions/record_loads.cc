#include "codegen/instructions/record_loads.h"

#include <algorithm>

#include "codegen/plan/accesses.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

namespace {

// Which is read several times.
bool IsOneElement(const Record& record) {
  return std::all_of(record.offsets.begin(), record.offsets.end(),
                     [](int64_t offset) { return offset == 0; });
}

}  // namespace

Values RecordLoads::Load(uint32_t pc, const Place& place) {
  const uint32_t number = records_.of_load.at(pc);
  const Record& record = records_.records[number];
  if (pc == record.loads[0]) LoadRecord(record, place);
  const auto at = std::find(record.loads.begin(), record.loads.end(), pc) - record.loads.begin();
  return read_[number][static_cast<size_t>(record.offsets[static_cast<size_t>(at)])];
}

// Of the records, i64.
Values RecordLoads::FirstElements(const Record& record, const Place& place) {
  const OperandId index = IndexOf(f_.plan(), record.loads[0]);
  Value* offset = f_.Splat(b_.getInt64(static_cast<uint64_t>(record.offsets[0])));
  Values firsts;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* element = places_.ExtendIndex(index, registers_.Vector(index, u), place);
    firsts.push_back(b_.CreateSub(element, offset));
  }
  return firsts;
}

void RecordLoads::LoadRecord(const Record& record, const Place& place) {
  std::vector<Values>& read = read_[records_.of_load.at(record.loads[0])];
  read.assign(kElementsOfRecord, Values(chunk_.unroll(), nullptr));
  std::vector<char> wanted(kElementsOfRecord, 0);
  for (const int64_t offset : record.offsets) wanted[static_cast<size_t>(offset)] = 1;
  const Values firsts = FirstElements(record, place);
  if (IsOneElement(record)) {
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      read[0][u] = Gathered(place, firsts[u], chunk_.Mask(u));
    }
    return;
  }
  Value* ends = b_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, place.extent,
                                         b_.getInt64(kElementsOfRecord - 1));
  Values beyond;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* outside = b_.CreateICmpUGE(firsts[u], f_.Splat(ends));
    beyond.push_back(chunk_.all() ? outside : b_.CreateAnd(outside, chunk_.running(u)));
  }
  Value* apart = f_.AnyOf(beyond);
  // Without a lane that runs the array may be shorter than a record.
  if (!chunk_.all()) apart = b_.CreateOr(apart, b_.CreateICmpEQ(ends, b_.getInt64(0)));
  BasicBlock* whole = f_.NewBlock("records");
  BasicBlock* single = f_.NewBlock("elements");
  BasicBlock* join = f_.NewBlock("loaded");
  f_.BranchUnlikely(apart, single, whole);
  b_.SetInsertPoint(whole);
  std::vector<Values> at_once;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* first = firsts[u];
    if (!chunk_.all()) {
      first =
          b_.CreateSelect(chunk_.running(u), first, llvm::Constant::getNullValue(first->getType()));
    }
    at_once.push_back(AtOnce(place, first));
  }
  BasicBlock* whole_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(single);
  for (unsigned e = 0; e < kElementsOfRecord; ++e) {
    if (wanted[e] == 0) continue;
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      Value* element = b_.CreateAdd(firsts[u], f_.Splat(b_.getInt64(e)));
      Value* inside = b_.CreateICmpULT(element, f_.Splat(place.extent));
      read[e][u] = Gathered(place, element, b_.CreateAnd(inside, chunk_.Mask(u)));
    }
  }
  BasicBlock* single_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  for (unsigned e = 0; e < kElementsOfRecord; ++e) {
    if (wanted[e] == 0) continue;
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      llvm::PHINode* phi = b_.CreatePHI(f_.VectorOf(place.type), 2);
      phi->addIncoming(at_once[u][e], whole_end);
      phi->addIncoming(read[e][u], single_end);
      read[e][u] = phi;
    }
  }
}

Value* RecordLoads::Gathered(const Place& place, Value* element, Value* mask) {
  Type* type = f_.VectorOf(place.type);
  llvm::CallInst* gather =
      b_.CreateMaskedGather(type, b_.CreateGEP(place.type, place.base, element), place.align, mask,
                            llvm::Constant::getNullValue(type));
  places_.Tag(gather, place);
  return gather;
}

// Four columns of what the lanes read. Vectors have a record of every `rows`th lane, one behind the
// other: four of them, exchanged within each 128 bits, give elements in the order of lanes.
Values RecordLoads::AtOnce(const Place& place, Value* first) {
  const unsigned width = f_.target().width;
  const unsigned rows = width / kElementsOfRecord;
  Type* type = llvm::FixedVectorType::get(place.type, kElementsOfRecord);
  // Read from memory, which is cheaper than taking them out of a vector; volatile, or they would be
  // taken out of the vector after all.
  llvm::AllocaInst* list = f_.NewSlot(first->getType(), "records");
  b_.CreateStore(first, list, true);
  const auto load = [&](unsigned lane) -> Value* {
    Value* at =
        b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), list, lane), true);
    llvm::LoadInst* record =
        b_.CreateAlignedLoad(type, b_.CreateGEP(place.type, place.base, at), place.align);
    places_.Tag(record, place);
    return record;
  };
  Values vectors;
  for (unsigned k = 0; k < kElementsOfRecord; ++k) {
    Values parts;
    for (unsigned r = 0; r < rows; ++r) parts.push_back(load(kElementsOfRecord * r + k));
    for (; parts.size() > 1; parts.resize(parts.size() / 2)) {
      const auto have = static_cast<int>(
          llvm::cast<llvm::FixedVectorType>(parts[0]->getType())->getNumElements());
      std::vector<int> both;
      for (int i = 0; i < 2 * have; ++i) both.push_back(i);
      for (size_t p = 0; p < parts.size() / 2; ++p) {
        parts[p] = b_.CreateShuffleVector(parts[2 * p], parts[2 * p + 1], both);
      }
    }
    vectors.push_back(parts[0]);
  }
  // `picks`: of each 128 bits, from two vectors.
  const auto shuffled = [&](Value* a, Value* b, std::array<int, kElementsOfRecord> picks) {
    std::vector<int> all;
    for (unsigned r = 0; r < rows; ++r) {
      for (const int pick : picks) {
        const int in_second = pick >= static_cast<int>(kElementsOfRecord) ? 1 : 0;
        const int base = static_cast<int>(kElementsOfRecord * r);
        all.push_back(base + pick + in_second * static_cast<int>(width - kElementsOfRecord));
      }
    }
    return b_.CreateShuffleVector(a, b, all);
  };
  Value* low_01 = shuffled(vectors[0], vectors[1], {0, 4, 1, 5});
  Value* high_01 = shuffled(vectors[0], vectors[1], {2, 6, 3, 7});
  Value* low_23 = shuffled(vectors[2], vectors[3], {0, 4, 1, 5});
  Value* high_23 = shuffled(vectors[2], vectors[3], {2, 6, 3, 7});
  return {shuffled(low_01, low_23, {0, 1, 4, 5}), shuffled(low_01, low_23, {2, 3, 6, 7}),
          shuffled(high_01, high_23, {0, 1, 4, 5}), shuffled(high_01, high_23, {2, 3, 6, 7})};
}

}  // namespace hologram::codegen
