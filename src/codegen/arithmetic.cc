// Instructions that compute. Each is computed in the cheapest form its operands allow: once
// (uniform), as the exact value of lane 0 (affine), or per sub-vector. No fast-math flags anywhere;
// a product is fused only by FMA.
#include <limits>

#include "codegen/lowering.h"
#include "codegen/quiet_once.h"
#include "isa/half.h"
#include "math/functions.h"

namespace hologram::codegen {

using isa::Condition;
using isa::Opcode;
using llvm::CmpInst;
using llvm::ConstantFP;
using llvm::ConstantInt;
using llvm::Intrinsic::ID;
namespace intrinsic = llvm::Intrinsic;

void Lowering::EmitInstruction(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  SetLine(pc);
  if (isa::IsAccess(in.op)) return EmitAccess(pc);
  if (in.op == Opcode::kLoop) return EmitLoop(pc);
  if (in.op == Opcode::kCall) return EmitCall(pc);
  if (in.op == Opcode::kRet) return EmitReturn();
  if (isa::IsJump(in.op) || isa::IsBarrier(in.op)) return;
  if (in.op == Opcode::kMemFence) return EmitFence(in);
  if (isa::IsServed(in.op)) return EmitService(pc, plan_.operands[pc].reads);
  if (isa::UsesStream(in.op)) return EmitPhase(pc);
  if (isa::TakesClass(in.op)) return EmitAtlas(pc);
  if (in.op == Opcode::kTrap) return EmitTrap(pc);
  if (!IsPure(in)) return EmitDivision(pc);
  if (isa::IsReduce(in.op)) return EmitReduce(pc);
  if (EmitAffine(pc)) return;
  EmitPure(pc);
}

bool Lowering::EmitAffine(uint32_t pc) {
  if (plan_.KindOfResult(pc) != Kind::kAffine) return false;
  const isa::Instruction& in = plan_.program().code[pc];
  const auto operand = [&](size_t i) { return Exact(plan_.operands[pc].reads[i]); };
  switch (in.op) {
    case Opcode::kReadSreg:
      WriteAffine(pc, ids_[in.mod]);
      return true;
    case Opcode::kMov:
    case Opcode::kCvt:
      WriteAffine(pc, operand(0));
      return true;
    case Opcode::kAdd:
      WriteAffine(pc, b_.CreateAdd(operand(0), operand(1)));
      return true;
    case Opcode::kSub:
      WriteAffine(pc, b_.CreateSub(operand(0), operand(1)));
      return true;
    case Opcode::kMul:
      WriteAffine(pc, b_.CreateMul(operand(0), operand(1)));
      return true;
    case Opcode::kMad:
      WriteAffine(pc, b_.CreateAdd(b_.CreateMul(operand(0), operand(1)), operand(2)));
      return true;
    case Opcode::kNeg:
      WriteAffine(pc, b_.CreateNeg(operand(0)));
      return true;
    default:
      HOLOGRAM_CHECK(false);
  }
  return false;
}

void Lowering::EmitPure(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const InstructionOperands& operands = plan_.operands[pc];
  const bool scalar = plan_.KindOfResult(pc) == Kind::kUniform;
  if (in.op == Opcode::kReadSreg) return WriteScalar(pc, ReadId(in.sreg()));
  if (in.op == Opcode::kClsGet) return WriteScalar(pc, ClassOfBlock());
  if (in.op == Opcode::kMovImm) {
    Type* type = ScalarType(in.type);
    Value* bits = ConstantInt::get(b_.getIntNTy(isa::BitsOf(in.type)), in.imm);
    return WriteScalar(pc, b_.CreateBitCast(bits, type));
  }
  const bool keeps_bits = plan_.webs[static_cast<size_t>(operands.write)].keeps_bits;
  std::array<Values, 3> sources;
  size_t count = 0;
  const auto add = [&](OperandId id) {
    if (id == kNoOperand) return;
    sources[count] = Operand(id, scalar);
    // These look at bits, so a computed NaN must be canonical before.
    const bool bitwise = in.op == Opcode::kBitcast || (keeps_bits && CopiesBits(in));
    if (bitwise && MaybeNan(id)) {
      for (Value*& value : sources[count]) value = Canonical(value);
    }
    ++count;
  };
  for (OperandId id : operands.predicates) add(id);
  for (OperandId id : operands.reads) add(id);
  Values results;
  if (math::FindFunction(in.op) != nullptr) {
    results = MathFunction(in, sources[0], sources[1]);
  } else {
    for (size_t u = 0; u < sources[0].size(); ++u) {
      results.push_back(Operate(in, sources[0][u], count > 1 ? sources[1][u] : nullptr,
                                count > 2 ? sources[2][u] : nullptr));
    }
  }
  if (keeps_bits && ComputesNan(in)) {
    for (Value*& value : results) value = Canonical(value);
  }
  NoteAgreement(pc);
  if (scalar) return WriteScalar(pc, results[0]);
  Write(pc, std::move(results));
}

// Step by step from the first register, as the instruction that combines two.
void Lowering::EmitReduce(uint32_t pc) {
  isa::Instruction step = plan_.program().code[pc];
  constexpr Opcode kSteps[] = {Opcode::kAdd, Opcode::kMin, Opcode::kMax, Opcode::kMul};
  step.op = kSteps[static_cast<size_t>(step.op) - static_cast<size_t>(Opcode::kReduceAdd)];
  const auto run = plan_.runs.find(pc);
  if (run == plan_.runs.end()) return WriteScalar(pc, ReduceIdentity(step.op, step.type));
  const bool scalar = plan_.KindOfResult(pc) == Kind::kUniform;
  Values folded = Operand(run->second[0], scalar);
  for (size_t k = 1; k < run->second.size(); ++k) {
    const Values more = Operand(run->second[k], scalar);
    for (size_t u = 0; u < folded.size(); ++u) {
      folded[u] = Operate(step, folded[u], more[u], nullptr);
    }
  }
  if (isa::IsHalf(step.type) && run->second.size() == 1) {
    step.op = Opcode::kMin;  // of one and the same: a NaN becomes canonical
    for (Value*& value : folded) value = Operate(step, value, value, nullptr);
  }
  if (isa::IsFloat(step.type) && !isa::IsHalf(step.type) &&
      plan_.webs[static_cast<size_t>(plan_.operands[pc].write)].keeps_bits) {
    for (Value*& value : folded) value = Canonical(value);
  }
  if (scalar) return WriteScalar(pc, folded[0]);
  Write(pc, std::move(folded));
}

// What ADD, MIN, MAX and MUL of nothing give.
llvm::Constant* Lowering::ReduceIdentity(Opcode op, isa::Type type) {
  if (isa::IsFloat(type)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (op == Opcode::kMul) return FloatConstant(type, 1);
    if (op == Opcode::kMin) return FloatConstant(type, kInfinity);
    return FloatConstant(type, op == Opcode::kMax ? -kInfinity : 0);
  }
  Type* scalar = ScalarType(type);
  const unsigned bits = isa::BitsOf(type);
  const bool is_signed = isa::IsSignedInteger(type);
  switch (op) {
    case Opcode::kMul:
      return ConstantInt::get(scalar, 1);
    case Opcode::kMin:
      return ConstantInt::get(scalar, is_signed ? llvm::APInt::getSignedMaxValue(bits)
                                                : llvm::APInt::getMaxValue(bits));
    case Opcode::kMax:
      return ConstantInt::get(scalar, is_signed ? llvm::APInt::getSignedMinValue(bits)
                                                : llvm::APInt::getMinValue(bits));
    default:
      return llvm::Constant::getNullValue(scalar);
  }
}

// As a web of the type holds it: 16-bit floats are bits.
llvm::Constant* Lowering::FloatConstant(isa::Type type, double value) {
  if (!isa::IsHalf(type)) return ConstantFP::get(ScalarType(type), value);
  const auto narrow = static_cast<float>(value);
  return b_.getInt16(type == isa::Type::kF16 ? isa::Narrow<isa::F16>(narrow).bits
                                             : isa::Narrow<isa::BF16>(narrow).bits);
}

llvm::Value* Lowering::Operate(const isa::Instruction& in, Value* a, Value* b, Value* c) {
  switch (in.op) {
    case Opcode::kMov:
      return a;
    case Opcode::kCvt:
      return Convert(in, a);
    case Opcode::kBitcast: {
      Type* type = ScalarType(in.type);
      return b_.CreateBitCast(a, a->getType()->isVectorTy() ? VectorOf(type) : type);
    }
    case Opcode::kSet:
      return Compare(in, a, b);
    case Opcode::kSel:
      return b_.CreateSelect(a, b, c);
    case Opcode::kPand:
      return b_.CreateAnd(a, b);
    case Opcode::kPor:
      return b_.CreateOr(a, b);
    case Opcode::kPxor:
      return b_.CreateXor(a, b);
    case Opcode::kPnot:
      return b_.CreateNot(a);
    default:
      if (isa::IsHalf(in.type)) return HalfOperation(in, a, b, c);
      return isa::IsFloat(in.type) ? FloatOperation(in, a, b, c) : IntegerOperation(in, a, b, c);
  }
}

llvm::Value* Lowering::Unary(ID id, Value* a) {
  return b_.CreateUnaryIntrinsic(id, a);
}

llvm::Value* Lowering::FloatOperation(const isa::Instruction& in, Value* a, Value* b, Value* c) {
  switch (in.op) {
    case Opcode::kAdd:
      return b_.CreateFAdd(a, b);
    case Opcode::kSub:
      return b_.CreateFSub(a, b);
    case Opcode::kMul:
      return b_.CreateFMul(a, b);
    case Opcode::kDiv:
      return b_.CreateFDiv(a, b);
    case Opcode::kMad:
      return b_.CreateFAdd(b_.CreateFMul(a, b), c);
    case Opcode::kFma:
      return FusedMultiplyAdd(a, b, c);
    case Opcode::kMin:
      return MinMax(a, b, false);
    case Opcode::kMax:
      return MinMax(a, b, true);
    case Opcode::kAbs:
      return Unary(intrinsic::fabs, a);
    case Opcode::kNeg:
      return b_.CreateFNeg(a);
    case Opcode::kSqrt:
      return Unary(intrinsic::sqrt, a);
    case Opcode::kFloor:
      return Unary(intrinsic::floor, a);
    case Opcode::kCeil:
      return Unary(intrinsic::ceil, a);
    case Opcode::kTrunc:
      return Unary(intrinsic::trunc, a);
    case Opcode::kRound:
      return Unary(intrinsic::roundeven, a);
    default:
      break;
  }
  Fail(std::string(isa::InfoOf(in.op).mnemonic) + " has no native code for floats");
  return a;
}

llvm::Value* Lowering::IntegerOperation(const isa::Instruction& in, Value* a, Value* b, Value* c) {
  const bool is_signed = isa::IsSignedInteger(in.type);
  const auto count = [&] {
    Value* amount = b_.CreateZExtOrTrunc(b, a->getType());
    return b_.CreateAnd(amount, ConstantInt::get(a->getType(), isa::BitsOf(in.type) - 1));
  };
  switch (in.op) {
    case Opcode::kAdd:
      return b_.CreateAdd(a, b);
    case Opcode::kSub:
      return b_.CreateSub(a, b);
    case Opcode::kMul:
      return b_.CreateMul(a, b);
    case Opcode::kMad:
      return b_.CreateAdd(b_.CreateMul(a, b), c);
    case Opcode::kMin:
      return b_.CreateBinaryIntrinsic(is_signed ? intrinsic::smin : intrinsic::umin, a, b);
    case Opcode::kMax:
      return b_.CreateBinaryIntrinsic(is_signed ? intrinsic::smax : intrinsic::umax, a, b);
    case Opcode::kAbs:
      return b_.CreateBinaryIntrinsic(intrinsic::abs, a, b_.getFalse());
    case Opcode::kNeg:
      return b_.CreateNeg(a);
    case Opcode::kAnd:
      return b_.CreateAnd(a, b);
    case Opcode::kOr:
      return b_.CreateOr(a, b);
    case Opcode::kXor:
      return b_.CreateXor(a, b);
    case Opcode::kNot:
      return b_.CreateNot(a);
    case Opcode::kPopc:
      return Unary(intrinsic::ctpop, a);
    case Opcode::kShl:
      return b_.CreateShl(a, count());
    case Opcode::kShr:
      return is_signed ? b_.CreateAShr(a, count()) : b_.CreateLShr(a, count());
    default:
      break;
  }
  Fail(std::string(isa::InfoOf(in.op).mnemonic) + " has no native code for integers");
  return a;
}

llvm::Type* Lowering::BitsType(Type* type) {
  Type* element = b_.getIntNTy(type->getScalarSizeInBits());
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr) return element;
  return llvm::FixedVectorType::get(element, vector->getNumElements());
}

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

}  // namespace

