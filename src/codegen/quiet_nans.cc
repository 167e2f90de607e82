#include "codegen/quiet_nans.h"

#include <map>

namespace hologram::codegen {
namespace {

namespace intrinsic = llvm::Intrinsic;
using llvm::Instruction;
using llvm::IntrinsicInst;
using llvm::Value;

constexpr char kQuiet[] = "hologram.quiet";

bool IsRange(const Value* v) {
  const auto* call = llvm::dyn_cast<IntrinsicInst>(v);
  return call != nullptr && (call->getIntrinsicID() == intrinsic::x86_avx512_mask_range_ps_512 ||
                             call->getIntrinsicID() == intrinsic::x86_avx512_mask_range_pd_512);
}

bool IsQuieting(const Value* v) {
  if (!IsRange(v)) return false;
  const auto* call = llvm::cast<IntrinsicInst>(v);
  return call->getArgOperand(0) == call->getArgOperand(1);
}

// Where a value depends on itself, around a loop, it is quiet if all that comes in is.
bool IsQuiet(const Value* v, llvm::SmallPtrSetImpl<const Value*>& assumed) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(v)) {
    const auto* splat = constant->getType()->isVectorTy() ? constant->getSplatValue() : constant;
    const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(splat);
    return number != nullptr && !number->getValueAPF().isSignaling();
  }
  const auto* in = llvm::dyn_cast<Instruction>(v);
  if (in == nullptr) return false;
  if (!assumed.insert(v).second) return true;
  const auto all = [&](auto operands) {
    return llvm::all_of(operands, [&](const Value* o) { return IsQuiet(o, assumed); });
  };
  switch (in->getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return true;
    case Instruction::PHI:
      return all(llvm::cast<llvm::PHINode>(in)->incoming_values());
    case Instruction::Select:
      return IsQuiet(in->getOperand(1), assumed) && IsQuiet(in->getOperand(2), assumed);
    case Instruction::ShuffleVector:
      return IsQuiet(in->getOperand(0), assumed) &&
             (llvm::isa<llvm::UndefValue>(in->getOperand(1)) ||
              IsQuiet(in->getOperand(1), assumed));
    case Instruction::Load:
      return in->hasMetadata(kQuiet);
    case Instruction::Call: {
      const auto* call = llvm::dyn_cast<IntrinsicInst>(in);
      return call != nullptr && (IsRange(call) || call->getIntrinsicID() == intrinsic::fma);
    }
    default:
      return false;
  }
}

bool IsQuiet(const Value* v) {
  llvm::SmallPtrSet<const Value*, 16> assumed;
  return IsQuiet(v, assumed);
}

// Values that are copies of each other, PHI and SELECT, of which nothing is used but what VRANGE
// makes quiet. They may as well be quiet themselves.
class Copies {
 public:
  // False if something looks at their bits, or there are too many.
  bool Collect(Instruction* seed) {
    if (!Add(seed)) return false;
    for (size_t i = 0; i < members_.size(); ++i) {
      for (Value* operand : Sources(*members_[i])) {
        auto* in = llvm::dyn_cast<Instruction>(operand);
        if (in != nullptr && IsCopy(*in) && !IsQuiet(in) && !Add(in)) return false;
      }
      for (llvm::User* user : members_[i]->users()) {
        auto* in = llvm::cast<Instruction>(user);
        if (!IsMadeQuiet(*in) && !(IsCopy(*in) && Add(in))) return false;
      }
    }
    return true;
  }

