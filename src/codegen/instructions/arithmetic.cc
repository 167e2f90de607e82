// Arithmetic on values: ADD SUB MUL DIV MAD FMA MIN MAX ABS NEG SQRT FLOOR CEIL TRUNC ROUND. f16
// and bf16 are computed in f32 and rounded once.
#include <limits>

#include "codegen/emit/idioms.h"
#include "codegen/instructions/fma.h"
#include "codegen/instructions/half.h"
#include "codegen/instructions/lanewise.h"
#include "codegen/quiet_nans.h"

namespace hologram::codegen {

using isa::BlockOp;
using isa::Instruction;
using llvm::ConstantFP;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

namespace {

// A constant c for which x > c ? x : c is the maximum, or x < c ? x : c the minimum, of all x: NaN
// gives c, and so does the other zero.
bool WinsTies(const llvm::Value* v, bool max) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(v);
  if (constant == nullptr) return false;
  const llvm::Constant* one =
      constant->getType()->isVectorTy() ? constant->getSplatValue() : constant;
  const auto* number = llvm::dyn_cast_or_null<ConstantFP>(one);
  return number != nullptr && !number->isNaN() &&
         !(number->isZero() && number->isNegative() == max);
}

// VRANGE takes the number where one side is a quiet NaN and -0 as less than +0, which is the
// definition; of a signalling NaN it makes a quiet one, so the operands are made quiet first. The
// pipeline takes that away where it changes nothing.
Value* MinMaxByRange(llvm::IRBuilderBase& ir, Value* a, Value* b, bool max) {
  return CreateRange(ir, Quieted(ir, a), Quieted(ir, b), max ? RangeOf::kMax : RangeOf::kMin);
}

// `better`: the least or the largest of numbers that differ.
Value* Exact(FunctionState& f, Value* a, Value* b, Value* better, bool max) {
  llvm::IRBuilder<>& ir = f.builder();
  Type* bits = BitsType(a->getType());
  Value* ai = ir.CreateBitCast(a, bits);
  Value* bi = ir.CreateBitCast(b, bits);
  Value* merged = ir.CreateBitCast(max ? ir.CreateAnd(ai, bi) : ir.CreateOr(ai, bi), a->getType());
  Value* exact = ir.CreateSelect(ir.CreateFCmpOEQ(a, b), merged, better);
  Value* number = ir.CreateSelect(ir.CreateFCmpUNO(b, b), a, exact);
  if (f.target().chooses_by_comparison || !llvm::isa<llvm::Constant>(b)) return number;
  return ir.CreateSelect(ir.CreateFCmpUNO(a, a), b, number);  // see MinMax
}

}  // namespace

// A number beats NaN and -0 < +0, which no target's instruction gives for all inputs. Equal numbers
// differ at most in the sign of zero, so their bits are combined.
Value* MinMax(FunctionState& f, Value* a, Value* b, bool max) {
  llvm::IRBuilder<>& ir = f.builder();
  if (WinsTies(a, max) || WinsTies(b, max)) {
    if (!WinsTies(b, max)) std::swap(a, b);
    Value* chosen = ir.CreateSelect(max ? ir.CreateFCmpOGT(a, b) : ir.CreateFCmpOLT(a, b), a, b);
    // LLVM makes one instruction of it; that of AArch64 lets a signalling NaN through.
    if (f.target().chooses_by_comparison) return chosen;
    return ir.CreateSelect(ir.CreateFCmpUNO(a, a), b, chosen);
  }
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
  if (f.target().avx512 && vector != nullptr && vector->getNumElements() == 16) {
    return MinMaxByRange(ir, a, b, max);
  }
  Value* better = ir.CreateSelect(max ? ir.CreateFCmpOGT(a, b) : ir.CreateFCmpOLT(a, b), a, b);
  if (vector != nullptr || f.target().lane_per_thread) return Exact(f, a, b, better, max);
  // Two numbers are seldom alike, and a comparison with a branch costs a fifth of the rest.
  llvm::BasicBlock* usual = ir.GetInsertBlock();
  llvm::BasicBlock* alike = f.NewBlock("alike");
  llvm::BasicBlock* join = f.NewBlock("extreme");
  f.BranchUnlikely(ir.CreateFCmpUEQ(a, b), alike, join);
  ir.SetInsertPoint(alike);
  Value* exact = Exact(f, a, b, better, max);
  ir.CreateBr(join);
  ir.SetInsertPoint(join);
  llvm::PHINode* result = ir.CreatePHI(a->getType(), 2);
  result->addIncoming(better, usual);
  result->addIncoming(exact, alike);
  return result;
}

