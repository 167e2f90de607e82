#include "codegen/plan/instruction_facts.h"

namespace hologram::codegen {
namespace {

using Facts = InstructionFacts;

constexpr Facts kActs{Effect::kSome};
constexpr Facts kDivides{Effect::kIntegersFault, NanSource::kComputes};
constexpr Facts kPure{};
constexpr Facts kComputes{Effect::kNone, NanSource::kComputes};
constexpr Facts kCopies{Effect::kNone, NanSource::kCopies};
constexpr Facts kAffine{Effect::kNone, NanSource::kNone, true};
constexpr Facts kAffineComputes{Effect::kNone, NanSource::kComputes, true};
constexpr Facts kAffineCopies{Effect::kNone, NanSource::kCopies, true};
constexpr Facts kAffineConverts{Effect::kNone, NanSource::kConverts, true};

// One constant per instruction, called as it is: one that is missing does not compile.
namespace of {

// Memory
constexpr Facts Ldg = kActs, Stg = kActs, Lds = kActs, Sts = kActs, Ldl = kActs, Stl = kActs;
constexpr Facts Atg = kActs, Ats = kActs, AtgCas = kActs, AtsCas = kActs;
constexpr Facts AtgFloat = kActs, AtsFloat = kActs, MemFence = kActs;
// Control flow
constexpr Facts Bra = kActs, Call = kActs, Ret = kActs, Loop = kActs, Exit = kActs, Trap = kActs;
constexpr Facts BarSync = kActs, BlkRed = kActs, BlkScan = kActs;
// Atlas, pools and print
constexpr Facts ClsGet = kPure, Mirror = kActs, NbrCount = kActs, NbrGet = kActs, BoundMap = kActs;
constexpr Facts PhaseGet = kActs, PhaseAdv = kActs, ResAccum = kActs, UnityTest = kActs;
constexpr Facts PoolAlloc = kActs, PoolFree = kActs, PoolLoad = kActs, PoolStore = kActs;
constexpr Facts Print = kActs, PrintText = kActs, PrintEnd = kActs;
// Data movement
constexpr Facts ReadSreg = kAffine, MovImm = kPure, Bitcast = kPure;
constexpr Facts Mov = kAffineCopies, Sel = kCopies, Cvt = kAffineConverts;
// Arithmetic
constexpr Facts Add = kAffineComputes, Sub = kAffineComputes, Mul = kAffineComputes;
constexpr Facts Mad = kAffineComputes, Neg = kAffineCopies, Abs = kCopies;
constexpr Facts Div = kDivides, Rem = kDivides, Fma = kComputes, Min = kComputes, Max = kComputes;
constexpr Facts Sqrt = kComputes, Floor = kComputes, Ceil = kComputes, Trunc = kComputes;
constexpr Facts Round = kComputes, ReduceAdd = kComputes, ReduceMin = kComputes;
constexpr Facts ReduceMax = kComputes, ReduceMul = kComputes;
// Logic
constexpr Facts And = kPure, Or = kPure, Xor = kPure, Not = kPure, Shl = kPure, Shr = kPure;
constexpr Facts Popc = kPure, Set = kPure, Pand = kPure, Por = kPure, Pxor = kPure, Pnot = kPure;
// Mathematical functions, whose algorithms give canonical NaNs
constexpr Facts Exp = kPure, Exp2 = kPure, Expm1 = kPure, Log = kPure, Log2 = kPure, Log10 = kPure;
constexpr Facts Log1p = kPure, Rsqrt = kPure, Sin = kPure, Cos = kPure, Tan = kPure, Tanh = kPure;
constexpr Facts Sigmoid = kPure, Erf = kPure, Pow = kPure, Atan2 = kPure;

}  // namespace of

}  // namespace

const InstructionFacts& FactsOf(isa::Opcode op) {
  switch (op) {
#define OP(code, Name, mnemonic, types, operands, summary) \
  case isa::Opcode::k##Name:                               \
    return of::Name;
#include "isa/instructions.def"
  }
  return kActs;
}

}  // namespace hologram::codegen
