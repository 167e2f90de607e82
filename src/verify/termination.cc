// Loops that end. Unless the caller asks for what the proof rests on, that is no condition of the
// launch: a loop that ends only where the conditions hold would run for ever in the other launches
// if nobody counted its back edges.
#include <algorithm>

#include "base/wide.h"
#include "isa/condition.h"
#include "verify/proofs.h"

namespace hologram::verify {
namespace {

using isa::Condition;
using isa::Opcode;

class TerminationProver {
 public:
  TerminationProver(Symbolic& symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
                    const Loop& loop, Facts* rests_on)
      : symbolic_(symbolic),
        program_(program),
        cfg_(cfg),
        ssa_(ssa),
        loop_(loop),
        rests_on_(rests_on) {}

  bool Run() {
    if (!loop_.natural || !ssa_.built) return false;
    for (const uint32_t b : loop_.blocks) {
      if (IsInEveryRound(b) && ExitEndsLoop(b)) return true;
    }
    return false;
  }

  // REQUIRES: Run() has returned true. All exits are looked at: each bounds the rounds.
  LoopRounds Rounds() {
    bounding_ = true;
    for (const bool last : {false, true}) {
      // Which counters end the loop where they wrap is known the second time.
      if (last && wrapping_.empty()) break;
      for (const uint32_t b : loop_.blocks) {
        if (IsInEveryRound(b)) ExitEndsLoop(b);
      }
    }
    return std::move(rounds_);
  }

 private:
  bool Inside(uint32_t block) const {
    return block < cfg_.num_blocks() && cfg_.InLoop(loop_, block);
  }

  bool IsInEveryRound(uint32_t b) const {
    return std::all_of(loop_.latches.begin(), loop_.latches.end(),
                       [&](uint32_t latch) { return cfg_.Dominates(b, latch); });
  }

  // ---- Bounds of the rounds

  // What a phi of the header is when the loop begins; kNone if it has several values.
  ValueId StartOf(ValueId phi) const {
    ValueId start = kNone;
    const std::vector<uint32_t>& from = cfg_.blocks[loop_.header].predecessors;
    const auto operands = ssa_.OperandsOf(cfg_, phi);
    for (size_t k = 0; k < from.size(); ++k) {
      if (cfg_.InLoop(loop_, from[k])) continue;
      if (start != kNone && start != operands[k]) return kNone;
      start = operands[k];
    }
    return start;
  }

  // `distance` / step + 1 rounds, or none.
  void AddKnown(const Form& distance, Wide step, Facts facts) {
    if (!distance.valid || step > INT64_MAX) return;
    const auto most = symbolic_.Upper(distance, {loop_.header, kNone, true}, true, facts);
    if (!most) return;
    Polys& polys = symbolic_.polys();
    const PolyId rounds = polys.Add(polys.FloorDiv(*most, polys.Constant(step)), kOne);
    if (rounds != kNoPoly) rounds_.known.push_back({rounds, std::move(facts)});
  }

  void AddMachine(Wide distance, Wide step) {
    rounds_.machine = std::min(rounds_.machine, std::max<Wide>(distance / step + 1, 1));
  }

  // The counter moves by at least `step` in each round towards `bound`, which it passes in none but
  // the last.
  void AddDistance(ValueId phi, ValueId bound, bool up, Wide strict, Wide step) {
    if (!bounding_) return;
    const Range limit = MachineRange(bound);
    const isa::Type type = symbolic_.TypeOf(phi);
    const ValueId start = StartOf(phi);
    const Range first = start == kNone ? Range{MinOf(type), MaxOf(type)} : MachineRange(start);
    AddMachine((up ? limit.high - first.low : first.high - limit.low) - strict, step);
    if (start == kNone) return;
    const Form from = symbolic_.FormOf(up ? start : bound);
    const Form to = symbolic_.FormOf(up ? bound : start);
    Form distance = symbolic_.Sub(to, from);
    if (strict != 0) distance = symbolic_.Sub(distance, symbolic_.Constant(kOne));
    AddKnown(distance, step, {start, bound});
  }