namespace lanewise {
namespace {

// operation(operands) in f32 or f64.
template <class Operation>
Value* InFloats(FunctionState& f, const Instruction& in, Sources s, Operation operation) {
  if (!isa::IsHalf(in.type)) return operation(s);
  for (Value** v : {&s.a, &s.b, &s.c}) {
    if (*v != nullptr) *v = Widen(f, in.type, *v);
  }
  return Narrow(f, in.type, operation(s));
}

Value* Unary(FunctionState& f, const Instruction& in, const Sources& s, intrinsic::ID id) {
  return InFloats(f, in, s,
                  [&](const Sources& v) { return f.builder().CreateUnaryIntrinsic(id, v.a); });
}

// Of one sign of integers, or floats.
Value* Extreme(FunctionState& f, const Instruction& in, const Sources& s, bool max) {
  if (isa::IsFloat(in.type)) {
    return InFloats(f, in, s, [&](const Sources& v) { return MinMax(f, v.a, v.b, max); });
  }
  const bool is_signed = isa::IsSignedInteger(in.type);
  const intrinsic::ID signed_id = max ? intrinsic::smax : intrinsic::smin;
  const intrinsic::ID unsigned_id = max ? intrinsic::umax : intrinsic::umin;
  return f.builder().CreateBinaryIntrinsic(is_signed ? signed_id : unsigned_id, s.a, s.b);
}

}  // namespace

Value* Add(FunctionState& f, const Instruction& in, const Sources& s) {
  llvm::IRBuilder<>& ir = f.builder();
  if (!isa::IsFloat(in.type)) return ir.CreateAdd(s.a, s.b);
  return InFloats(f, in, s, [&](const Sources& v) { return ir.CreateFAdd(v.a, v.b); });
}

Value* Sub(FunctionState& f, const Instruction& in, const Sources& s) {
  llvm::IRBuilder<>& ir = f.builder();
  if (!isa::IsFloat(in.type)) return ir.CreateSub(s.a, s.b);
  return InFloats(f, in, s, [&](const Sources& v) { return ir.CreateFSub(v.a, v.b); });
}

Value* Mul(FunctionState& f, const Instruction& in, const Sources& s) {
  llvm::IRBuilder<>& ir = f.builder();
  if (!isa::IsFloat(in.type)) return ir.CreateMul(s.a, s.b);
  return InFloats(f, in, s, [&](const Sources& v) { return ir.CreateFMul(v.a, v.b); });
}

Value* Div(FunctionState& f, const Instruction& in, const Sources& s) {
  return InFloats(f, in, s, [&](const Sources& v) { return f.builder().CreateFDiv(v.a, v.b); });
}

Value* Mad(FunctionState& f, const Instruction& in, const Sources& s) {
  llvm::IRBuilder<>& ir = f.builder();
  if (!isa::IsFloat(in.type)) return ir.CreateAdd(ir.CreateMul(s.a, s.b), s.c);
  return InFloats(f, in, s, [&](const Sources& v) {
    Value* product = ir.CreateFMul(v.a, v.b);
    if (isa::IsHalf(in.type)) product = Widen(f, in.type, Narrow(f, in.type, product));
    return ir.CreateFAdd(product, v.c);
  });
}

Value* Fma(FunctionState& f, const Instruction& in, const Sources& s) {
  return InFloats(f, in, s, [&](const Sources& v) {
    if (!isa::IsHalf(in.type)) return FusedMultiplyAdd(f, v.a, v.b, v.c);
    return RoundToOdd(f, FusedToOdd(f, v.a, v.b, v.c));
  });
}

Value* Min(FunctionState& f, const Instruction& in, const Sources& s) {
  return Extreme(f, in, s, false);
}

Value* Max(FunctionState& f, const Instruction& in, const Sources& s) {
  return Extreme(f, in, s, true);
}

Value* Abs(FunctionState& f, const Instruction& in, const Sources& s) {
  llvm::IRBuilder<>& ir = f.builder();
  if (isa::IsHalf(in.type)) return ir.CreateAnd(s.a, ConstantInt::get(s.a->getType(), 0x7fff));
  if (isa::IsFloat(in.type)) return ir.CreateUnaryIntrinsic(intrinsic::fabs, s.a);
  return ir.CreateBinaryIntrinsic(intrinsic::abs, s.a, ir.getFalse());
}

Value* Neg(FunctionState& f, const Instruction& in, const Sources& s) {
  llvm::IRBuilder<>& ir = f.builder();
  if (isa::IsHalf(in.type)) return ir.CreateXor(s.a, ConstantInt::get(s.a->getType(), 0x8000));
  return isa::IsFloat(in.type) ? ir.CreateFNeg(s.a) : ir.CreateNeg(s.a);
}

Value* Sqrt(FunctionState& f, const Instruction& in, const Sources& s) {
  return Unary(f, in, s, intrinsic::sqrt);
}

Value* Floor(FunctionState& f, const Instruction& in, const Sources& s) {
  return Unary(f, in, s, intrinsic::floor);
}

Value* Ceil(FunctionState& f, const Instruction& in, const Sources& s) {
  return Unary(f, in, s, intrinsic::ceil);
}

Value* Trunc(FunctionState& f, const Instruction& in, const Sources& s) {
  return Unary(f, in, s, intrinsic::trunc);
}

Value* Round(FunctionState& f, const Instruction& in, const Sources& s) {
  return Unary(f, in, s, intrinsic::roundeven);
}

}  // namespace lanewise

