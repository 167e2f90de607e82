#include "verify/launch_values.h"

#include "isa/opcode_set.h"

namespace hologram::verify {
namespace {

using isa::Instruction;
using isa::Opcode;

constexpr int kMaxDepth = 8;

bool IsArithmetic(Opcode op) {
  return isa::IsOneOf(
      op,
      {Opcode::kMov, Opcode::kMovImm, Opcode::kCvt, Opcode::kBitcast, Opcode::kAdd, Opcode::kSub,
       Opcode::kMul, Opcode::kMad,    Opcode::kFma, Opcode::kDiv,     Opcode::kRem, Opcode::kMin,
       Opcode::kMax, Opcode::kAbs,    Opcode::kNeg, Opcode::kAnd,     Opcode::kOr,  Opcode::kXor,
       Opcode::kNot, Opcode::kShl,    Opcode::kShr});
}

bool IsSize(isa::Sreg sreg) {
  const auto group = static_cast<int>(sreg) / 3;
  return group == static_cast<int>(isa::Sreg::kBlockDimX) / 3 ||
         group == static_cast<int>(isa::Sreg::kGridDimX) / 3;
}

class Comparer {
 public:
  Comparer(const isa::Program& program, const Cfg& cfg, const Ssa& ssa)
      : program_(program), cfg_(cfg), ssa_(ssa) {}

  bool Same(ValueId a, ValueId b, int depth) {
    if (a == kNone || b == kNone || depth > kMaxDepth || --work_ < 0) return false;
    a = ThroughMoves(a);
    b = ThroughMoves(b);
    const Value& x = ssa_.values[a];
    const Value& y = ssa_.values[b];
    if (x.kind != y.kind) return false;
    if (x.kind == ValueKind::kParameter) {
      return x.slot == y.slot && !program_.parameters[x.slot - 1u].is_buffer;
    }
    if (x.kind == ValueKind::kSpecial) {
      constexpr int kBlockDimX = 2;  // of lane, block, block_dim and linear
      return x.slot == y.slot && x.slot - isa::kFirstSpecialRegister == kBlockDimX;
    }
    return x.kind == ValueKind::kInstruction && SameInstruction(x.place, y.place, depth);
  }

 private:
  ValueId ThroughMoves(ValueId v) const {
    for (int i = 0; i < kMaxDepth; ++i) {
      const Value& value = ssa_.values[v];
      if (value.kind != ValueKind::kInstruction || program_.code[value.place].op != Opcode::kMov) {
        break;
      }
      v = ssa_.reads[value.place][0];
    }
    return v;
  }

  bool SameInstruction(uint32_t p, uint32_t q, int depth) {
    const Instruction& i = program_.code[p];
    const Instruction& j = program_.code[q];
    if (i.op != j.op || i.type != j.type) return false;
    if (i.op == Opcode::kReadSreg) return i.sreg() == j.sreg() && IsSize(i.sreg());
    if (!IsArithmetic(i.op)) return false;
    if (i.op == Opcode::kMovImm) return i.imm == j.imm;
    const bool converts = i.op == Opcode::kCvt || i.op == Opcode::kBitcast;
    if (converts && i.source_type() != j.source_type()) return false;
    for (int k = 0; k < cfg_.uses[p].num_reads; ++k) {
      const auto at = static_cast<size_t>(k);
      if (!Same(ssa_.reads[p][at], ssa_.reads[q][at], depth + 1)) return false;
    }
    return true;
  }

  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  int work_ = 64;
};

}  // namespace

bool IsLaunchValue(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, ValueId v) {
  return IsSameLaunchValue(program, cfg, ssa, v, v);
}

bool IsSameLaunchValue(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, ValueId a,
                       ValueId b) {
  return ssa.built && Comparer(program, cfg, ssa).Same(a, b, 0);
}

}  // namespace hologram::verify