  // The least that any latch moves the counter by; 0: halving or doubling, which ends soon.
  Wide LeastStep(ValueId phi) {
    Wide least = kHuge;
    bool shifts = true;
    const std::vector<uint32_t>& from = cfg_.blocks[loop_.header].predecessors;
    const auto operands = ssa_.OperandsOf(cfg_, phi);
    for (size_t k = 0; k < from.size(); ++k) {
      if (!cfg_.InLoop(loop_, from[k])) continue;
      const Symbolic::Step step = symbolic_.StepOf(operands[k], phi);
      const bool grows = step.kind == Symbolic::Step::kGrow;
      const bool shrinks = step.kind == Symbolic::Step::kShrink;
      shifts &= grows || (shrinks && program_.code[step.pc].op != Opcode::kLoop);
      const auto amount = symbolic_.polys().ConstantOf(step.amount);
      least = std::min<Wide>(least, grows || shrinks ? 1 : amount.value_or(1));
    }
    return shifts ? 0 : std::max<Wide>(least, 1);
  }

  void AddCounted(ValueId phi, ValueId bound, Condition stay) {
    if (!bounding_) return;
    const Wide step = LeastStep(phi);
    if (step == 0) return AddMachine(BitsOf(symbolic_.TypeOf(phi)), 1);
    const bool up = stay == Condition::kLt || stay == Condition::kLe;
    const Wide strict = stay == Condition::kLe || stay == Condition::kGe ? 0 : 1;
    AddDistance(phi, bound, up, strict, step);
  }

  bool ExitEndsLoop(uint32_t b) {
    const uint32_t last = cfg_.blocks[b].end - 1;
    if (!program_.code[last].branches()) return false;
    const bool stays_taken = Inside(cfg_.Target(program_, b, true));
    const bool stays_falling = Inside(cfg_.Target(program_, b, false));
    if (stays_taken == stays_falling) return false;
    if (program_.code[last].op == Opcode::kLoop) return stays_taken && CountsDown(last);
    return StayingEnds(ssa_.predicate_reads[last][0], stays_taken, 0);
  }

  // LOOP jumps as often as its counter said at the start, if nobody else writes the counter.
  bool CountsDown(uint32_t pc) {
    const ValueId phi = ssa_.reads[pc][0];
    if (!ssa_.is_phi(phi) || ssa_.values[phi].place != loop_.header) return false;
    const std::vector<uint32_t>& from = cfg_.blocks[loop_.header].predecessors;
    const auto operands = ssa_.OperandsOf(cfg_, phi);
    for (size_t k = 0; k < from.size(); ++k) {
      if (cfg_.InLoop(loop_, from[k]) && operands[k] != ssa_.writes[pc]) return false;
    }
    if (const ValueId start = StartOf(phi); bounding_) {
      AddMachine(start == kNone ? MaxOf(symbolic_.TypeOf(phi)) : MachineRange(start).high, 1);
      if (start != kNone) AddKnown(symbolic_.FormOf(start), 1, {start});
    }
    return true;
  }

  // The loop goes on only while `p` is `holds`.
  bool StayingEnds(ValueId p, bool holds, int depth) {
    const Value& value = ssa_.values[p];
    if (value.kind != ValueKind::kInstruction || depth > 8) return false;
    // A condition from before the loop never changes.
    if (!Inside(cfg_.block_of[value.place])) return false;
    const auto& operands = ssa_.predicate_reads[value.place];
    const Opcode op = program_.code[value.place].op;
    if (op == Opcode::kPnot) return StayingEnds(operands[0], !holds, depth + 1);
    if (op == Opcode::kPand || op == Opcode::kPor) {
      if (holds != (op == Opcode::kPand)) return false;
      return Either(StayingEnds(operands[0], holds, depth + 1),
                    [&] { return StayingEnds(operands[1], holds, depth + 1); });
    }
    if (op == Opcode::kSet) return CompareEnds(value.place, holds);
    return false;
  }

  bool CompareEnds(uint32_t pc, bool holds) {
    const isa::Instruction& i = program_.code[pc];
    if (!IsInteger(i.type)) return false;
    const Condition stay = holds ? i.condition() : isa::Negated(i.condition());
    const auto& reads = ssa_.reads[pc];
    const Condition mirrored = isa::Mirrored(stay);
    return Either(CounterEnds(reads[0], stay, reads[1]), [&] {
      return Either(CounterEnds(reads[1], mirrored, reads[0]), [&] {
        return EndsByWrapping(reads[0], stay, reads[1]) ||
               EndsByWrapping(reads[1], mirrored, reads[0]);
      });
    });
  }

  // first || second(); both are asked for bounds.
  template <class F>
  bool Either(bool first, F second) const {
    if (first && !bounding_) return true;
    const bool also = second();
    return first || also;
  }