// A number beats NaN and -0 < +0, which no target's instruction gives for all inputs. Equal numbers
// differ at most in the sign of zero, so their bits are combined.
llvm::Value* Lowering::MinMax(Value* a, Value* b, bool max) {
  if (WinsTies(a, max) || WinsTies(b, max)) {
    if (!WinsTies(b, max)) std::swap(a, b);
    Value* chosen = b_.CreateSelect(max ? b_.CreateFCmpOGT(a, b) : b_.CreateFCmpOLT(a, b), a, b);
    // LLVM makes one instruction of it; that of AArch64 lets a signalling NaN through.
    if (target_.chooses_by_comparison) return chosen;
    return b_.CreateSelect(b_.CreateFCmpUNO(a, a), b, chosen);
  }
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
  if (target_.avx512 && vector != nullptr && vector->getNumElements() == 16) {
    return MinMaxByRange(a, b, max);
  }
  Type* bits = BitsType(a->getType());
  Value* ai = b_.CreateBitCast(a, bits);
  Value* bi = b_.CreateBitCast(b, bits);
  Value* better = b_.CreateSelect(max ? b_.CreateFCmpOGT(a, b) : b_.CreateFCmpOLT(a, b), a, b);
  Value* merged = b_.CreateBitCast(max ? b_.CreateAnd(ai, bi) : b_.CreateOr(ai, bi), a->getType());
  Value* exact = b_.CreateSelect(b_.CreateFCmpOEQ(a, b), merged, better);
  Value* number = b_.CreateSelect(b_.CreateFCmpUNO(b, b), a, exact);
  if (target_.chooses_by_comparison || !llvm::isa<llvm::Constant>(b)) return number;
  return b_.CreateSelect(b_.CreateFCmpUNO(a, a), b, number);  // see above
}

