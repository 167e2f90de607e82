// Logic on values: AND OR XOR NOT POPC SHL SHR SET SEL and the operations on predicates; MOV.
#include "codegen/instructions/half.h"
#include "codegen/instructions/lanewise.h"

namespace hologram::codegen::lanewise {

using isa::Instruction;
using llvm::CmpInst;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

namespace {

// The shift amount is taken modulo the number of bits.
Value* Amount(FunctionState& f, const Instruction& in, const Sources& s) {
  llvm::Type* type = s.a->getType();
  Value* amount = f.builder().CreateZExtOrTrunc(s.b, type);
  return f.builder().CreateAnd(amount, llvm::ConstantInt::get(type, isa::BitsOf(in.type) - 1));
}

}  // namespace

Value* Mov(FunctionState& /*f*/, const Instruction& /*in*/, const Sources& s) {
  return s.a;
}

Value* And(FunctionState& f, const Instruction& /*in*/, const Sources& s) {
  return f.builder().CreateAnd(s.a, s.b);
}

Value* Or(FunctionState& f, const Instruction& /*in*/, const Sources& s) {
  return f.builder().CreateOr(s.a, s.b);
}

Value* Xor(FunctionState& f, const Instruction& /*in*/, const Sources& s) {
  return f.builder().CreateXor(s.a, s.b);
}

Value* Not(FunctionState& f, const Instruction& /*in*/, const Sources& s) {
  return f.builder().CreateNot(s.a);
}

Value* Popc(FunctionState& f, const Instruction& /*in*/, const Sources& s) {
  return f.builder().CreateUnaryIntrinsic(intrinsic::ctpop, s.a);
}

Value* Sel(FunctionState& f, const Instruction& /*in*/, const Sources& s) {
  return f.builder().CreateSelect(s.a, s.b, s.c);
}

Value* Pand(FunctionState& f, const Instruction& /*in*/, const Sources& s) {
  return f.builder().CreateAnd(s.a, s.b);
}

Value* Por(FunctionState& f, const Instruction& /*in*/, const Sources& s) {
  return f.builder().CreateOr(s.a, s.b);
}

Value* Pxor(FunctionState& f, const Instruction& /*in*/, const Sources& s) {
  return f.builder().CreateXor(s.a, s.b);
}

Value* Pnot(FunctionState& f, const Instruction& /*in*/, const Sources& s) {
  return f.builder().CreateNot(s.a);
}

Value* Shl(FunctionState& f, const Instruction& in, const Sources& s) {
  return f.builder().CreateShl(s.a, Amount(f, in, s));
}

Value* Shr(FunctionState& f, const Instruction& in, const Sources& s) {
  Value* amount = Amount(f, in, s);
  const bool is_signed = isa::IsSignedInteger(in.type);
  return is_signed ? f.builder().CreateAShr(s.a, amount) : f.builder().CreateLShr(s.a, amount);
}

Value* Set(FunctionState& f, const Instruction& in, const Sources& s) {
  llvm::IRBuilder<>& ir = f.builder();
  constexpr CmpInst::Predicate kFloat[] = {CmpInst::FCMP_OEQ, CmpInst::FCMP_UNE, CmpInst::FCMP_OLT,
                                           CmpInst::FCMP_OLE, CmpInst::FCMP_OGT, CmpInst::FCMP_OGE};
  constexpr CmpInst::Predicate kSigned[] = {CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,
                                            CmpInst::ICMP_SLT, CmpInst::ICMP_SLE,
                                            CmpInst::ICMP_SGT, CmpInst::ICMP_SGE};
  constexpr CmpInst::Predicate kUnsigned[] = {CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,
                                              CmpInst::ICMP_ULT, CmpInst::ICMP_ULE,
                                              CmpInst::ICMP_UGT, CmpInst::ICMP_UGE};
  if (isa::IsHalf(in.type)) {
    return ir.CreateFCmp(kFloat[in.mod], Widen(f, in.type, s.a), Widen(f, in.type, s.b));
  }
  if (isa::IsFloat(in.type)) return ir.CreateFCmp(kFloat[in.mod], s.a, s.b);
  return ir.CreateICmp(isa::IsSignedInteger(in.type) ? kSigned[in.mod] : kUnsigned[in.mod], s.a,
                       s.b);
}

}  // namespace hologram::codegen::lanewise
