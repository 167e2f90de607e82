#include "device/instructions.h"

#include <limits>

#include "base/check.h"
#include "isa/half.h"

namespace hologram::device {

using isa::Opcode;

namespace {

// A sum, minimum, maximum or product of no register.
uint64_t EmptyFold(Opcode step, isa::Type type) {
  const bool is_float = isa::IsFloat(type);
  if (step == Opcode::kAdd) return 0;
  if (step == Opcode::kMul) return is_float ? isa::FloatBits(1, type) : 1;
  const bool min = step == Opcode::kMin;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_float) return isa::FloatBits(min ? kInfinity : -kInfinity, type);
  return static_cast<uint64_t>(min ? isa::MaxOf(type) : isa::MinOf(type));
}

}  // namespace

void Instructions::Start(bool blocks) {
  memory_.ClearLocal();
  reductions_.Start();
  if (!blocks) return;
  memory_.ClearShared(barriers_);
  b_.Barrier();
}

// The counter before LOOP is not the result that it has written.
Value Instructions::IsTaken(uint32_t pc) {
  if (At(pc).op == Opcode::kLoop) return b_.With(Compare::kNe, loop_counter_, 0);
  return registers_.ReadPredicate(pc, 0);
}

std::vector<Value> Instructions::Operands(uint32_t pc) {
  const isa::Uses& uses = facts_.cfg.uses[pc];
  std::vector<Value> found(3, 0);
  for (size_t k = 0; k < static_cast<size_t>(uses.num_reads); ++k) {
    found[k] = registers_.Read(pc, k, *uses.reads[k].type);
  }
  return found;
}

void Instructions::Write(uint32_t pc, Value value) {
  registers_.Write(pc, facts_.WantsCanonical(pc) ? arithmetic_.Canonical(value) : value);
}

void Instructions::EmitComputed(uint32_t pc) {
  const std::vector<Value> x = Operands(pc);
  Write(pc, arithmetic_.Result(At(pc), x[0], x[1], x[2]));
}

void Instructions::EmitDivision(uint32_t pc) {
  const isa::Instruction& in = At(pc);
  if (isa::IsFloat(in.type)) return EmitComputed(pc);
  const std::vector<Value> x = Operands(pc);
  Value zero = arithmetic_.Like(x[1], 0);
  if (!facts_.verified.NeverFaults(pc)) faults_.If(b_.Emit(Compare::kEq, x[1], zero));
  Value divisor = x[1];
  const std::optional<uint64_t> number =
      facts_.ssa.built ? facts_.NumberIn(facts_.ssa.reads[pc][1]) : std::nullopt;
  const uint64_t minus_one = ~uint64_t{0} >> (64 - isa::BitsOf(in.type));
  const bool may_overflow = !number || (*number & minus_one) == minus_one;
  if (isa::IsSignedInteger(in.type) && may_overflow) {
    // MIN / 1 = MIN and MIN rem 1 = 0
    const uint64_t lowest = uint64_t{1} << (isa::BitsOf(in.type) - 1);
    Value is_lowest = b_.Emit(Compare::kEq, x[0], arithmetic_.Like(x[0], lowest));
    Value by_minus_one = b_.Emit(Compare::kEq, x[1], arithmetic_.Like(x[1], minus_one));
    Value overflow = b_.Emit(Binary::kAnd, is_lowest, by_minus_one);
    divisor = b_.Select(overflow, arithmetic_.Like(x[1], 1), x[1]);
  }
  registers_.Write(pc, arithmetic_.Result(in, x[0], divisor, 0));
}

// Registers, folded from the first; of none, what the operation starts with.
void Instructions::EmitReduce(uint32_t pc) {
  const isa::Instruction& in = At(pc);
  constexpr Opcode kSteps[] = {Opcode::kAdd, Opcode::kMin, Opcode::kMax, Opcode::kMul};
  const Opcode step = kSteps[static_cast<size_t>(in.op) - static_cast<size_t>(Opcode::kReduceAdd)];
  const std::vector<Value> run = registers_.ReadRun(pc);
  if (run.empty()) {
    return registers_.Write(pc, b_.Constant(ScalarOf(in.type), EmptyFold(step, in.type)));
  }
  Value folded = run[0];
  for (size_t k = 1; k < run.size(); ++k) {
    folded = arithmetic_.Combine(step, in.type, folded, run[k]);
  }
  // The smaller of one and the same: a NaN becomes canonical.
  if (isa::IsHalf(in.type) && run.size() == 1) {
    folded = arithmetic_.Combine(Opcode::kMin, in.type, folded, folded);
  }
  Write(pc, folded);
}

// The test of a loop whose rounds are known; false: it is another comparison.
bool Instructions::EmitEndOfRange(uint32_t pc) {
  const CountedLoop* const loop = facts_.CountedAt(facts_.cfg.block_of[pc]);
  if (loop == nullptr || loop->test != pc) return false;
  registers_.Write(pc, registers_.HasEnded(*loop));
  return true;
}

void Instructions::EmitPredicate(uint32_t pc, Binary op) {
  Value first = registers_.ReadPredicate(pc, 0);
  registers_.Write(pc, b_.Emit(op, first, registers_.ReadPredicate(pc, 1)));
}