  // Through conversions that change no value.
  ValueId Counter(ValueId v) const {
    for (int i = 0; i < 4; ++i) {
      const Value& value = ssa_.values[v];
      if (value.kind != ValueKind::kInstruction) break;
      const isa::Instruction& def = program_.code[value.place];
      const bool widens = def.op == Opcode::kCvt && IsInteger(def.source_type()) &&
                          IsInteger(def.type) && MinOf(def.type) <= MinOf(def.source_type()) &&
                          MaxOf(def.type) >= MaxOf(def.source_type());
      if (def.op != Opcode::kMov && !widens) break;
      v = ssa_.reads[value.place][0];
    }
    return v;
  }

  // The loop goes on only while counter `stay` bound.
  bool CounterEnds(ValueId operand, Condition stay, ValueId bound) {
    const ValueId phi = Counter(operand);
    if (!ssa_.is_phi(phi) || ssa_.values[phi].place != loop_.header) return false;
    const Value& limit = ssa_.values[bound];
    const bool fixed = limit.kind == ValueKind::kParameter || limit.kind == ValueKind::kSpecial ||
                       !Inside(ssa_.BlockOf(cfg_, bound)) || IsConstant(bound) ||
                       FixedConversion(bound);
    if (!fixed) return false;
    const std::vector<uint32_t>& from = cfg_.blocks[loop_.header].predecessors;
    const auto operands = ssa_.OperandsOf(cfg_, phi);
    for (size_t k = 0; k < from.size(); ++k) {
      if (cfg_.InLoop(loop_, from[k]) && !StepEnds(operands[k], phi, stay, bound)) return false;
    }
    AddCounted(phi, bound, stay);
    return true;
  }

  // The loop goes on only while the next value of a counter, which is a constant away, is on the
  // right side of the value now: what range(a, b, step) does, so that it stops where a sum wraps.
  // No more rounds than the type has numbers.
  bool EndsByWrapping(ValueId next, Condition stay, ValueId operand) {
    const ValueId phi = Counter(operand);
    if (!ssa_.is_phi(phi) || ssa_.values[phi].place != loop_.header) return false;
    const Symbolic::Step step = symbolic_.StepOf(next, phi);
    const bool up = step.kind == Symbolic::Step::kUp;
    const bool grows = up && (stay == Condition::kGe || stay == Condition::kGt);
    const bool shrinks =
        step.kind == Symbolic::Step::kDown && (stay == Condition::kLe || stay == Condition::kLt);
    if ((!grows && !shrinks) || !IsFixed(step)) return false;
    const std::vector<uint32_t>& from = cfg_.blocks[loop_.header].predecessors;
    const auto operands = ssa_.OperandsOf(cfg_, phi);
    for (size_t k = 0; k < from.size(); ++k) {
      if (cfg_.InLoop(loop_, from[k]) && Counter(operands[k]) != Counter(next)) return false;
    }
    if (bounding_) {
      const auto amount = symbolic_.polys().ConstantOf(step.amount);
      const isa::Type type = symbolic_.TypeOf(phi);
      AddMachine(MaxOf(type) - MinOf(type), amount.value_or(1));
      wrapping_.push_back(phi);
    }
    return true;
  }

  bool Moves(const Symbolic::Step& step) {
    const bool adds = step.kind == Symbolic::Step::kUp || step.kind == Symbolic::Step::kDown;
    return !adds || symbolic_.polys().RangeOf(step.amount).low >= 1;
  }

  // A step that is the same, and not 0, in all rounds of every launch: what it is known by rests on
  // no condition.
  bool IsFixed(const Symbolic::Step& step) {
    if (!Moves(step)) return false;
    if (IsConstant(Counter(step.other))) return true;
    std::vector<uint32_t> conditions;
    return symbolic_.Closure({step.other}, conditions) && conditions.empty();
  }

  bool IsConstant(ValueId v) const {
    const Value& value = ssa_.values[v];
    return value.kind == ValueKind::kInstruction &&
           program_.code[value.place].op == Opcode::kMovImm;
  }

  // A copy, made in the loop, of something from outside it.
  bool FixedConversion(ValueId v) const {
    const ValueId source = Counter(v);
    return source != v && (!Inside(ssa_.BlockOf(cfg_, source)) || IsConstant(source) ||
                           ssa_.values[source].kind == ValueKind::kParameter);
  }

  Range MachineRange(ValueId v) const {
    const ValueId source = Counter(v);
    const isa::Type type = symbolic_.TypeOf(source);
    Range range{MinOf(type), MaxOf(type)};
    if (!IsConstant(source)) return range;
    const Form form = symbolic_.FormOf(source);
    return form.size == 0 && form.valid ? symbolic_.RangeOf(form) : range;
  }