LaneOperation StepOf(BlockOp op) {
  constexpr LaneOperation kSteps[isa::kNumBlockOps] = {lanewise::Add, lanewise::Min, lanewise::Max,
                                                       lanewise::Mul, lanewise::And, lanewise::Or,
                                                       lanewise::Xor};
  return kSteps[static_cast<size_t>(op)];
}

// What a lane that is not there counts as.
llvm::Constant* PaddingOf(llvm::IRBuilderBase& b, const Instruction& in) {
  Type* type = ScalarType(b, in.type);
  const unsigned bits = isa::BitsOf(in.type);
  const bool is_signed = isa::IsSignedInteger(in.type);
  switch (in.block_op()) {
    case BlockOp::kAdd:
      if (isa::IsFloat(in.type)) return FloatConstant(b, in.type, -0.0);
      break;
    case BlockOp::kMin:
    case BlockOp::kMax:
      if (isa::IsFloat(in.type)) {
        return FloatConstant(b, in.type, std::numeric_limits<double>::quiet_NaN());
      }
      if (in.block_op() == BlockOp::kMin) {
        return ConstantInt::get(type, is_signed ? llvm::APInt::getSignedMaxValue(bits)
                                                : llvm::APInt::getMaxValue(bits));
      }
      return ConstantInt::get(
          type, is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits));
    case BlockOp::kMul:
      return isa::IsFloat(in.type) ? FloatConstant(b, in.type, 1) : ConstantInt::get(type, 1);
    case BlockOp::kAnd:
      return llvm::Constant::getAllOnesValue(type);
    case BlockOp::kOr:
    case BlockOp::kXor:
      break;
  }
  return llvm::Constant::getNullValue(type);
}

}  // namespace hologram::codegen
