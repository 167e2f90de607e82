#include "device/counted_loops.h"

#include <algorithm>
#include <optional>

#include "device/facts.h"

namespace hologram::device {

using isa::Condition;
using isa::Opcode;
using verify::kExitBlock;
using verify::kNone;
using verify::ValueId;

namespace {

size_t PlaceOf(const std::vector<uint32_t>& among, uint32_t block) {
  return static_cast<size_t>(std::find(among.begin(), among.end(), block) - among.begin());
}

class Finder {
 public:
  Finder(Facts& facts, const verify::Loop& loop)
      : facts_(facts), cfg_(facts.cfg), ssa_(facts.ssa), loop_(loop) {}

  void Find() {
    if (!FindEnds() || !FindCounter() || !SameBehind()) return;
    TakeOut();
    facts_.counted.push_back(found_);
  }

 private:
  const isa::Instruction& At(uint32_t pc) const { return facts_.program().code[pc]; }
  const verify::BasicBlock& Block(uint32_t b) const { return cfg_.blocks[b]; }

  uint32_t Origin(ValueId v) const { return facts_.OriginOf(v); }

  // The comparison that decides the branch at the end of a block; kNone.
  uint32_t Comparison(uint32_t block) const {
    const uint32_t last = Block(block).end - 1;
    if (At(last).op != Opcode::kBra || Block(block).successors.size() != 2) return kNone;
    const ValueId decides = ssa_.predicate_reads[last][0];
    const uint32_t pc = Origin(decides);
    return pc != kNone && At(pc).op == Opcode::kSet ? pc : kNone;
  }

  // The header, which does nothing but compare; where it leaves to; the only block that goes back.
  bool FindEnds() {
    const uint32_t header = found_.header = loop_.header;
    const verify::BasicBlock& block = Block(header);
    if (!loop_.natural || block.end - block.begin != 2 || block.predecessors.size() != 2) {
      return false;
    }
    found_.test = Comparison(header);
    if (found_.test == kNone || cfg_.block_of[found_.test] != header) return false;
    out_ = block.successors[0];
    if (out_ == kExitBlock || cfg_.InLoop(loop_, out_)) return false;
    const auto goes_back = [&](uint32_t from) { return cfg_.InLoop(loop_, from); };
    back_ = static_cast<size_t>(
        std::find_if(block.predecessors.begin(), block.predecessors.end(), goes_back) -
        block.predecessors.begin());
    if (back_ == 2 || goes_back(block.predecessors[1 - back_])) return false;
    return facts_.CountOf(block.predecessors[back_], header) == Facts::Count::kNot;
  }

  // The value that the phi of the header has when the loop goes round.
  ValueId Next(ValueId phi) const { return ssa_.OperandsOf(cfg_, phi)[back_]; }

  bool IsInvariant(ValueId v) const { return !cfg_.InLoop(loop_, ssa_.BlockOf(cfg_, v)); }

  // Whether the step is such that a sum that wraps is behind the end. Of signed numbers only one
  // whose direction is known.
  bool Advances(ValueId step, bool down) const {
    const isa::Type type = At(found_.test).type;
    if (type == isa::Type::kU32) return !down;
    const std::optional<uint64_t> number = facts_.NumberIn(step);
    if (type != isa::Type::kI32 || !number) return false;
    return down ? static_cast<int32_t>(*number) < 0 : static_cast<int32_t>(*number) > 0;
  }

  bool FindCounter() {
    const isa::Instruction& test = At(found_.test);
    const bool down = test.condition() == Condition::kLe;
    if (!down && test.condition() != Condition::kGe) return false;
    found_.counter = ssa_.reads[found_.test][0];
    if (!ssa_.is_phi(found_.counter) || ssa_.values[found_.counter].place != found_.header ||
        !IsInvariant(ssa_.reads[found_.test][1])) {
      return false;
    }
    found_.add = Origin(Next(found_.counter));
    if (found_.add == kNone || At(found_.add).op != Opcode::kAdd ||
        At(found_.add).type != test.type) {
      return false;
    }
    const auto& reads = ssa_.reads[found_.add];
    found_.step = reads[0] == found_.counter ? 1 : 0;
    if (reads[1 - found_.step] != found_.counter || !IsInvariant(reads[found_.step]) ||
        !Advances(reads[found_.step], down)) {
      return false;
    }
    found_.down = down;
    return FindSecond();
  }

