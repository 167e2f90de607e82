#include "codegen/instructions/instructions.h"

#include <limits>

#include "codegen/instructions/trap.h"

namespace hologram::codegen {

void EmitInstruction(Emitters& e, uint32_t pc) {
  e.function.SetLine(pc);
  switch (e.function.plan().program().code[pc].op) {
#define OP(code, Name, mnemonic, types, operands, summary) \
  case isa::Opcode::k##Name:                               \
    return instructions::Name(e, pc);
#include "isa/instructions.def"
  }
}

namespace instructions {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- On the exact values of lane 0
using Operand = llvm::function_ref<llvm::Value*(size_t)>;

llvm::Value* ExactSame(llvm::IRBuilder<>& /*b*/, Operand operand) {
  return operand(0);
}

llvm::Value* ExactAdd(llvm::IRBuilder<>& b, Operand operand) {
  return b.CreateAdd(operand(0), operand(1));
}

llvm::Value* ExactSub(llvm::IRBuilder<>& b, Operand operand) {
  return b.CreateSub(operand(0), operand(1));
}

llvm::Value* ExactMul(llvm::IRBuilder<>& b, Operand operand) {
  return b.CreateMul(operand(0), operand(1));
}

llvm::Value* ExactMad(llvm::IRBuilder<>& b, Operand operand) {
  return b.CreateAdd(b.CreateMul(operand(0), operand(1)), operand(2));
}

llvm::Value* ExactNeg(llvm::IRBuilder<>& b, Operand operand) {
  return b.CreateNeg(operand(0));
}

}  // namespace

void Div(Emitters& e, uint32_t pc) {
  if (isa::IsInteger(e.function.plan().program().code[pc].type)) return e.division.Emit(pc);
  e.computation.Emit(pc, lanewise::Div);
}

namespace {

// All lanes agree, though neither side is the same in all: lane 0 decides for them. It may be one
// that does not run, so its numbers are those of 64 bits, and their difference is what is exact.
bool ComparesAffine(const Plan& plan, uint32_t pc) {
  const auto& reads = plan.operands[pc].reads;
  return plan.KindOfResult(pc) == Kind::kUniform && plan.KindOf(reads[0]) == Kind::kAffine &&
         plan.KindOf(reads[1]) == Kind::kAffine;
}

void SetAffine(Emitters& e, uint32_t pc) {
  const Plan& plan = e.function.plan();
  const auto& reads = plan.operands[pc].reads;
  isa::Instruction wide = plan.program().code[pc];
  wide.type = isa::Type::kI64;
  llvm::IRBuilder<>& b = e.function.builder();
  llvm::Value* left = e.registers.Exact(reads[0]);
  llvm::Value* difference = b.CreateSub(left, e.registers.Exact(reads[1]));
  e.registers.WriteScalar(pc, lanewise::Set(e.function, wide, {difference, b.getInt64(0)}));
}

}  // namespace

void Set(Emitters& e, uint32_t pc) {
  if (ComparesAffine(e.function.plan(), pc)) return SetAffine(e, pc);
  Values results = e.computation.Results(pc, lanewise::Set);
  e.agreement.Note(pc);
  e.computation.Write(pc, std::move(results));
}

void MemFence(Emitters& e, uint32_t pc) {
  e.fence(e.function, e.function.plan().program().code[pc]);
}

// In the order of instructions.def. What jumps or waits is the end of its block, and written there
// (codegen/emit/control_flow.h).
// clang-format off
void Ldg(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void Stg(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void Lds(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void Sts(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void Mov(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Mov, ExactSame); }
void MovImm(Emitters& e, uint32_t pc) { e.computation.EmitImmediate(pc); }
void Cvt(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Cvt, ExactSame); }
void Add(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Add, ExactAdd); }
void Sub(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Sub, ExactSub); }
void Mul(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Mul, ExactMul); }
void Mad(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Mad, ExactMad); }
void Fma(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Fma); }
void Min(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Min); }
void Max(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Max); }
void Abs(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Abs); }
void Neg(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Neg, ExactNeg); }
void And(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::And); }
void Or(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Or); }
void Xor(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Xor); }
void Not(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Not); }
void Shl(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Shl); }
void Shr(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Shr); }
void Sel(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Sel); }
void Bra(Emitters& /*e*/, uint32_t /*pc*/) {}
void Call(Emitters& e, uint32_t pc) { e.calls.Call(pc); }
void Ret(Emitters& e, uint32_t /*pc*/) { e.calls.Return(); }
void Loop(Emitters& e, uint32_t pc) { e.loops.Emit(pc); }
void Exit(Emitters& /*e*/, uint32_t /*pc*/) {}
void BarSync(Emitters& /*e*/, uint32_t /*pc*/) {}
void ClsGet(Emitters& e, uint32_t pc) { e.classes.ClassOfBlock(pc); }
void Mirror(Emitters& e, uint32_t pc) { e.classes.Mirror(pc); }
void UnityTest(Emitters& e, uint32_t pc) { e.services.Emit(pc); }
void NbrCount(Emitters& e, uint32_t pc) { e.classes.NeighbourCount(pc); }
void NbrGet(Emitters& e, uint32_t pc) { e.classes.Neighbour(pc); }
void ResAccum(Emitters& e, uint32_t pc) { e.services.Emit(pc); }
void PhaseGet(Emitters& e, uint32_t pc) { e.phase.Get(pc); }
void PhaseAdv(Emitters& e, uint32_t pc) { e.phase.Advance(pc); }
void BoundMap(Emitters& e, uint32_t pc) { e.classes.BoundMap(pc); }
void ReduceAdd(Emitters& e, uint32_t pc) { e.computation.EmitReduce(pc, lanewise::Add, 0); }
void ReduceMin(Emitters& e, uint32_t pc) { e.computation.EmitReduce(pc, lanewise::Min, kInfinity); }
void ReduceMax(Emitters& e, uint32_t pc) { e.computation.EmitReduce(pc, lanewise::Max, -kInfinity); }
void ReduceMul(Emitters& e, uint32_t pc) { e.computation.EmitReduce(pc, lanewise::Mul, 1); }
void Exp(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Log(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Log2(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Log10(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Sqrt(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Sqrt); }
void Rsqrt(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Sin(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Cos(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Tan(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Tanh(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Sigmoid(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void PoolAlloc(Emitters& e, uint32_t pc) { e.services.Emit(pc); }
void PoolFree(Emitters& e, uint32_t pc) { e.services.Emit(pc); }
void PoolLoad(Emitters& e, uint32_t pc) { e.services.Emit(pc); }
void PoolStore(Emitters& e, uint32_t pc) { e.services.Emit(pc); }
void Rem(Emitters& e, uint32_t pc) { e.division.Emit(pc); }
void Bitcast(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Bitcast); }
void Floor(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Floor); }
void Ceil(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Ceil); }
void Trunc(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Trunc); }
void Round(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Round); }
void Pand(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Pand); }
void Por(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Por); }
void Pxor(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Pxor); }
void Pnot(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Pnot); }
void Atg(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void Ats(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void ReadSreg(Emitters& e, uint32_t pc) { e.computation.EmitId(pc); }
void Erf(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Pow(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Exp2(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Expm1(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Log1p(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void Atan2(Emitters& e, uint32_t pc) { e.computation.EmitMath(pc); }
void BlkRed(Emitters& /*e*/, uint32_t /*pc*/) {}
void Ldl(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void Stl(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void BlkScan(Emitters& /*e*/, uint32_t /*pc*/) {}
void AtgCas(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void AtsCas(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void Popc(Emitters& e, uint32_t pc) { e.computation.Emit(pc, lanewise::Popc); }
void Trap(Emitters& e, uint32_t pc) { EmitTrap(pc, e.function, e.registers, e.chunk, e.faults); }
void AtgFloat(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void AtsFloat(Emitters& e, uint32_t pc) { e.memory.Access(pc); }
void Print(Emitters& e, uint32_t pc) { e.services.Emit(pc); }
void PrintText(Emitters& e, uint32_t pc) { e.services.Emit(pc); }
void PrintEnd(Emitters& e, uint32_t pc) { e.services.Emit(pc); }
// clang-format on

}  // namespace instructions

}  // namespace hologram::codegen
