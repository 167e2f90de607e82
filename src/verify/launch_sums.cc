// Which float additions are sums over the launch: at one element for all lanes, and a lane comes
// there at most once.
#include "isa/opcode_set.h"
#include "verify/calls.h"
#include "verify/races.h"

namespace hologram::verify {
namespace {

using isa::Opcode;

// The steps of an index that all lanes of a launch compute alike. Longer computations are not
// followed.
class LaunchUniform {
 public:
  LaunchUniform(const isa::Program& program, const Ssa& ssa) : program_(program), ssa_(ssa) {}

  bool Is(ValueId v) {
    if (v == kNone || ++steps_ > kMaxSteps) return false;
    const Value& value = ssa_.values[v];
    if (value.kind == ValueKind::kParameter) return true;
    if (value.kind == ValueKind::kSpecial) return value.slot == kBlockDim;
    return value.kind == ValueKind::kInstruction && IsResultOf(value.place);
  }

 private:
  static constexpr int kMaxSteps = 256;
  static constexpr uint16_t kBlockDim = isa::kFirstSpecialRegister + 2;

  bool IsResultOf(uint32_t pc) {
    const isa::Instruction& in = program_.code[pc];
    if (in.op == Opcode::kMovImm) return true;
    if (in.op == Opcode::kReadSreg) {
      return in.sreg() >= isa::Sreg::kBlockDimX && in.sreg() <= isa::Sreg::kGridDimZ;
    }
    if (!isa::IsOneOf(in.op,
                      {Opcode::kMov, Opcode::kCvt, Opcode::kAdd, Opcode::kSub, Opcode::kMul,
                       Opcode::kMad, Opcode::kDiv, Opcode::kRem, Opcode::kMin, Opcode::kMax,
                       Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kShl, Opcode::kShr})) {
      return false;
    }
    for (int i = 0; i < isa::UsesOf(in).num_reads; ++i) {
      if (!Is(ssa_.reads[pc][static_cast<size_t>(i)])) return false;
    }
    return true;
  }

  const isa::Program& program_;
  const Ssa& ssa_;
  int steps_ = 0;
};

bool InAnyLoop(const Cfg& cfg, uint32_t block) {
  if (!cfg.reducible) return true;
  for (const Loop& loop : cfg.loops) {
    if (cfg.InLoop(loop, block)) return true;
  }
  return false;
}

}  // namespace

bool MayBeLaunchSum(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, uint32_t pc) {
  return ssa.built && !HasCalls(program) && !InAnyLoop(cfg, cfg.block_of[pc]) &&
         LaunchUniform(program, ssa).Is(ssa.reads[pc][1]);
}

}  // namespace hologram::verify
