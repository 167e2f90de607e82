#include "codegen/lane_loads.h"

#include <vector>

#include "codegen/llvm_passes.h"

namespace hologram::codegen {
namespace {

namespace intrinsic = llvm::Intrinsic;
using llvm::Constant;
using llvm::FixedVectorType;
using llvm::GlobalVariable;
using llvm::Instruction;
using llvm::IntrinsicInst;
using llvm::Type;
using llvm::Value;

constexpr char kName[] = "hologram.zero";

// As long as the longest element.
GlobalVariable* ZeroOf(llvm::Module& module) {
  if (GlobalVariable* made = module.getNamedGlobal(kName)) return made;
  Type* type = Type::getInt64Ty(module.getContext());
  auto* zero = new GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage,
                                  Constant::getNullValue(type), kName);
  zero->setAlignment(llvm::Align(8));
  return zero;
}

// The operands of both intrinsics are in the same order.
Value* AddressOf(const IntrinsicInst& load) {
  return load.getArgOperand(0);
}

llvm::Align AlignOf(const IntrinsicInst& load) {
  return llvm::cast<llvm::ConstantInt>(load.getArgOperand(1))->getAlignValue();
}

Value* MaskOf(const IntrinsicInst& load) {
  return load.getArgOperand(2);
}

bool IsGather(const IntrinsicInst& load) {
  return load.getIntrinsicID() == intrinsic::masked_gather;
}

bool HasInstruction(const IntrinsicInst& load, const llvm::TargetTransformInfo& costs) {
  auto* type = llvm::cast<FixedVectorType>(load.getType());
  if (!IsGather(load)) return costs.isLegalMaskedLoad(type, AlignOf(load));
  return costs.isLegalMaskedGather(type, AlignOf(load)) &&
         !costs.forceScalarizeMaskedGather(type, AlignOf(load));
}

// The lanes that a row has left, numbered: what they load is loaded once a row, and the code for it
// is in every kernel.
bool IsEndOfRow(const Value* mask) {
  const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(mask);
  if (compared == nullptr) return false;
  return llvm::any_of(compared->operands(), [](const llvm::Use& side) {
    const auto* numbers = llvm::dyn_cast<Constant>(side);
    return numbers != nullptr && numbers->getSplatValue() == nullptr;
  });
}

bool IsWanted(const Instruction& in, const llvm::TargetTransformInfo& costs) {
  const auto* load = llvm::dyn_cast<IntrinsicInst>(&in);
  if (load == nullptr) return false;
  const intrinsic::ID id = load->getIntrinsicID();
  if (id != intrinsic::masked_gather && id != intrinsic::masked_load) return false;
  const auto* others = llvm::dyn_cast<Constant>(load->getArgOperand(3));
  const bool zero =
      others != nullptr && (others->isNullValue() || llvm::isa<llvm::UndefValue>(others));
  const Value* mask = MaskOf(*load);
  if (!zero || llvm::isa<Constant>(mask)) return false;
  if (id == intrinsic::masked_load && IsEndOfRow(mask)) return false;
  return !HasInstruction(*load, costs);
}

// Addresses are chosen in vectors: LLVM makes branches of one choice before each load.
Value* LoadLanes(llvm::IRBuilder<>& b, const IntrinsicInst& load, Value* addresses) {
  auto* type = llvm::cast<FixedVectorType>(load.getType());
  Type* element = type->getElementType();
  Value* zeros =
      b.CreateVectorSplat(type->getNumElements(), ZeroOf(*b.GetInsertBlock()->getModule()));
  Value* chosen = b.CreateSelect(MaskOf(load), addresses, zeros);
  Value* loaded = llvm::PoisonValue::get(type);
  for (uint64_t lane = 0; lane < type->getNumElements(); ++lane) {
    const uint64_t bytes = element->getScalarSizeInBits() / 8;
    llvm::LoadInst* one = b.CreateAlignedLoad(element, b.CreateExtractElement(chosen, lane),
                                              llvm::commonAlignment(AlignOf(load), bytes));
    one->setAAMetadata(load.getAAMetadata());
    loaded = b.CreateInsertElement(loaded, one, lane);
  }
  return loaded;
}

// Where all lanes take part, one load.
Value* LoadRow(llvm::IRBuilder<>& b, IntrinsicInst& load) {
  auto* type = llvm::cast<FixedVectorType>(load.getType());
  Value* all = b.CreateAndReduce(MaskOf(load));
  Instruction* then = nullptr;
  Instruction* otherwise = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(all, &load, &then, &otherwise);
  b.SetInsertPoint(then);
  llvm::LoadInst* whole = b.CreateAlignedLoad(type, AddressOf(load), AlignOf(load));
  whole->setAAMetadata(load.getAAMetadata());
  b.SetInsertPoint(otherwise);
  std::vector<Constant*> numbers;
  numbers.reserve(type->getNumElements());
  for (uint64_t lane = 0; lane < type->getNumElements(); ++lane) {
    numbers.push_back(b.getInt64(lane));
  }
  Value* lanes = LoadLanes(
      b, load,
      b.CreateGEP(type->getElementType(), AddressOf(load), llvm::ConstantVector::get(numbers)));
  b.SetInsertPoint(&load);
  llvm::PHINode* loaded = b.CreatePHI(type, 2);
  loaded->addIncoming(whole, then->getParent());
  loaded->addIncoming(lanes, otherwise->getParent());
  return loaded;
}

}  // namespace

llvm::PreservedAnalyses LaneLoads::run(llvm::Function& function,
                                       llvm::FunctionAnalysisManager& analyses) {
  const llvm::TargetTransformInfo& costs = analyses.getResult<llvm::TargetIRAnalysis>(function);
  std::vector<IntrinsicInst*> found;
  for (llvm::BasicBlock& block : function) {
    for (Instruction& in : block) {
      if (IsWanted(in, costs)) found.push_back(llvm::cast<IntrinsicInst>(&in));
    }
  }
  for (IntrinsicInst* load : found) {
    llvm::IRBuilder<> b(load);
    Value* loaded = IsGather(*load) ? LoadLanes(b, *load, AddressOf(*load)) : LoadRow(b, *load);
    load->replaceAllUsesWith(loaded);
    load->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace hologram::codegen
