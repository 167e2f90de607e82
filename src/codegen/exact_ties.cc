#include "codegen/exact_ties.h"

namespace hologram::codegen {
namespace {

using llvm::CmpInst;
using llvm::Value;

const Value* WithoutCasts(const Value* v) {
  while (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(v)) v = cast->getOperand(0);
  return v;
}

bool IsMistaken(const llvm::SelectInst& select) {
  const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(select.getCondition());
  if (compare == nullptr || !select.getType()->isVectorTy()) return false;
  switch (compare->getPredicate()) {
    case CmpInst::FCMP_OLE:
    case CmpInst::FCMP_OGE:
    case CmpInst::FCMP_ULT:
    case CmpInst::FCMP_UGT:
      break;
    default:
      return false;  // the others are what LLVM takes them for
  }
  const Value* x = WithoutCasts(compare->getOperand(0));
  const Value* y = WithoutCasts(compare->getOperand(1));
  const Value* yes = WithoutCasts(select.getTrueValue());
  const Value* no = WithoutCasts(select.getFalseValue());
  return (x == yes && y == no) || (x == no && y == yes);
}

void Replace(llvm::SelectInst& select) {
  llvm::IRBuilder<> b(&select);
  auto* type = llvm::cast<llvm::FixedVectorType>(select.getType());
  llvm::Type* element = b.getIntNTy(type->getScalarSizeInBits());
  llvm::Type* bits = llvm::FixedVectorType::get(element, type->getNumElements());
  Value* mask = b.CreateSExt(select.getCondition(), bits);
  Value* yes = b.CreateAnd(b.CreateBitCast(select.getTrueValue(), bits), mask);
  Value* no = b.CreateAnd(b.CreateBitCast(select.getFalseValue(), bits), b.CreateNot(mask));
  select.replaceAllUsesWith(b.CreateBitCast(b.CreateOr(yes, no), type));
  select.eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses ExactTies::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& in : llvm::make_early_inc_range(block)) {
      auto* select = llvm::dyn_cast<llvm::SelectInst>(&in);
      if (select == nullptr || !IsMistaken(*select)) continue;
      Replace(*select);
      changed = true;
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace hologram::codegen