  // The block of the loop that leaves to the same place if the sum has wrapped.
  bool FindSecond() {
    for (const uint32_t from : Block(out_).predecessors) {
      if (from == found_.header || !cfg_.Reachable(from) || !cfg_.InLoop(loop_, from)) continue;
      const uint32_t pc = Comparison(from);
      if (pc == kNone || Block(from).successors[0] != out_ || Block(from).successors[1] == out_) {
        continue;
      }
      const Condition wanted = found_.down ? Condition::kGt : Condition::kLt;
      if (At(pc).condition() != wanted || At(pc).type != At(found_.test).type) continue;
      if (Origin(ssa_.reads[pc][0]) != found_.add || ssa_.reads[pc][1] != found_.counter) continue;
      second_ = from;
      return true;
    }
    return false;
  }

  // Whether what is read behind the loop is the same if the loop goes round once more, to leave by
  // its header: through the phis of the place where it leaves to, and of nothing else.
  bool SameBehind() const {
    const size_t first = PlaceOf(Block(out_).predecessors, found_.header);
    const size_t second = PlaceOf(Block(out_).predecessors, second_);
    const ValueId compared = ssa_.writes[found_.test];
    const auto changes = [&](ValueId v) {
      if (v == kNone || !ssa_.is_phi(v)) return v != kNone && v == compared;
      return ssa_.values[v].place == found_.header && Next(v) != v;
    };
    for (const ValueId phi : ssa_.phis) {
      const uint32_t at = ssa_.values[phi].place;
      const auto operands = ssa_.OperandsOf(cfg_, phi);
      if (at == out_) {
        const ValueId leaves = operands[first];
        if (leaves == compared) return false;
        if ((changes(leaves) ? Next(leaves) : leaves) != operands[second]) return false;
      }
      if (cfg_.InLoop(loop_, at)) continue;
      for (size_t k = 0; k < operands.size(); ++k) {
        if ((at != out_ || k != first) && changes(operands[k])) return false;
      }
    }
    for (const uint32_t b : cfg_.order) {
      if (cfg_.InLoop(loop_, b)) continue;
      for (uint32_t pc = Block(b).begin; pc < Block(b).end; ++pc) {
        const auto run = ssa_.RunOf(cfg_, pc);
        if (std::any_of(ssa_.reads[pc].begin(), ssa_.reads[pc].end(), changes) ||
            std::any_of(ssa_.predicate_reads[pc].begin(), ssa_.predicate_reads[pc].end(),
                        changes) ||
            std::any_of(run.begin(), run.end(), changes)) {
          return false;
        }
      }
    }
    return true;
  }

  void TakeOut() {
    std::vector<uint32_t>& predecessors = cfg_.blocks[out_].predecessors;
    const size_t place = PlaceOf(predecessors, second_);
    for (const ValueId phi : ssa_.phis) {
      if (ssa_.values[phi].place != out_) continue;
      const auto first = ssa_.phi_operands.begin() + ssa_.values[phi].operands;
      const auto end = first + static_cast<std::ptrdiff_t>(predecessors.size());
      std::copy(first + static_cast<std::ptrdiff_t>(place) + 1, end,
                first + static_cast<std::ptrdiff_t>(place));
    }
    predecessors.erase(predecessors.begin() + static_cast<std::ptrdiff_t>(place));
    std::vector<uint32_t>& successors = cfg_.blocks[second_].successors;
    successors.erase(successors.begin());
  }

  Facts& facts_;
  verify::Cfg& cfg_;
  verify::Ssa& ssa_;
  const verify::Loop& loop_;
  CountedLoop found_;
  size_t back_ = 0;      // among the predecessors of the header
  uint32_t out_ = 0;     // block behind the loop
  uint32_t second_ = 0;  // block of the second way out
};

}  // namespace

void FindCountedLoops(Facts& facts) {
  if (!facts.ssa.built || facts.lanes_leave) return;
  std::vector<const verify::Loop*> loops;
  for (const verify::Loop& loop : facts.cfg.loops) loops.push_back(&loop);
  // An inner loop may go to the header of an outer one twice, at first.
  std::sort(loops.begin(), loops.end(), [&](const auto* a, const auto* b) {
    return facts.cfg.position[a->header] > facts.cfg.position[b->header];
  });
  for (const verify::Loop* loop : loops) Finder(facts, *loop).Find();
}

}  // namespace hologram::device
