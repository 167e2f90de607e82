// The operation vocabulary of isa/math/ops.h in LLVM IR. A value is a list of sub-vectors, so that
// the operations of all of them are interleaved and Rare is one branch for all.
#pragma once

#include "codegen/lowering.h"
#include "isa/math/ops.h"

namespace hologram::codegen {

template <class FormatType>
class LlvmMathOps {
 public:
  using Format = FormatType;
  using F = Values;
  using U = Values;
  using M = Values;

  LlvmMathOps(Lowering& lowering, llvm::Type* type, size_t count)
      : lowering_(lowering),
        b_(lowering.builder()),
        type_(type),
        bits_(lowering.BitsType(type)),
        count_(count) {}

  F Const(typename Format::Float value) const {
    return F(count_, llvm::ConstantFP::get(type_, static_cast<double>(value)));
  }
  U ConstBits(typename Format::Bits value) const {
    return U(count_, llvm::ConstantInt::get(bits_, value));
  }

  F Add(const F& a, const F& b) { return Binary(llvm::Instruction::FAdd, a, b); }
  F Sub(const F& a, const F& b) { return Binary(llvm::Instruction::FSub, a, b); }
  F Mul(const F& a, const F& b) { return Binary(llvm::Instruction::FMul, a, b); }
  F Div(const F& a, const F& b) { return Binary(llvm::Instruction::FDiv, a, b); }
  F Fma(const F& a, const F& b, const F& c) {
    return Each([&](size_t u) { return lowering_.FusedMultiplyAdd(a[u], b[u], c[u]); });
  }
  F NegFma(const F& a, const F& b, const F& c) {
    return Each(
        [&](size_t u) { return lowering_.FusedMultiplyAdd(b_.CreateFNeg(a[u]), b[u], c[u]); });
  }

  M Less(const F& a, const F& b) {
    return Each([&](size_t u) { return b_.CreateFCmpOLT(a[u], b[u]); });
  }
  M Greater(const F& a, const F& b) {
    return Each([&](size_t u) { return b_.CreateFCmpOGT(a[u], b[u]); });
  }
  M IsNan(const F& a) {
    return Each([&](size_t u) { return b_.CreateFCmpUNO(a[u], a[u]); });
  }
  M GreaterBits(const U& a, const U& b) {
    return Each([&](size_t u) { return b_.CreateICmpUGT(a[u], b[u]); });
  }
  M AnyBitSet(const U& a, const U& b) {
    llvm::Constant* zero = llvm::Constant::getNullValue(bits_);
    return Each([&](size_t u) { return b_.CreateICmpNE(b_.CreateAnd(a[u], b[u]), zero); });
  }
  F Select(const M& m, const F& yes, const F& no) {
    return Each([&](size_t u) { return b_.CreateSelect(m[u], yes[u], no[u]); });
  }

  U BitsOf(const F& x) {
    return Each([&](size_t u) { return b_.CreateBitCast(x[u], bits_); });
  }
  F FromBits(const U& x) {
    return Each([&](size_t u) { return b_.CreateBitCast(x[u], type_); });
  }
  U AddBits(const U& a, const U& b) { return Binary(llvm::Instruction::Add, a, b); }
  U SubBits(const U& a, const U& b) { return Binary(llvm::Instruction::Sub, a, b); }
  U AndBits(const U& a, const U& b) { return Binary(llvm::Instruction::And, a, b); }
  U OrBits(const U& a, const U& b) { return Binary(llvm::Instruction::Or, a, b); }
  U XorBits(const U& a, const U& b) { return Binary(llvm::Instruction::Xor, a, b); }
  U Shl(const U& a, int count) { return Shift(llvm::Instruction::Shl, a, count); }
  U LShr(const U& a, int count) { return Shift(llvm::Instruction::LShr, a, count); }
  U AShr(const U& a, int count) { return Shift(llvm::Instruction::AShr, a, count); }

  F Scale2n(const F& p, const F& n) {
    const bool zmm = lowering_.target().avx512 && type_->isVectorTy();
    if (!zmm) return isa::math::Scale2nByMultiplying(*this, p, n);
    return Each([&](size_t u) {
      return sizeof(typename Format::Float) == 4 ? ScaleSingle(p[u], n[u])
                                                 : ScaleDouble(p[u], n[u]);
    });
  }

  template <class Fast, class Slow>
  F Rare(const M& rare, const Fast& fast, const Slow& slow) {
    llvm::BasicBlock* slow_block = lowering_.NewBlock("rare");
    llvm::BasicBlock* fast_block = lowering_.NewBlock("usual");
    llvm::BasicBlock* join = lowering_.NewBlock("joined");
    lowering_.BranchUnlikely(lowering_.AnyOf(rare), slow_block, fast_block);
    b_.SetInsertPoint(fast_block);
    const F usual = fast();
    fast_block = b_.GetInsertBlock();
    b_.CreateBr(join);
    b_.SetInsertPoint(slow_block);
    const F other = slow();
    slow_block = b_.GetInsertBlock();
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
    return Each([&](size_t u) -> llvm::Value* {
      llvm::PHINode* phi = b_.CreatePHI(type_, 2);
      phi->addIncoming(usual[u], fast_block);
      phi->addIncoming(other[u], slow_block);
      return phi;
    });
  }

 private:
  template <class Function>
  Values Each(Function function) const {
    Values result;
    for (size_t u = 0; u < count_; ++u) result.push_back(function(u));
    return result;
  }
  Values Binary(llvm::Instruction::BinaryOps op, const Values& a, const Values& b) {
    return Each([&](size_t u) { return b_.CreateBinOp(op, a[u], b[u]); });
  }
  Values Shift(llvm::Instruction::BinaryOps op, const Values& a, int count) {
    llvm::Constant* by = llvm::ConstantInt::get(bits_, static_cast<uint64_t>(count));
    return Each([&](size_t u) { return b_.CreateBinOp(op, a[u], by); });
  }

  static constexpr uint32_t kCurrentRounding = 4;
  llvm::Value* ScaleSingle(llvm::Value* p, llvm::Value* n) {
    return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                              {p, n, p, b_.getInt16(0xffff), b_.getInt32(kCurrentRounding)});
  }
  // Sixteen numbers of 64 bits are two registers.
  llvm::Value* ScaleDouble(llvm::Value* p, llvm::Value* n) {
    constexpr int kLow[] = {0, 1, 2, 3, 4, 5, 6, 7};
    constexpr int kHigh[] = {8, 9, 10, 11, 12, 13, 14, 15};
    constexpr int kBoth[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const auto half = [&](llvm::ArrayRef<int> lanes) {
      llvm::Value* part = b_.CreateShuffleVector(p, lanes);
      return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_pd_512, {},
                                {part, b_.CreateShuffleVector(n, lanes), part, b_.getInt8(0xff),
                                 b_.getInt32(kCurrentRounding)});
    };
    llvm::Value* low = half(kLow);
    return b_.CreateShuffleVector(low, half(kHigh), kBoth);
  }

  Lowering& lowering_;
  llvm::IRBuilder<>& b_;
  llvm::Type* type_;
  llvm::Type* bits_;
  size_t count_;
};

}  // namespace hologram::codegen
