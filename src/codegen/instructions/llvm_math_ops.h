// The operation vocabulary of math/ops.h in LLVM IR. A value is a list of sub-vectors, so that
// the operations of all of them are interleaved and Rare is one branch for all. What ReplaceLanes
// does goes into a function of its own, once per object.
#pragma once

#include "codegen/emit/idioms.h"
#include "codegen/instructions/fma.h"
#include "codegen/instructions/lane_functions.h"
#include "codegen/instructions/wide.h"
#include "math/ops.h"

namespace hologram::codegen {

template <class FormatType>
class LlvmMathOps {
 public:
  using Format = FormatType;
  using F = Values;
  using U = Values;
  using M = Values;

  LlvmMathOps(FunctionState& f, llvm::Type* type, size_t count)
      : f_(f), b_(f.builder()), type_(type), bits_(BitsType(type)), count_(count) {}

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
  F Neg(const F& a) {
    return Each([&](size_t u) { return b_.CreateFNeg(a[u]); });
  }
  F Fma(const F& a, const F& b, const F& c) {
    return Each([&](size_t u) { return FusedMultiplyAdd(f_, a[u], b[u], c[u]); });
  }
  F NegFma(const F& a, const F& b, const F& c) {
    return Each([&](size_t u) { return FusedMultiplyAdd(f_, b_.CreateFNeg(a[u]), b[u], c[u]); });
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
  M NotPositiveNormal(const F& x) {
    const bool zmm = f_.target().avx512 && type_->isVectorTy();
    if (!zmm) return math::NotPositiveNormalByBits(*this, x);
    return Each([&](size_t u) { return kSingle ? ClassSingle(x[u]) : ClassDouble(x[u]); });
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

  F FloatOf(const U& a) {
    return Each([&](size_t u) { return b_.CreateSIToFP(a[u], type_); });
  }
  // LLVM has no patterns for VGETMANT and VGETEXP; only the fast forms, in f32, use them.
  F Significand(const F& x) {
    if (!SingleZmm()) return math::SignificandByBits(*this, x);
    return Each([&](size_t u) -> llvm::Value* {
      return b_.CreateIntrinsic(
          llvm::Intrinsic::x86_avx512_mask_getmant_ps_512, {},
          {x[u], b_.getInt32(kFromOne), x[u], b_.getInt16(0xffff), b_.getInt32(kCurrentRounding)});
    });
  }
  F Exponent(const F& x) {
    if (!SingleZmm()) return math::ExponentByBits(*this, x);
    return Each([&](size_t u) -> llvm::Value* {
      return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_getexp_ps_512, {},
                                {x[u], x[u], b_.getInt16(0xffff), b_.getInt32(kCurrentRounding)});
    });
  }
  F Lookup16(const float (&table)[16], const U& index) {
    return Each([&](size_t u) { return LookUp16(f_, table, index[u]); });
  }
  F Scale2n(const F& p, const F& n) {
    const bool zmm = f_.target().avx512 && type_->isVectorTy();
    if (!zmm) return math::Scale2nByMultiplying(*this, p, n);
    return Each(
        [&](size_t u) { return kSingle ? ScaleSingle(p[u], n[u]) : ScaleDouble(p[u], n[u]); });
  }

  template <class Fast, class Slow>
  F Rare(const M& rare, const Fast& fast, const Slow& slow) {
    llvm::BasicBlock* slow_block = f_.NewBlock("rare");
    llvm::BasicBlock* fast_block = f_.NewBlock("usual");
    llvm::BasicBlock* join = f_.NewBlock("joined");
    f_.BranchUnlikely(f_.AnyOf(rare), slow_block, fast_block);
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

  // `lane` becomes a function of one number, which runs in the lanes that need it.
  template <class Lane>
  F ReplaceLanes(const M& which, const F& x, const F& usual, const char* name, const Lane& lane) {
    const auto body = [&](FunctionState& f, llvm::Value* number) {
      LlvmMathOps one(f, type_->getScalarType(), 1);
      return lane(one, F{number})[0];
    };
    const std::string full = std::string("hologram.") + name + (kSingle ? ".f32" : ".f64");
    llvm::Function* function = OneLaneFunction(f_.kernel(), full, type_->getScalarType(), body);
    llvm::BasicBlock* from = b_.GetInsertBlock();
    llvm::BasicBlock* rare = f_.NewBlock("rare");
    llvm::BasicBlock* join = f_.NewBlock("joined");
    f_.BranchUnlikely(f_.AnyOf(which), rare, join);
    b_.SetInsertPoint(rare);
    const F replaced = Each([&](size_t u) -> llvm::Value* {
      if (!type_->isVectorTy()) return b_.CreateCall(function, {x[u]});
      llvm::Function* each = EachLaneFunction(f_.kernel(), function, type_);
      return b_.CreateCall(each, {x[u], usual[u], which[u]});
    });
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
    return Each([&](size_t u) -> llvm::Value* {
      llvm::PHINode* phi = b_.CreatePHI(type_, 2);
      phi->addIncoming(usual[u], from);
      phi->addIncoming(replaced[u], rare);
      return phi;
    });
  }

  // ---- math/large_angle.h: one lane
  using Wide = LlvmMathOps<math::Binary64>;
  Wide WideOps() { return Wide(f_, b_.getDoubleTy(), 1); }
  Values Widen(const F& x) { return {b_.CreateFPExt(x[0], b_.getDoubleTy())}; }
  F Narrow(const Values& x) { return {b_.CreateFPTrunc(x[0], type_)}; }
  U MulBits(const U& a, const U& b) { return Binary(llvm::Instruction::Mul, a, b); }
  U MulHighBits(const U& a, const U& b) {
    llvm::Value* product = WideIntegers(b_, f_.target()).Product(a[0], b[0]);
    return {b_.CreateTrunc(b_.CreateLShr(product, 64), bits_)};
  }
  U ShlBy(const U& a, const U& count) { return Binary(llvm::Instruction::Shl, a, count); }
  U LShrBy(const U& a, const U& count) { return Binary(llvm::Instruction::LShr, a, count); }
  U LeadingZeros(const U& a) {
    return {b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a[0], b_.getTrue())};
  }
  U SelectBits(const M& m, const U& yes, const U& no) { return Select(m, yes, no); }
  template <size_t kCount>
  U Entry(const uint64_t (&table)[kCount], const U& index) {
    return {LoadEntry(f_, table, index[0])};
  }

 private:
  static constexpr bool kSingle = sizeof(typename Format::Float) == 4;

  bool SingleZmm() const { return f_.target().avx512 && type_->isVectorTy() && kSingle; }
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
  static constexpr uint32_t kFromOne = 0;               // VGETMANT: the interval [1, 2)
  static constexpr uint32_t kNotPositiveNormal = 0xff;  // VFPCLASS: all its classes
  llvm::Value* ClassSingle(llvm::Value* x) {
    return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_fpclass_ps_512, {},
                              {x, b_.getInt32(kNotPositiveNormal)});
  }
  llvm::Value* ClassDouble(llvm::Value* x) {
    const auto half = [&](llvm::ArrayRef<int> lanes) {
      return b_.CreateIntrinsic(
          llvm::Intrinsic::x86_avx512_fpclass_pd_512, {},
          {b_.CreateShuffleVector(x, lanes), b_.getInt32(kNotPositiveNormal)});
    };
    llvm::Value* low = half(kLow);
    return b_.CreateShuffleVector(low, half(kHigh), kBoth);
  }
  llvm::Value* ScaleSingle(llvm::Value* p, llvm::Value* n) {
    return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                              {p, n, p, b_.getInt16(0xffff), b_.getInt32(kCurrentRounding)});
  }
  // Sixteen numbers of 64 bits are two registers.
  static constexpr int kLow[] = {0, 1, 2, 3, 4, 5, 6, 7};
  static constexpr int kHigh[] = {8, 9, 10, 11, 12, 13, 14, 15};
  static constexpr int kBoth[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  llvm::Value* ScaleDouble(llvm::Value* p, llvm::Value* n) {
    const auto half = [&](llvm::ArrayRef<int> lanes) {
      llvm::Value* part = b_.CreateShuffleVector(p, lanes);
      return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_pd_512, {},
                                {part, b_.CreateShuffleVector(n, lanes), part, b_.getInt8(0xff),
                                 b_.getInt32(kCurrentRounding)});
    };
    llvm::Value* low = half(kLow);
    return b_.CreateShuffleVector(low, half(kHigh), kBoth);
  }

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  llvm::Type* type_;
  llvm::Type* bits_;
  size_t count_;
};

}  // namespace hologram::codegen
