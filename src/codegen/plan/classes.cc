// How each web is kept, and which blocks run under a mask, to a common fixpoint: a varying
// predicate makes blocks divergent, and a register that is written under a mask and seen outside
// its block by a lane that was not in the mask must be varying. Both only grow, so the loop ends.
//
// After a varying branch the lanes meet again at its immediate post-dominator if what lies between
// is contiguous in the layout right before it. If that fails for one branch, every block that a
// varying branch can reach is divergent: then no convergent block ever runs after, or between,
// lanes that wait elsewhere.
#include <algorithm>

#include "codegen/plan/instruction_facts.h"
#include "codegen/plan/plan.h"
#include "codegen/plan/transposed.h"
#include "launch/cut.h"

namespace hologram::codegen {
namespace {

using isa::Opcode;
using verify::Shape;

bool KeepsAffine(const isa::Instruction& in) {
  if (!FactsOf(in.op).keeps_affine || !isa::IsInteger(in.type)) return false;
  return in.op != Opcode::kCvt || isa::IsInteger(in.source_type());
}

class Classifier {
 public:
  explicit Classifier(Plan& plan) : plan_(plan), code_(plan.program().code) {}

  void Run() {
    FindInvariants();
    plan_.divergent.assign(plan_.successors.size(), 0);
    plan_.parted_by.assign(plan_.successors.size(), 0);
    plan_.closed = plan_.shares_returns;
    if (plan_.scalar) return;
    for (Web& web : plan_.webs) BeginAffine(web);
    const std::vector<uint32_t> post_dominators = PostDominators(plan_);
    for (bool changed = true; changed;) {
      changed = false;
      FindWaitingLanes(plan_);
      for (size_t w = 0; w < plan_.webs.size(); ++w) changed |= Raise(w);
      changed |= SpreadDivergence(post_dominators);
    }
  }

 private:
  void FindInvariants() {
    for (bool changed = true; changed;) {
      changed = false;
      for (Web& web : plan_.webs) {
        if (web.invariant || web.definitions.size() != 1) continue;
        const uint32_t pc = web.definitions[0];
        if (!IsPureAt(plan_, pc)) continue;
        bool all = true;
        plan_.ForEachRead(pc, [&](OperandId id) {
          all &= IsFixed(id) || plan_.webs[static_cast<size_t>(id)].invariant;
        });
        changed |= web.invariant = all;
      }
    }
  }

  // A counter is made from itself: it is affine until something says otherwise.
  void BeginAffine(Web& web) {
    if (web.is_predicate()) return;
    const verify::ValueShape first = plan_.verified->ShapeOf(web.definitions[0]);
    const bool all = std::all_of(web.definitions.begin(), web.definitions.end(),
                                 [&](uint32_t pc) { return plan_.verified->ShapeOf(pc) == first; });
    if (!all || first.shape != Shape::kAffine) return;
    web.kind = Kind::kAffine;
    web.stride = first.stride;
  }

  int64_t StrideOf(uint32_t pc) const {
    const isa::Instruction& in = code_[pc];
    return in.op == Opcode::kReadSreg ? 1 : plan_.verified->ShapeOf(pc).stride;
  }

  bool Raise(size_t w) {
    Web& web = plan_.webs[w];
    if (web.kind == Kind::kVarying) return false;
    Kind kind = Kind::kUniform;
    int64_t stride = 0;
    bool first = true;
    bool masked = false;
    for (uint32_t pc : web.definitions) {
      if (!plan_.block(plan_.verified->BlockOf(pc)).reachable) continue;
      const Kind one = plan_.KindOfResult(pc);
      const int64_t by = one == Kind::kAffine ? StrideOf(pc) : 0;
      if (!first && (one != kind || by != stride)) kind = Kind::kVarying;
      if (first) {
        kind = one;
        stride = by;
      }
      first = false;
      const uint32_t block = plan_.verified->BlockOf(pc);
      masked |=
          plan_.divergent[block] != 0 && plan_.WaitingLanesRead(block, static_cast<OperandId>(w));
    }
    if (masked && !web.invariant) kind = Kind::kVarying;
    if (kind == web.kind && stride == web.stride) return false;
    // Kinds only rise: uniform, affine, varying; a change between strides is a rise to varying.
    if (web.kind == Kind::kAffine) kind = Kind::kVarying;
    web.kind = kind;
    web.stride = kind == Kind::kAffine ? stride : 0;
    return true;
  }

