#include "codegen/instructions/shared_divisor.h"

#include <algorithm>

namespace hologram::codegen {

using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

namespace {

constexpr uint64_t kLow = 0xffffffff;

Value* HighOf(llvm::IRBuilder<>& b, Value* a, Value* c, Value* plus = nullptr) {
  Type* wide = b.getInt128Ty();
  Value* product = b.CreateMul(b.CreateZExt(a, wide), b.CreateZExt(c, wide));
  if (plus != nullptr) product = b.CreateAdd(product, b.CreateZExt(plus, wide));
  return b.CreateTrunc(b.CreateLShr(product, 64), b.getInt64Ty());
}

// floor((2^128 - 1) / d) - 2^64, of a number whose highest bit is set: algorithm 2 of Möller and
// Granlund, "Improved division by invariant integers", 2011. Its table is the quotient that it was
// made from, exact in f64.
Value* ReciprocalWord(llvm::IRBuilder<>& b, Value* d) {
  const auto word = [&](uint64_t value) { return b.getInt64(value); };
  Type* real = b.getDoubleTy();
  Value* top = b.CreateUIToFP(b.CreateLShr(d, 55), real);
  constexpr double kNumerator = (1 << 19) - 3 * (1 << 8);
  Value* v0 =
      b.CreateFPToUI(b.CreateFDiv(llvm::ConstantFP::get(real, kNumerator), top), b.getInt64Ty());
  Value* d0 = b.CreateAnd(d, 1);
  Value* d40 = b.CreateAdd(b.CreateLShr(d, 24), word(1));
  Value* d63 = b.CreateAdd(b.CreateLShr(d, 1), d0);
  Value* square = b.CreateMul(b.CreateMul(v0, v0), d40);
  Value* v1 = b.CreateSub(b.CreateSub(b.CreateShl(v0, 11), b.CreateLShr(square, 40)), word(1));
  Value* error = b.CreateSub(word(uint64_t{1} << 60), b.CreateMul(v1, d40));
  Value* v2 = b.CreateAdd(b.CreateShl(v1, 13), b.CreateLShr(b.CreateMul(v1, error), 47));
  Value* e = b.CreateSub(b.CreateMul(b.CreateLShr(v2, 1), d0), b.CreateMul(v2, d63));
  Value* v3 = b.CreateAdd(b.CreateShl(v2, 31), b.CreateLShr(HighOf(b, v2, e), 1));
  return b.CreateSub(v3, b.CreateAdd(HighOf(b, v3, d, d), d));
}

}  // namespace

// With l = ceil(log2 d), the multiplier is floor(2^bits (2^l - d) / d) + 1 for all numbers without
// sign, and floor(2^(bits + l - 1) / d) + 1 for those up to 2^(bits - 1), where a power of two
// needs no 1. The reciprocal has both, but for powers of two.
SharedDivisor::SharedDivisor(FunctionState& f, Value* divisor, bool is_signed)
    : f_(f), b_(f.builder()), is_signed_(is_signed) {
  bits_ = std::max(32U, divisor->getType()->getIntegerBitWidth());
  divisor_ = b_.CreateIntCast(divisor, b_.getIntNTy(bits_), is_signed);
  Value* size = divisor_;
  if (is_signed) size = b_.CreateBinaryIntrinsic(intrinsic::abs, size, b_.getFalse());
  Value* d = b_.CreateZExt(size, b_.getInt64Ty());
  Value* less = b_.CreateSub(d, Word(1));
  Value* is_power = b_.CreateICmpEQ(b_.CreateAnd(d, less), Word(0));
  Value* zeros = b_.CreateBinaryIntrinsic(intrinsic::ctlz, d, b_.getFalse());
  Value* reciprocal = ReciprocalWord(b_, b_.CreateShl(d, zeros));
  if (bits_ == 32) reciprocal = b_.CreateLShr(reciprocal, 32);
  Value* rest = b_.CreateBinaryIntrinsic(intrinsic::ctlz, less, b_.getFalse());
  Value* log = b_.CreateSub(Word(64), rest);
  shift_ = b_.CreateSub(b_.CreateBinaryIntrinsic(intrinsic::umax, log, Word(1)), Word(1));
  if (is_signed) {
    const uint64_t half = uint64_t{1} << (bits_ - 1);
    Value* more = b_.CreateAdd(b_.CreateLShr(reciprocal, 1), Word(half + 1));
    multiplier_ = b_.CreateSelect(is_power, Word(half), more);
    is_one_ = b_.CreateICmpEQ(d, Word(1));
    multiplier_ = b_.CreateSelect(is_one_, Word(0), multiplier_);
    first_shift_ = nullptr;
  } else {
    multiplier_ = b_.CreateSelect(is_power, Word(1), b_.CreateAdd(reciprocal, Word(1)));
    first_shift_ = b_.CreateBinaryIntrinsic(intrinsic::umin, log, Word(1));
  }
}

Value* SharedDivisor::Lanes(Value* word) {
  return f_.Splat(b_.CreateTrunc(word, b_.getIntNTy(bits_)));
}

Value* SharedDivisor::Quotient(Value* dividends) {
  Value* wide = b_.CreateIntCast(dividends, f_.VectorOf(b_.getIntNTy(bits_)), is_signed_);
  Value* quotient = is_signed_ ? OfSigned(wide) : OfUnsigned(wide);
  return b_.CreateTrunc(quotient, dividends->getType());
}

Value* SharedDivisor::OfUnsigned(Value* dividends) {
  Value* high = HighProduct(dividends);
  Value* rest = b_.CreateLShr(b_.CreateSub(dividends, high), Lanes(first_shift_));
  return b_.CreateLShr(b_.CreateAdd(high, rest), Lanes(shift_));
}

Value* SharedDivisor::OfSigned(Value* dividends) {
  Value* size = b_.CreateBinaryIntrinsic(intrinsic::abs, dividends, b_.getFalse());
  Value* if_one = b_.CreateSExt(is_one_, b_.getIntNTy(bits_));
  Value* sum = b_.CreateAdd(HighProduct(size), b_.CreateAnd(size, f_.Splat(if_one)));
  Value* quotient = b_.CreateLShr(sum, Lanes(shift_));
  Value* signs = b_.CreateXor(dividends, f_.Splat(divisor_));
  Value* differ = b_.CreateICmpSLT(signs, llvm::Constant::getNullValue(signs->getType()));
  return b_.CreateSelect(differ, b_.CreateNeg(quotient), quotient);
}

Value* SharedDivisor::HighProduct(Value* a) {
  return bits_ == 32 ? HighProductNarrow(a) : HighProductWide(a);
}

// 32 bits of the multiplier in both halves of each 64-bit lane, of which the lower ones are kept:
// in this form LLVM sees beside each multiplication that 32 bits times 32 are wanted, though it
// moves the vector out of the loop.
Value* SharedDivisor::Halves(Value* half) {
  const unsigned lanes = f_.target().width * bits_ / 64;
  Value* both = b_.CreateVectorSplat(2 * lanes, b_.CreateTrunc(half, b_.getInt32Ty()));
  Type* type = llvm::FixedVectorType::get(b_.getInt64Ty(), lanes);
  return b_.CreateAnd(b_.CreateBitCast(both, type), kLow);
}

// Even lanes, then odd ones.
Value* SharedDivisor::HighProductNarrow(Value* a) {
  const unsigned lanes = f_.target().width;
  Value* m = Halves(multiplier_);
  Value* pairs = b_.CreateBitCast(a, m->getType());
  Value* even = b_.CreateMul(b_.CreateAnd(pairs, kLow), m);
  Value* odd = b_.CreateMul(b_.CreateLShr(pairs, 32), m);
  std::vector<int> picks;
  for (unsigned i = 0; i < lanes; ++i)
    picks.push_back(static_cast<int>(i % 2 == 0 ? i + 1 : lanes + i));
  return b_.CreateShuffleVector(b_.CreateBitCast(even, a->getType()),
                                b_.CreateBitCast(odd, a->getType()), picks);
}

Value* SharedDivisor::HighProductWide(Value* a) {
  Value* low_m = Halves(multiplier_);
  Value* high_m = Halves(b_.CreateLShr(multiplier_, 32));
  Value* low = b_.CreateAnd(a, kLow);
  Value* high = b_.CreateLShr(a, 32);
  Value* carry = b_.CreateLShr(b_.CreateMul(low, low_m), 32);
  Value* middle = b_.CreateAdd(b_.CreateMul(high, low_m), carry);
  Value* other = b_.CreateAdd(b_.CreateMul(low, high_m), b_.CreateAnd(middle, kLow));
  Value* top = b_.CreateAdd(b_.CreateMul(high, high_m), b_.CreateLShr(middle, 32));
  return b_.CreateAdd(top, b_.CreateLShr(other, 32));
}

}  // namespace hologram::codegen