void Instructions::EmitFence(const isa::Instruction& in) {
  if (in.scope() == isa::Scope::kThread) return;
  constexpr FenceScope kScopes[isa::kNumScopes] = {FenceScope::kBlock, FenceScope::kBlock,
                                                   FenceScope::kDevice, FenceScope::kSystem};
  b_.Fence(kScopes[in.mod]);
}

void Instructions::EmitTrap(uint32_t pc) {
  if (At(pc).mod == 1) return faults_.If(registers_.ReadPredicate(pc, 0));
  faults_.Always();
}

// One line for each instruction.
void Instructions::Emit(uint32_t pc, const Ids& ids) {  // NOLINT(readability-function-size)
  const isa::Instruction& in = At(pc);
  switch (in.op) {
    case Opcode::kLdg:
    case Opcode::kStg:
    case Opcode::kLds:
    case Opcode::kSts:
    case Opcode::kLdl:
    case Opcode::kStl:
    case Opcode::kAtg:
    case Opcode::kAts:
    case Opcode::kAtgCas:
    case Opcode::kAtsCas:
    case Opcode::kAtgFloat:
    case Opcode::kAtsFloat:
      return memory_.Access(pc);
    case Opcode::kMov:
    case Opcode::kCvt:
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kFma:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kAbs:
    case Opcode::kNeg:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kPopc:
    case Opcode::kSqrt:
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kTrunc:
    case Opcode::kRound:
    case Opcode::kBitcast:
      return EmitComputed(pc);
    case Opcode::kDiv:
    case Opcode::kRem:
      return EmitDivision(pc);
    case Opcode::kMovImm:
      return registers_.Write(pc, b_.Constant(ScalarOf(in.type), in.imm));
    case Opcode::kSet: {
      if (EmitEndOfRange(pc)) return;
      const std::vector<Value> x = Operands(pc);
      return registers_.Write(pc, arithmetic_.Compare(in.condition(), in.type, x[0], x[1]));
    }
    case Opcode::kSel: {
      const std::vector<Value> x = Operands(pc);
      return registers_.Write(pc, b_.Select(registers_.ReadPredicate(pc, 0), x[0], x[1]));
    }
    case Opcode::kLoop: {
      // What the branch at the end of the block looks at is the counter before.
      loop_counter_ = registers_.Read(pc, 0, isa::Type::kU32);
      Value more = b_.With(Compare::kNe, loop_counter_, 0);
      Value less = b_.With(Binary::kSub, loop_counter_, 1);
      return registers_.Write(pc, b_.Select(more, less, loop_counter_));
    }
    case Opcode::kBra:
    case Opcode::kExit:
      return;  // the end of the block
    case Opcode::kBarSync:
      barriers_.Sync();
      return registers_.Forget();
    case Opcode::kBlkRed:
    case Opcode::kBlkScan:
      return reductions_.Emit(pc);
    case Opcode::kMemFence:
      return EmitFence(in);
    case Opcode::kReduceAdd:
    case Opcode::kReduceMin:
    case Opcode::kReduceMax:
    case Opcode::kReduceMul:
      return EmitReduce(pc);
    case Opcode::kExp:
    case Opcode::kLog:
    case Opcode::kLog2:
    case Opcode::kLog10:
    case Opcode::kRsqrt:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kSigmoid:
    case Opcode::kErf:
    case Opcode::kPow:
    case Opcode::kExp2:
    case Opcode::kExpm1:
    case Opcode::kLog1p:
    case Opcode::kAtan2: {
      const std::vector<Value> x = Operands(pc);
      return registers_.Write(pc, functions_.Call(in, x[0], x[1]));
    }
    case Opcode::kPand:
      return EmitPredicate(pc, Binary::kAnd);
    case Opcode::kPor:
      return EmitPredicate(pc, Binary::kOr);
    case Opcode::kPxor:
      return EmitPredicate(pc, Binary::kXor);
    case Opcode::kPnot:
      return registers_.Write(pc, b_.Emit(Unary::kNot, registers_.ReadPredicate(pc, 0)));
    case Opcode::kReadSreg: {
      Value id = ids[in.sreg()];
      const bool wide = in.type == isa::Type::kU64;
      if (wide) id = b_.Emit(Cast::kZeroExtend, id, Scalar::kI64);
      return registers_.Write(pc, wide ? id : b_.Emit(Cast::kTruncate, id, Scalar::kI32));
    }
    case Opcode::kTrap:
      return EmitTrap(pc);
    case Opcode::kClsGet:
    case Opcode::kMirror:
    case Opcode::kNbrCount:
    case Opcode::kNbrGet:
    case Opcode::kBoundMap:
      return classes_.Emit(pc, ids);
    // Refused by FindFacts().
    case Opcode::kCall:
    case Opcode::kRet:
    case Opcode::kUnityTest:
    case Opcode::kResAccum:
    case Opcode::kPhaseGet:
    case Opcode::kPhaseAdv:
    case Opcode::kPoolAlloc:
    case Opcode::kPoolFree:
    case Opcode::kPoolLoad:
    case Opcode::kPoolStore:
    case Opcode::kPrint:
    case Opcode::kPrintText:
    case Opcode::kPrintEnd:
      break;
  }
  HOLOGRAM_CHECK(false);
}

}  // namespace hologram::device
