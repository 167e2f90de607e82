// Fused multiply-add in f64 for processors without it (x86-64-v2, WebAssembly): one function per
// object, called lane by lane. Numbers are taken apart into sign, exponent and a mantissa with its
// top bit at 52; product and addend are added exactly in 128 bits, with everything that is shifted
// out kept as one sticky bit, and rounded once. Right for all inputs, subnormal ones included;
// slow, and only for correctness.
#include "codegen/instructions/fma.h"

#include <array>

#include "codegen/instructions/half.h"
#include "codegen/instructions/wide.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Function;
using llvm::FunctionType;
using llvm::GlobalValue;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

namespace {

constexpr uint64_t kMantissaMask = (uint64_t{1} << 52) - 1;
constexpr const char* kFma64Name = "hologram.fma64";

struct Parts {
  Value* sign;      // i64, 0 or 1
  Value* exponent;  // i64: the number is mantissa * 2^exponent
  Value* mantissa;  // i64 in [2^52, 2^53), or 0
};

class FmaBuilder {
 public:
  FmaBuilder(llvm::IRBuilder<>& b, const Target& target)
      : b_(b), wide_(b.getIntNTy(128)), integers_(b, target) {}

  Value* Sum(const Parts& x, const Parts& y, const Parts& z) {
    // Both with the top bit at 125 (or 126 for the product), so that nothing overflows and a
    // difference of close numbers is exact.
    Value* product = b_.CreateShl(integers_.Product(x.mantissa, y.mantissa), Wide(21));
    Value* product_exponent = b_.CreateSub(b_.CreateAdd(x.exponent, y.exponent), b_.getInt64(21));
    Value* addend = b_.CreateShl(Wide(z.mantissa), Wide(73));
    Value* addend_exponent = b_.CreateSub(z.exponent, b_.getInt64(73));
    Value* sign = b_.CreateXor(x.sign, y.sign);
    // A zero addend must not push the product out.
    addend_exponent = b_.CreateSelect(b_.CreateICmpEQ(z.mantissa, b_.getInt64(0)), product_exponent,
                                      addend_exponent);
    Value* exponent = b_.CreateBinaryIntrinsic(intrinsic::smax, product_exponent, addend_exponent);
    product = ShiftRightSticky(product, b_.CreateSub(exponent, product_exponent), 127);
    addend = ShiftRightSticky(addend, b_.CreateSub(exponent, addend_exponent), 127);
    Value* same = b_.CreateICmpEQ(sign, z.sign);
    Value* below = b_.CreateICmpULT(product, addend);
    Value* difference =
        b_.CreateSelect(below, b_.CreateSub(addend, product), b_.CreateSub(product, addend));
    Value* sum = b_.CreateSelect(same, b_.CreateAdd(product, addend), difference);
    Value* result_sign = b_.CreateSelect(b_.CreateAnd(b_.CreateNot(same), below), z.sign, sign);
    return Round(result_sign, exponent, sum);
  }

  // REQUIRES: `bits` is finite.
  Parts Take(Value* bits) {
    Parts parts{};
    parts.sign = b_.CreateLShr(bits, 63);
    Value* field = b_.CreateAnd(b_.CreateLShr(bits, 52), b_.getInt64(0x7ff));
    Value* fraction = b_.CreateAnd(bits, b_.getInt64(kMantissaMask));
    Value* is_small = b_.CreateICmpEQ(field, b_.getInt64(0));
    Value* mantissa =
        b_.CreateSelect(is_small, fraction, b_.CreateOr(fraction, b_.getInt64(kMantissaMask + 1)));
    Value* zeros = b_.CreateBinaryIntrinsic(intrinsic::ctlz, mantissa, b_.getFalse());
    Value* shift = b_.CreateBinaryIntrinsic(intrinsic::umin, b_.CreateSub(zeros, b_.getInt64(11)),
                                            b_.getInt64(53));
    parts.mantissa = b_.CreateShl(mantissa, shift);
    Value* biased = b_.CreateSelect(is_small, b_.getInt64(1), field);
    parts.exponent = b_.CreateSub(b_.CreateSub(biased, b_.getInt64(1075)), shift);
    return parts;
  }

