// The start of most kernels only decides whether a lane has work: `if i < n:` or `if i >= n:
// return`. Along the chain of blocks from the entry that all working lanes pass, a branch that
// compares global.x with a uniform value known before the loop is taken out of the body and becomes
// a limit of the lane loop; then full vectors need no mask at all. A branch that all lanes of a row
// take alike makes the loop one of no lanes.
#include "codegen/plan/plan.h"
#include "isa/condition.h"

namespace hologram::codegen {
namespace {

using isa::Condition;
using isa::Opcode;

class GuardFolder {
 public:
  explicit GuardFolder(Plan& plan) : plan_(plan), code_(plan.program().code) {}

  void Run() {
    FoldChain();
    if (!HasRows() || plan_.unit != HOLOGRAM_UNIT_ROW) return;
    for (size_t w = 0; w < plan_.webs.size(); ++w) {
      const auto id = static_cast<OperandId>(w);
      const Web& web = plan_.webs[w];
      if (!web.is_predicate() && isa::IsInteger(web.type) && IsKnownBefore(id, 0)) {
        plan_.rows.values.push_back(id);
      }
    }
  }

 private:
  void FoldChain() {
    uint32_t b = 0;
    std::vector<char> seen(plan_.successors.size(), 0);
    while (b != verify::kExitBlock && seen[b] == 0) {
      seen[b] = 1;
      if (b != 0 && plan_.block(b).predecessors.size() != 1) return;
      if (HasEffects(b) || plan_.successors[b].empty()) return;
      if (plan_.successors[b].size() == 1) {
        b = plan_.successors[b][0];
        continue;
      }
      const uint32_t taken = plan_.successors[b][0];
      const uint32_t other = plan_.successors[b][1];
      const bool runs_if_true = OnlyExits(plan_, other);
      if (runs_if_true == OnlyExits(plan_, taken)) return;
      const uint32_t rest = runs_if_true ? taken : other;
      if (const std::optional<LaneGuard> guard = GuardAt(b, runs_if_true)) {
        plan_.guards.push_back(*guard);
        plan_.successors[b] = {rest};
      } else if (!IsUniformBranch(b)) {
        return;
      } else if (HasRows()) {
        plan_.rows.guards.push_back(
            {*plan_.DefinitionOf(PredicateOf(b)), PredicateOf(b), runs_if_true});
        plan_.successors[b] = {rest};
      }
      b = rest;
    }
  }

  bool HasEffects(uint32_t b) const {
    for (uint32_t pc = plan_.block(b).begin; pc < plan_.block(b).end; ++pc) {
      const Opcode op = code_[pc].op;
      if (op != Opcode::kBra && op != Opcode::kExit && !IsPureAt(plan_, pc)) return true;
    }
    return false;
  }

  OperandId PredicateOf(uint32_t b) const {
    return plan_.operands[plan_.block(b).end - 1].predicates[0];
  }

  bool HasRows() const { return !plan_.scalar && plan_.unit != HOLOGRAM_UNIT_BLOCK; }

  bool IsUniformBranch(uint32_t b) const {
    return plan_.DefinitionOf(PredicateOf(b)) && IsKnownBefore(PredicateOf(b), 0);
  }

  // Uniform along a row and computable before its loop.
  bool IsKnownBefore(OperandId id, int depth) const {
    constexpr int kMaxDepth = 32;
    if (depth > kMaxDepth || id == kNoOperand) return false;
    if (IsFixed(id)) {
      return !IsFixedId(id, isa::Sreg::kLaneX) && !IsFixedId(id, isa::Sreg::kLinear);
    }
    const std::optional<uint32_t> definition = plan_.DefinitionOf(id);
    if (!definition) return false;
    const uint32_t pc = *definition;
    const isa::Instruction& in = code_[pc];
    if (!IsPureAt(plan_, pc) || isa::IsReduce(in.op)) return false;
    if (in.op == Opcode::kReadSreg) {
      return in.sreg() != isa::Sreg::kLaneX && in.sreg() != isa::Sreg::kGlobalX &&
             in.sreg() != isa::Sreg::kLinear;
    }
    for (OperandId read : plan_.operands[pc].reads) {
      if (read != kNoOperand && !IsKnownBefore(read, depth + 1)) return false;
    }
    for (OperandId read : plan_.operands[pc].predicates) {
      if (read != kNoOperand && !IsKnownBefore(read, depth + 1)) return false;
    }
    return true;
  }

  // Global.x itself, through moves and what gives back its operand.
  bool IsGlobalX(OperandId id, int depth) const {
    constexpr int kMaxDepth = 8;
    if (depth > kMaxDepth) return false;
    if (IsFixedId(id, isa::Sreg::kLinear)) return plan_.unit == HOLOGRAM_UNIT_LANE;
    const std::optional<uint32_t> definition = plan_.DefinitionOf(id);
    if (!definition) return false;
    const uint32_t pc = *definition;
    const isa::Instruction& in = code_[pc];
    if (in.op == Opcode::kReadSreg) {
      return in.sreg() == isa::Sreg::kGlobalX ||
             (in.sreg() == isa::Sreg::kLinear && plan_.unit == HOLOGRAM_UNIT_LANE);
    }
    const bool widens =
        in.op == Opcode::kCvt && isa::IsInteger(in.type) && isa::IsInteger(in.source_type()) &&
        (isa::SizeOf(in.type) > isa::SizeOf(in.source_type()) || in.type == in.source_type()) &&
        isa::IsUnsigned(in.source_type());
    if (in.op == Opcode::kMov || widens) return IsGlobalX(plan_.operands[pc].reads[0], depth + 1);
    const std::optional<size_t> same = plan_.verified->SameAs(pc);
    return same && IsGlobalX(plan_.operands[pc].reads[*same], depth + 1);
  }

  std::optional<LaneGuard> GuardAt(uint32_t b, bool runs_if_true) const {
    const std::optional<uint32_t> definition = plan_.DefinitionOf(PredicateOf(b));
    if (!HasRows() || !definition) return std::nullopt;
    const uint32_t pc = *definition;
    const isa::Instruction& in = code_[pc];
    // Lane numbers are below 2^32, so in 64 bits and in u32 they are what they seem; they come into
    // other types by instructions that are shown to keep them.
    if (in.op != Opcode::kSet || !isa::IsInteger(in.type)) return std::nullopt;
    const OperandId a = plan_.operands[pc].reads[0];
    const OperandId c = plan_.operands[pc].reads[1];
    Condition condition = in.condition();
    LaneGuard guard;
    guard.pc = pc;
    guard.type = in.type;
    if (IsGlobalX(a, 0) && IsKnownBefore(c, 0)) {
      guard.bound = c;
    } else if (IsGlobalX(c, 0) && IsKnownBefore(a, 0)) {
      guard.bound = a;
      condition = isa::Mirrored(condition);
    } else {
      return std::nullopt;
    }
    if (!runs_if_true) condition = isa::Negated(condition);
    if (condition == Condition::kEq || condition == Condition::kNe) return std::nullopt;
    guard.is_upper = condition == Condition::kLt || condition == Condition::kLe;
    guard.inclusive = condition == Condition::kLe || condition == Condition::kGt;
    return guard;
  }

  Plan& plan_;
  const std::vector<isa::Instruction>& code_;
};

}  // namespace

void FoldGuards(Plan& plan) {
  GuardFolder(plan).Run();
}

}  // namespace hologram::codegen