// VRANGE takes the number where one side is a quiet NaN and -0 as less than +0, which is the
// definition; of a signalling NaN it makes a quiet one, so the operands are made quiet first. The
// pipeline takes that away where it changes nothing.
llvm::Value* Lowering::MinMaxByRange(Value* a, Value* b, bool max) {
  return CreateRange(b_, Quieted(b_, a), Quieted(b_, b), max ? RangeOf::kMax : RangeOf::kMin);
}

llvm::Value* Lowering::Compare(const isa::Instruction& in, Value* a, Value* b) {
  constexpr CmpInst::Predicate kFloat[] = {CmpInst::FCMP_OEQ, CmpInst::FCMP_UNE, CmpInst::FCMP_OLT,
                                           CmpInst::FCMP_OLE, CmpInst::FCMP_OGT, CmpInst::FCMP_OGE};
  constexpr CmpInst::Predicate kSigned[] = {CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,
                                            CmpInst::ICMP_SLT, CmpInst::ICMP_SLE,
                                            CmpInst::ICMP_SGT, CmpInst::ICMP_SGE};
  constexpr CmpInst::Predicate kUnsigned[] = {CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,
                                              CmpInst::ICMP_ULT, CmpInst::ICMP_ULE,
                                              CmpInst::ICMP_UGT, CmpInst::ICMP_UGE};
  if (isa::IsHalf(in.type)) {
    return b_.CreateFCmp(kFloat[in.mod], Widen(in.type, a), Widen(in.type, b));
  }
  if (isa::IsFloat(in.type)) return b_.CreateFCmp(kFloat[in.mod], a, b);
  return b_.CreateICmp(isa::IsSignedInteger(in.type) ? kSigned[in.mod] : kUnsigned[in.mod], a, b);
}

llvm::Value* Lowering::Canonical(Value* value) {
  Type* element = value->getType()->getScalarType();
  const llvm::APFloat nan = llvm::APFloat::getQNaN(element->getFltSemantics());
  return b_.CreateSelect(b_.CreateFCmpUNO(value, value), ConstantFP::get(value->getType(), nan),
                         value);
}

llvm::Value* Lowering::FusedMultiplyAdd(Value* a, Value* b, Value* c) {
  if (target_.fused) return b_.CreateIntrinsic(a->getType(), intrinsic::fma, {a, b, c});
  if (!a->getType()->getScalarType()->isFloatTy()) return SoftwareFma64(a, b, c);
  return b_.CreateFPTrunc(FusedToOdd(a, b, c), a->getType());
}

}  // namespace hologram::codegen