 private:
  Value* Wide(uint64_t v) { return ConstantInt::get(wide_, v); }
  Value* Wide(Value* v) { return b_.CreateZExt(v, wide_); }

  // v >> count, with the lowest bit set if a bit was lost.
  Value* ShiftRightSticky(Value* v, Value* count, uint64_t limit) {
    Type* type = v->getType();
    Value* by = b_.CreateBinaryIntrinsic(intrinsic::umin, count, b_.getInt64(limit));
    by = b_.CreateZExtOrTrunc(by, type);
    const bool wide = type == wide_;
    Value* shifted = wide ? integers_.LShr(v, by) : b_.CreateLShr(v, by);
    Value* back = wide ? integers_.Shl(shifted, by) : b_.CreateShl(shifted, by);
    Value* lost = b_.CreateICmpNE(back, v);
    return b_.CreateOr(shifted, b_.CreateZExt(lost, type));
  }

  // sum * 2^exponent, rounded to nearest even. A zero sum is +0 (its parts have opposite signs).
  Value* Round(Value* sign, Value* exponent, Value* sum) {
    Value* zeros128 = b_.CreateBinaryIntrinsic(intrinsic::ctlz, sum, b_.getFalse());
    Value* shift = b_.CreateBinaryIntrinsic(intrinsic::umin, zeros128, Wide(127));
    Value* normal = integers_.Shl(sum, shift);
    Value* top = b_.CreateTrunc(b_.CreateLShr(normal, Wide(64)), b_.getInt64Ty());
    Value* low = b_.CreateTrunc(normal, b_.getInt64Ty());
    top = b_.CreateOr(top, b_.CreateZExt(b_.CreateICmpNE(low, b_.getInt64(0)), b_.getInt64Ty()));
    Value* scale = b_.CreateAdd(b_.CreateSub(exponent, b_.CreateTrunc(shift, b_.getInt64Ty())),
                                b_.getInt64(127));
    // `scale` is the exponent of the top bit; below -1022 the result is subnormal.
    Value* lowest = ConstantInt::getSigned(b_.getInt64Ty(), -1022);
    Value* clamped = b_.CreateBinaryIntrinsic(intrinsic::smax, scale, lowest);
    top = ShiftRightSticky(top, b_.CreateSub(clamped, scale), 63);
    Value* mantissa = b_.CreateLShr(top, 11);
    Value* rest = b_.CreateAnd(top, b_.getInt64(0x7ff));
    Value* odd = b_.CreateAnd(mantissa, b_.getInt64(1));
    Value* up = b_.CreateICmpUGT(b_.CreateAdd(rest, odd), b_.getInt64(0x400));
    Value* field = b_.CreateShl(b_.CreateAdd(clamped, b_.getInt64(1022)), 52);
    Value* bits = b_.CreateAdd(b_.CreateAdd(field, mantissa), b_.CreateZExt(up, b_.getInt64Ty()));
    Value* infinity = b_.getInt64(uint64_t{0x7ff} << 52);
    bits = b_.CreateSelect(b_.CreateICmpSGT(scale, b_.getInt64(1023)), infinity, bits);
    bits = b_.CreateOr(bits, b_.CreateShl(sign, 63));
    return b_.CreateSelect(b_.CreateICmpEQ(sum, ConstantInt::get(wide_, 0)), b_.getInt64(0), bits);
  }