  // `while i < n: i += step`: no step wraps, under conditions of the launch.
  bool NeverWraps(ValueId phi, bool up) {
    if (rests_on_ == nullptr) return false;
    const Form form = symbolic_.FormOf(phi);
    if (form.size != 1 || form != symbolic_.OfAtom(form.terms[0].atom)) return false;
    const Atom& counter = symbolic_.atom(form.terms[0].atom);
    if (counter.kind != AtomKind::kLoop || counter.value != phi || counter.step == kZero) {
      return false;
    }
    const Range step = symbolic_.polys().RangeOf(counter.step);
    if (up ? step.low < 1 : step.high > -1) return false;
    rests_on_->Append(counter.counted);
    return true;
  }

  bool StepEnds(ValueId next, ValueId phi, Condition stay, ValueId bound) {
    const Symbolic::Step step = symbolic_.StepOf(next, phi);
    const bool adds = step.kind == Symbolic::Step::kUp || step.kind == Symbolic::Step::kDown;
    return StepEndsAlways(step, phi, stay, bound) ||
           (adds && GoesTowards(step.kind == Symbolic::Step::kUp, stay) &&
            NeverWraps(phi, step.kind == Symbolic::Step::kUp));
  }

  static bool GoesTowards(bool up, Condition stay) {
    return up ? stay == Condition::kLt || stay == Condition::kLe
              : stay == Condition::kGt || stay == Condition::kGe;
  }

  bool StepEndsAlways(const Symbolic::Step& step, ValueId phi, Condition stay, ValueId bound) {
    // A step that is constant only under conditions does not count.
    if (step.kind == Symbolic::Step::kUnknown || !IsConstant(Counter(step.other))) return false;
    if (!Moves(step)) return false;
    const isa::Type type = symbolic_.TypeOf(phi);
    const Range limit = MachineRange(bound);
    const bool below = stay == Condition::kLt || stay == Condition::kLe;
    const bool above = stay == Condition::kGt || stay == Condition::kGe;
    const Wide strict = stay == Condition::kLt || stay == Condition::kGt ? 1 : 0;
    const auto amount = symbolic_.polys().ConstantOf(step.amount);
    const bool wraps = std::find(wrapping_.begin(), wrapping_.end(), phi) == wrapping_.end();
    switch (step.kind) {
      case Symbolic::Step::kUp:
        return amount && below && (!wraps || limit.high - strict + *amount <= MaxOf(type));
      case Symbolic::Step::kDown:
        return amount && above && (!wraps || limit.low + strict - *amount >= MinOf(type));
      case Symbolic::Step::kShrink:
        // What goes on is at least 1 and gets smaller.
        return (above && limit.low + strict >= 1) ||
               (stay == Condition::kNe && IsUnsigned(type) && limit.low == 0 && limit.high == 0);
      case Symbolic::Step::kGrow:
        return amount && below && Grows(step, *amount, phi, limit.high - strict);
      case Symbolic::Step::kUnknown:
        return false;
    }
    return false;
  }

  // What is doubled is at least 1 when the loop begins, and from no number of it that goes on the
  // next one wraps.
  bool Grows(const Symbolic::Step& step, int64_t amount, ValueId phi, Wide most) const {
    constexpr int64_t kMostBits = 31;
    const bool shifts = program_.code[step.pc].op == Opcode::kShl;
    if (shifts && amount > kMostBits) return false;
    const Wide factor = shifts ? Wide{1} << amount : Wide{amount};
    const ValueId start = StartOf(phi);
    if (start == kNone || MachineRange(start).low < 1) return false;
    Wide product = 0;
    return !ProductOverflows(most, factor, product) && product <= MaxOf(symbolic_.TypeOf(phi));
  }

  Symbolic& symbolic_;
  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  const Loop& loop_;
  Facts* rests_on_;
  bool bounding_ = false;
  LoopRounds rounds_;
  std::vector<ValueId> wrapping_;  // counters whose loop ends where they would wrap
};

}  // namespace

bool LoopEnds(Symbolic& symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
              const Loop& loop, Facts* rests_on) {
  return TerminationProver(symbolic, program, cfg, ssa, loop, rests_on).Run();
}

LoopRounds RoundsOf(Symbolic& symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
                    const Loop& loop, Facts* rests_on) {
  return TerminationProver(symbolic, program, cfg, ssa, loop, rests_on).Rounds();
}

}  // namespace hologram::verify