  // Makes quiet what comes in from outside.
  void MakeQuiet() {
    for (Instruction* member : members_) {
      auto* phi = llvm::dyn_cast<llvm::PHINode>(member);
      if (phi != nullptr) {
        // A block may be several predecessors, which must bring one value.
        std::map<llvm::BasicBlock*, Value*> brought;
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
          if (!Enters(phi->getIncomingValue(i))) continue;
          Value*& quiet = brought[phi->getIncomingBlock(i)];
          if (quiet == nullptr) {
            llvm::IRBuilder<> b(phi->getIncomingBlock(i)->getTerminator());
            quiet = Quieted(b, phi->getIncomingValue(i));
          }
          phi->setIncomingValue(i, quiet);
        }
        continue;
      }
      llvm::IRBuilder<> b(member);
      for (llvm::Use& operand : member->operands()) {
        if (operand->getType() != member->getType()) continue;  // the condition of a SELECT
        if (Enters(operand)) operand = Quieted(b, operand);
      }
    }
  }

 private:
  static constexpr size_t kMost = 64;

  static bool IsCopy(const Instruction& in) {
    return in.getOpcode() == Instruction::PHI || in.getOpcode() == Instruction::Select;
  }

  // Directly or, of f64, in halves.
  static bool IsMadeQuiet(const Instruction& user) {
    if (!llvm::isa<llvm::ShuffleVectorInst>(user)) return IsQuieting(&user);
    return llvm::all_of(user.users(), [](const llvm::User* u) { return IsQuieting(u); });
  }

  static llvm::SmallVector<Value*, 4> Sources(Instruction& in) {
    llvm::SmallVector<Value*, 4> sources;
    for (Value* operand : in.operands()) {
      if (operand->getType() == in.getType()) sources.push_back(operand);
    }
    return sources;
  }

  bool Add(Instruction* in) {
    if (seen_.insert(in).second) members_.push_back(in);
    return members_.size() <= kMost;
  }

  bool Enters(const Value* v) const { return !seen_.contains(v) && !IsQuiet(v); }

  llvm::SmallVector<Instruction*, 16> members_;
  llvm::SmallPtrSet<const Value*, 16> seen_;
};

}  // namespace

Value* CreateRange(llvm::IRBuilderBase& b, Value* x, Value* y, RangeOf which) {
  Value* select = b.getInt32(static_cast<uint32_t>(which));
  const auto of_registers = [&](Value* left, Value* right) {
    constexpr uint32_t kCurrentRounding = 4;
    const bool is_single = left->getType()->getScalarType()->isFloatTy();
    Value* all = is_single ? b.getInt16(0xffff) : b.getInt8(0xff);
    return b.CreateIntrinsic(is_single ? intrinsic::x86_avx512_mask_range_ps_512
                                       : intrinsic::x86_avx512_mask_range_pd_512,
                             {}, {left, right, select, left, all, b.getInt32(kCurrentRounding)});
  };
  if (x->getType()->getScalarType()->isFloatTy()) return of_registers(x, y);
  constexpr int kHalves[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const llvm::ArrayRef<int> both(kHalves);
  const auto half = [&](llvm::ArrayRef<int> lanes) {
    return of_registers(b.CreateShuffleVector(x, lanes), b.CreateShuffleVector(y, lanes));
  };
  Value* low = half(both.take_front(8));
  return b.CreateShuffleVector(low, half(both.take_back(8)), both);
}

Value* Quieted(llvm::IRBuilderBase& b, Value* v) {
  return CreateRange(b, v, v, RangeOf::kMin);
}

void MarkQuiet(llvm::LoadInst& load) {
  load.setMetadata(kQuiet, llvm::MDNode::get(load.getContext(), {}));
}

llvm::PreservedAnalyses QuietNans::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<IntrinsicInst*, 32> quieting;
  for (llvm::BasicBlock& block : function) {
    for (Instruction& in : block) {
      if (IsQuieting(&in)) quieting.push_back(llvm::cast<IntrinsicInst>(&in));
    }
  }
  for (IntrinsicInst* call : quieting) {
    Value* whole = call->getArgOperand(0);
    if (auto* half = llvm::dyn_cast<llvm::ShuffleVectorInst>(whole)) whole = half->getOperand(0);
    auto* phi = llvm::dyn_cast<llvm::PHINode>(whole);
    if (phi == nullptr || IsQuiet(phi)) continue;
    Copies copies;
    if (copies.Collect(phi)) copies.MakeQuiet();
  }
  for (IntrinsicInst* call : quieting) {
    Value* x = call->getArgOperand(0);
    if (!IsQuiet(x)) continue;
    call->replaceAllUsesWith(x);
    call->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace hologram::codegen