  using Type = llvm::Type;
  llvm::IRBuilder<>& b_;
  Type* wide_;
  WideIntegers integers_;
};

Function* MakeFma64(const Kernel& kernel) {
  llvm::Module& module = kernel.module;
  llvm::LLVMContext& context = module.getContext();
  if (Function* made = module.getFunction(kFma64Name)) return made;
  llvm::Type* f64 = llvm::Type::getDoubleTy(context);
  Function* function = Function::Create(FunctionType::get(f64, {f64, f64, f64}, false),
                                        GlobalValue::InternalLinkage, kFma64Name, module);
  SetCpuAttributes(kernel, function);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setDoesNotAccessMemory();
  llvm::IRBuilder<> b(BasicBlock::Create(context, "entry", function));
  FmaBuilder build(b, kernel.target);
  std::array<Value*, 3> bits{};
  Value* special = b.getFalse();
  Value* infinity = b.getInt64(uint64_t{0x7ff} << 52);
  for (unsigned i = 0; i < 3; ++i) {
    bits[i] = b.CreateBitCast(function->getArg(i), b.getInt64Ty());
    special = b.CreateOr(special, b.CreateICmpEQ(b.CreateAnd(bits[i], infinity), infinity));
    // A product with a zero factor is exact, and its zero keeps the rules of signs.
    if (i < 2)
      special = b.CreateOr(special, b.CreateICmpEQ(b.CreateShl(bits[i], 1), b.getInt64(0)));
  }
  BasicBlock* plain = BasicBlock::Create(context, "plain", function);
  BasicBlock* exact = BasicBlock::Create(context, "exact", function);
  b.CreateCondBr(special, plain, exact);
  b.SetInsertPoint(plain);
  b.CreateRet(
      b.CreateFAdd(b.CreateFMul(function->getArg(0), function->getArg(1)), function->getArg(2)));
  b.SetInsertPoint(exact);
  const Parts x = build.Take(bits[0]);
  const Parts y = build.Take(bits[1]);
  const Parts z = build.Take(bits[2]);
  b.CreateRet(b.CreateBitCast(build.Sum(x, y, z), f64));
  return function;
}

Value* SoftwareFma64(FunctionState& f, Value* a, Value* b, Value* c) {
  llvm::IRBuilder<>& ir = f.builder();
  Function* fma = MakeFma64(f.kernel());
  if (!a->getType()->isVectorTy()) return ir.CreateCall(fma, {a, b, c});
  Value* result = llvm::PoisonValue::get(a->getType());
  for (uint64_t i = 0; i < f.target().width; ++i) {
    Value* lane = ir.CreateCall(fma, {ir.CreateExtractElement(a, i), ir.CreateExtractElement(b, i),
                                      ir.CreateExtractElement(c, i)});
    result = ir.CreateInsertElement(result, lane, i);
  }
  return result;
}

// The instruction takes vectors of 128 bits. The host has seen that it rounds once.
Value* RelaxedMadd(llvm::IRBuilder<>& b, Value* x, Value* y, Value* z) {
  llvm::Type* element = x->getType()->getScalarType();
  const unsigned width = element->isFloatTy() ? 4 : 2;
  llvm::Type* part = llvm::FixedVectorType::get(element, width);
  const auto madd = [&](Value* p, Value* q, Value* r) -> Value* {
    return b.CreateIntrinsic(part, intrinsic::wasm_relaxed_madd, {p, q, r});
  };
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (vector == nullptr) {
    const auto only = [&](Value* v) {
      return b.CreateInsertElement(llvm::Constant::getNullValue(part), v, uint64_t{0});
    };
    return b.CreateExtractElement(madd(only(x), only(y), only(z)), uint64_t{0});
  }
  if (vector->getNumElements() == width) return madd(x, y, z);
  // Two of them.
  const auto half = [&](Value* v, int first) {
    return b.CreateShuffleVector(v, llvm::ArrayRef<int>{first, first + 1});
  };
  Value* low = madd(half(x, 0), half(y, 0), half(z, 0));
  Value* high = madd(half(x, 2), half(y, 2), half(z, 2));
  return b.CreateShuffleVector(low, high, {0, 1, 2, 3});
}

}  // namespace

Value* FusedMultiplyAdd(FunctionState& f, Value* a, Value* b, Value* c) {
  llvm::IRBuilder<>& ir = f.builder();
  if (f.target().relaxed_madd) return RelaxedMadd(ir, a, b, c);
  if (f.target().fused) return ir.CreateIntrinsic(a->getType(), intrinsic::fma, {a, b, c});
  if (!a->getType()->getScalarType()->isFloatTy()) return SoftwareFma64(f, a, b, c);
  return ir.CreateFPTrunc(FusedToOdd(f, a, b, c), a->getType());
}

}  // namespace hologram::codegen