  std::vector<uint32_t> ReachableFrom(const std::vector<uint32_t>& start, uint32_t stop) const {
    std::vector<char> seen(plan_.successors.size(), 0);
    std::vector<uint32_t> work;
    std::vector<uint32_t> found;
    const auto visit = [&](uint32_t b) {
      if (b == verify::kExitBlock || b == stop || seen[b] != 0) return;
      seen[b] = 1;
      work.push_back(b);
      found.push_back(b);
    };
    for (uint32_t b : start) visit(b);
    while (!work.empty()) {
      const uint32_t b = work.back();
      work.pop_back();
      for (uint32_t s : plan_.successors[b]) visit(s);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  bool SpreadDivergence(const std::vector<uint32_t>& post_dominators) {
    std::vector<char> next = plan_.divergent;
    const auto part = [&](uint32_t x, uint32_t by) {
      if (next[x] == 0) plan_.parted_by[x] = by;
      next[x] = 1;
    };
    for (uint32_t b = 0; b < plan_.successors.size(); ++b) {
      if (!plan_.PartsLanes(b)) continue;
      const uint32_t join = post_dominators[b];
      std::vector<uint32_t> region = ReachableFrom(plan_.successors[b], join);
      const bool contiguous =
          region.empty() ||
          (join != verify::kExitBlock && region.back() - region.front() + 1 == region.size() &&
           region.back() + 1 == join);
      if (!contiguous) plan_.closed = true;
      if (plan_.closed) region = ReachableFrom(plan_.successors[b], verify::kExitBlock);
      for (uint32_t x : region) part(x, b);
    }
    if (plan_.closed) {
      for (uint32_t b = 0; b < plan_.successors.size(); ++b) {
        if (!plan_.PartsLanes(b)) continue;
        for (uint32_t x : ReachableFrom(plan_.successors[b], verify::kExitBlock)) part(x, b);
      }
    }
    const bool changed = next != plan_.divergent;
    plan_.divergent = std::move(next);
    return changed;
  }

  Plan& plan_;
  const std::vector<isa::Instruction>& code_;
};

}  // namespace

void ClassifyWebs(Plan& plan) {
  Classifier(plan).Run();
}

Kind Plan::KindOf(OperandId id) const {
  if (scalar) return Kind::kUniform;
  if (!IsFixed(id)) return webs[static_cast<size_t>(id)].kind;
  const bool affine = IsFixedId(id, isa::Sreg::kLaneX) || IsFixedId(id, isa::Sreg::kLinear);
  return affine ? Kind::kAffine : Kind::kUniform;
}

isa::Type Plan::TypeOf(OperandId id) const {
  if (!IsFixed(id)) return webs[static_cast<size_t>(id)].type;
  const uint8_t reg = FixedRegister(id);
  if (IsFixedId(id, isa::Sreg::kLinear)) return isa::Type::kU64;
  if (reg >= isa::kFirstSpecialRegister) return isa::Type::kU32;
  const isa::Parameter& parameter = program().parameters[reg - 1U];
  return parameter.is_buffer ? isa::Type::kU64 : parameter.type;
}

// Whatever its other operands are.
bool Plan::GivesBackAffine(uint32_t pc) const {
  const std::optional<size_t> same = verified->SameAs(pc);
  return same && KindOf(operands[pc].reads[*same]) == Kind::kAffine &&
         verified->ShapeOf(pc).shape == Shape::kAffine;
}

bool Plan::GivesBackUniform(uint32_t pc) const {
  const isa::Opcode op = program().code[pc].op;
  if (op != Opcode::kSel && op != Opcode::kMin && op != Opcode::kMax) return false;
  const std::optional<size_t> same = verified->SameAs(pc);
  if (!same || verified->ShapeOf(pc).shape != Shape::kUniform) return false;
  bool shares_all = true;
  ForEachRead(pc, [&](OperandId id) { shares_all &= KindOf(id) == Kind::kUniform; });
  return !shares_all && KindOf(operands[pc].reads[*same]) == Kind::kUniform;
}

Kind Plan::KindOfResult(uint32_t pc) const {
  if (scalar) return Kind::kUniform;
  const isa::Instruction& in = program().code[pc];
  if (isa::IsAtomic(in.op) || in.op == Opcode::kLdl || in.op == Opcode::kPhaseGet ||
      in.op == Opcode::kBlkScan || isa::IsServed(in.op)) {
    return Kind::kVarying;
  }
  if (in.op == Opcode::kBlkRed) return in.is_of_warp() ? Kind::kVarying : Kind::kUniform;
  if (GivesBackAffine(pc)) return Kind::kAffine;
  if (GivesBackUniform(pc)) return Kind::kUniform;
  Kind highest = Kind::kUniform;
  ForEachRead(pc, [&](OperandId id) { highest = std::max(highest, KindOf(id)); });
  if (in.op == Opcode::kReadSreg) {
    const bool counts = in.sreg() == isa::Sreg::kLaneX || in.sreg() == isa::Sreg::kGlobalX ||
                        in.sreg() == isa::Sreg::kLinear;
    return counts ? Kind::kAffine : Kind::kUniform;
  }
  if (isa::IsLoad(in.op)) {
    const bool same = highest == Kind::kUniform && verified->ShapeOf(pc).shape == Shape::kUniform;
    return same ? Kind::kUniform : Kind::kVarying;
  }
  if (highest != Kind::kAffine) return highest;
  const verify::ValueShape shape = verified->ShapeOf(pc);
  const bool divides = in.op == Opcode::kDiv || in.op == Opcode::kRem;
  if (shape.shape == Shape::kUniform && (IsPure(in) || divides)) return Kind::kUniform;
  const bool keeps = KeepsAffine(in) || in.op == Opcode::kRem;
  if (shape.shape == Shape::kAffine && keeps) return Kind::kAffine;
  return Kind::kVarying;
}

namespace {

const verify::LoopFact* LoopOfEdge(const verify::VerifiedProgram& verified, uint32_t from,
                                   uint32_t to) {
  for (const verify::LoopFact& loop : verified.loops()) {
    if (loop.header != to) continue;
    for (const uint32_t latch : loop.back_edges) {
      if (latch == from) return &loop;
    }
  }
  return nullptr;
}

}  // namespace

bool Plan::IsCountedEdge(uint32_t from, uint32_t to) const {
  const verify::LoopFact* loop = LoopOfEdge(*verified, from, to);
  return loop != nullptr && (!loop->ends_if_proved || loop->limited);
}

bool Plan::IsLimitedEdge(uint32_t from, uint32_t to) const {
  const verify::LoopFact* loop = LoopOfEdge(*verified, from, to);
  return loop != nullptr && loop->limited;
}

namespace {

bool MayBeScalars(const verify::VerifiedProgram& verified) {
  const auto& code = verified.program().code;
  return launch::UnitOf(verified) != HOLOGRAM_UNIT_BLOCK && !verified.recursive() &&
         std::none_of(code.begin(), code.end(), [](const isa::Instruction& in) {
           return isa::IsServed(in.op) || isa::UsesStream(in.op);
         });
}

Plan PlanOf(const verify::VerifiedProgram& program,
            std::shared_ptr<const verify::CopiedLoops> copies) {
  Plan plan;
  plan.verified = copies == nullptr ? &program : &copies->program;
  plan.copies = std::move(copies);
  return plan;
}

// Written once, from parameters alone.
bool IsOfParameters(const Plan& plan, OperandId id, int depth) {
  constexpr int kMostSteps = 8;
  if (IsFixed(id)) return FixedRegister(id) < isa::kFirstSpecialRegister;
  const std::optional<uint32_t> pc = plan.DefinitionOf(id);
  if (!pc || depth > kMostSteps || !IsPure(plan.program().code[*pc])) return false;
  if (plan.program().code[*pc].op == Opcode::kReadSreg) return false;
  bool all = true;
  plan.ForEachRead(*pc, [&](OperandId read) { all &= IsOfParameters(plan, read, depth + 1); });
  return all;
}

std::optional<OperandId> PieceOf(const Plan& plan) {
  const std::optional<uint32_t> division = plan.verified->PieceDivision();
  if (!division || plan.scalar || plan.unit == HOLOGRAM_UNIT_BLOCK) return std::nullopt;
  const OperandId divisor = plan.operands[*division].reads[1];
  return IsOfParameters(plan, divisor, 0) ? std::optional(divisor) : std::nullopt;
}

void FillPlan(Plan& plan, Lanes lanes, const Options& options) {
  const verify::VerifiedProgram& program = *plan.verified;
  plan.order.lane_by_lane = lanes == Lanes::kOneByOne;
  plan.scalar = lanes == Lanes::kThreads || (lanes == Lanes::kOneByOne && MayBeScalars(program));
  plan.options = options;
  plan.unit = lanes == Lanes::kThreads ? uint32_t{HOLOGRAM_UNIT_BLOCK} : launch::UnitOf(program);
  for (const verify::BasicBlock& block : program.blocks()) {
    plan.successors.push_back(block.successors);
  }
  for (const isa::Instruction& in : program.program().code) {
    plan.has_phase |= in.op == Opcode::kPhaseGet || in.op == Opcode::kPhaseAdv;
    plan.reads_class_base |= in.op == Opcode::kClsGet;
    plan.recursive |= in.op == Opcode::kCall;
    plan.arrays.updates_buffers |=
        isa::IsAtomic(in.op) && isa::IsGlobalAccess(in.op) && isa::IsInteger(in.type);
  }
  FindWebs(plan);
  if (!plan.options.instrumented) FoldGuards(plan);
  plan.rows.piece = PieceOf(plan);
  plan.shares_returns = plan.recursive && SharesReturns(plan);
  FindNans(plan);
  ClassifyWebs(plan);
  plan.arrays.transposed = FindTransposed(plan);
  for (uint32_t b = 0; b < plan.successors.size(); ++b) {
    if (!program.blocks()[b].reachable) continue;
    for (uint32_t s : plan.successors[b]) {
      const bool limited = plan.IsLimitedEdge(b, s);
      plan.counts_rounds |= limited;
      plan.counts_budget |= !limited && plan.IsCountedEdge(b, s);
    }
  }
  const auto& code = program.program().code;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    const verify::AccessFact* access = program.AccessAt(pc);
    plan.may_fault |= access != nullptr && access->tier == verify::Tier::kGuarded;
    const bool divides = code[pc].op == Opcode::kDiv || code[pc].op == Opcode::kRem;
    plan.may_fault |= divides && isa::IsInteger(code[pc].type) && !program.NeverFaults(pc);
    plan.may_fault |= isa::TakesClass(code[pc].op) && !program.NeverFaults(pc);
    const bool served = isa::IsServed(code[pc].op) && !isa::IsPrint(code[pc].op);
    plan.may_fault |= served || code[pc].op == Opcode::kTrap;
  }
  plan.may_fault |= plan.counts() || plan.recursive;
}

}  // namespace

Plan MakePlan(const verify::VerifiedProgram& program, Lanes lanes, const Options& options) {
  Plan plan = PlanOf(program, nullptr);
  FillPlan(plan, lanes, options);
  const std::vector<verify::LoopToCopy> loops = LoopsToCopy(plan);
  if (loops.empty()) return plan;
  Plan copied = PlanOf(program, std::make_shared<verify::CopiedLoops>(CopyLoops(program, loops)));
  FillPlan(copied, lanes, options);
  return CopiesServe(copied) ? copied : plan;
}

}  // namespace hologram::codegen
