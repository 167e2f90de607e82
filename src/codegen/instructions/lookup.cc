// A table of 16 numbers, looked up in each lane (Lookup16 of math/ops.h): permutations of
// registers where the target has them, otherwise loads. Tested by tests/conformance and by
// tests/differential/math_sweep.cc.
#include "codegen/instructions/lane_functions.h"

namespace hologram::codegen {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

namespace {

constexpr unsigned kEntries = 16;
using Table = llvm::ArrayRef<float>;

llvm::Constant* VectorOfEntries(llvm::LLVMContext& context, Table entries) {
  return llvm::ConstantDataVector::get(context, entries);
}

// VPERMPS of eight numbers, which looks at three bits of the index: one for each half of the table.
Value* ByHalves(llvm::IRBuilder<>& b, Table table, Value* index) {
  const auto half = [&](unsigned from) {
    llvm::Constant* entries = VectorOfEntries(b.getContext(), table.slice(from, kEntries / 2));
    return b.CreateIntrinsic(intrinsic::x86_avx2_permps, {}, {entries, index});
  };
  Value* low = half(0);
  Value* high = half(kEntries / 2);
  Value* fourth_bit = b.CreateShl(index, 28);
  Value* zero = llvm::Constant::getNullValue(index->getType());
  return b.CreateSelect(b.CreateICmpSLT(fourth_bit, zero), high, low);
}

// TBL of 64 bytes. The four bytes of an entry are 4 i + (0, 1, 2, 3).
Value* ByBytes(llvm::IRBuilder<>& b, Table table, Value* index) {
  llvm::Type* type = index->getType();
  llvm::Type* bytes = llvm::FixedVectorType::get(b.getInt8Ty(), 16);
  const auto all = [&](uint32_t value) { return llvm::ConstantInt::get(type, value); };
  Value* entry = b.CreateAnd(index, all(kEntries - 1));
  Value* places = b.CreateAdd(b.CreateMul(entry, all(0x04040404)), all(0x03020100));
  llvm::SmallVector<Value*, 5> arguments;
  for (unsigned from = 0; from < kEntries; from += 4) {
    llvm::Constant* entries = VectorOfEntries(b.getContext(), table.slice(from, 4));
    arguments.push_back(b.CreateBitCast(entries, bytes));
  }
  arguments.push_back(b.CreateBitCast(places, bytes));
  Value* found = b.CreateIntrinsic(intrinsic::aarch64_neon_tbl4, {bytes}, arguments);
  return b.CreateBitCast(found, llvm::FixedVectorType::get(b.getFloatTy(), 4));
}

llvm::GlobalVariable* Global(llvm::Module& module, llvm::Constant* contents) {
  for (llvm::GlobalVariable& global : module.globals()) {
    if (global.isConstant() && global.hasInitializer() && global.getInitializer() == contents) {
      return &global;
    }
  }
  return new llvm::GlobalVariable(module, contents->getType(), true,
                                  llvm::GlobalValue::InternalLinkage, contents, "hologram.numbers");
}

Value* ByLoads(llvm::IRBuilder<>& b, llvm::Module& module, Table table, Value* index) {
  llvm::GlobalVariable* global =
      Global(module, llvm::ConstantDataArray::get(b.getContext(), table));
  const auto load = [&](Value* i) -> Value* {
    Value* entry = b.CreateZExt(b.CreateAnd(i, kEntries - 1), b.getInt64Ty());
    return b.CreateLoad(b.getFloatTy(), b.CreateGEP(b.getFloatTy(), global, entry));
  };
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(index->getType());
  if (vector == nullptr) return load(index);
  const unsigned lanes = vector->getNumElements();
  Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getFloatTy(), lanes));
  for (uint64_t lane = 0; lane < lanes; ++lane) {
    result = b.CreateInsertElement(result, load(b.CreateExtractElement(index, lane)), lane);
  }
  return result;
}

}  // namespace

// `index` is a number or a vector as wide as the target's; its low four bits count.
Value* LookUp16(FunctionState& f, const float (&table)[16], Value* index) {
  llvm::IRBuilder<>& b = f.builder();
  const Permutes permutes =
      index->getType()->isVectorTy() ? f.target().permutes : Permutes::kNothing;
  switch (permutes) {
    case Permutes::kNothing:
      return ByLoads(b, f.kernel().module, table, index);
    case Permutes::kBytes:
      return ByBytes(b, table, index);
    case Permutes::kEight:
      return ByHalves(b, table, index);
    case Permutes::kSixteen:
      return b.CreateIntrinsic(intrinsic::x86_avx512_permvar_sf_512, {},
                               {VectorOfEntries(f.context(), table), index});
  }
  return nullptr;
}

}  // namespace hologram::codegen
