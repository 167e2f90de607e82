#include "codegen/plan/records.h"

#include <algorithm>

#include "codegen/plan/accesses.h"
#include "codegen/plan/sums.h"
#include "verify/checked_form.h"

namespace hologram::codegen {
namespace {

class RecordFinder {
 public:
  explicit RecordFinder(const Plan& plan) : plan_(plan), code_(plan.program().code) {}

  Records Run() {
    if (plan_.scalar || plan_.options.unchecked) return {};
    for (uint32_t b = 0; b < plan_.successors.size(); ++b) {
      if (!plan_.block(b).reachable) continue;
      for (uint32_t pc = plan_.block(b).begin; pc < plan_.block(b).end; ++pc) Visit(pc);
      Close();
    }
    return std::move(found_);
  }

 private:
  struct Open {
    Record record;
    Sum sum;
    int64_t lowest = 0;  // offset
    int64_t highest = 0;
  };

  void Visit(uint32_t pc) {
    if (IsCandidate(pc)) return Add(pc);
    const isa::Instruction& in = code_[pc];
    const bool divides = in.op == isa::Opcode::kDiv || in.op == isa::Opcode::kRem;
    // What others store meanwhile may be seen by the later loads.
    if (!IsPure(in) && !isa::IsLoad(in.op) && !divides) Close();
  }

  bool IsCandidate(uint32_t pc) const {
    const isa::Instruction& in = code_[pc];
    const verify::AccessFact* access = plan_.verified->AccessAt(pc);
    if (in.op != isa::Opcode::kLdg || access == nullptr || isa::SizeOf(in.type) != 4) return false;
    if (access->tier != verify::Tier::kGuarded || verify::IsLeftToCode(*access)) return false;
    const OperandId index = IndexOf(plan_, pc);
    const isa::Type type = plan_.TypeOf(index);
    // A number of u32 may wrap into an array of 2^32 elements, others are outside then.
    const bool wraps = isa::BitsOf(type) < 32 || type == isa::Type::kU32;
    if (plan_.KindOf(index) != Kind::kVarying || wraps) return false;
    // Others are asked for runs (codegen/instructions/runs.h).
    return !FollowsLanes(plan_, index) && !IsComputed(plan_, index);
  }

  int64_t OffsetOf(uint32_t pc, const Sum& sum) const {
    const bool narrow = isa::BitsOf(plan_.TypeOf(IndexOf(plan_, pc))) == 32;
    const int64_t offset = narrow ? static_cast<int32_t>(static_cast<uint32_t>(sum.offset))
                                  : static_cast<int64_t>(sum.offset);
    return offset + code_[pc].displacement() / static_cast<int64_t>(isa::SizeOf(code_[pc].type));
  }

  void Add(uint32_t pc) {
    const Sum sum = SumOf(plan_, IndexOf(plan_, pc));
    const int64_t offset = OffsetOf(pc, sum);
    for (Open& open : open_) {
      const uint32_t first = open.record.loads[0];
      const int64_t lowest = std::min(open.lowest, offset);
      const int64_t highest = std::max(open.highest, offset);
      const bool near = highest - lowest < int64_t{kElementsOfRecord};
      const bool same_array =
          plan_.verified->AccessAt(first)->slot == plan_.verified->AccessAt(pc)->slot;
      const bool alike = code_[first].type == code_[pc].type &&
                         plan_.TypeOf(IndexOf(plan_, first)) == plan_.TypeOf(IndexOf(plan_, pc));
      if (!near || !same_array || !alike || !IsSameValue(plan_, open.sum.base, sum.base)) continue;
      if (!Stays(open.sum.base, first, pc, 0)) continue;
      open.lowest = lowest;
      open.highest = highest;
      open.record.loads.push_back(pc);
      open.record.offsets.push_back(offset);
      return;
    }
    open_.push_back({{{pc}, {offset}}, sum, offset, offset});
  }

  // Nothing that the value is computed from is written between two instructions of a block.
  bool Stays(OperandId id, uint32_t from, uint32_t to, int depth) const {
    constexpr int kMaxDepth = 16;
    if (id == kNoOperand || IsFixed(id)) return true;
    if (depth == kMaxDepth) return false;
    const std::vector<uint32_t>& writes = plan_.webs[static_cast<size_t>(id)].definitions;
    bool stays = std::none_of(writes.begin(), writes.end(),
                              [&](uint32_t pc) { return pc > from && pc < to; });
    // What several instructions write, or one that is not pure, is looked at no further.
    if (writes.size() != 1 || !IsPure(code_[writes[0]])) return stays;
    plan_.ForEachRead(writes[0],
                      [&](OperandId read) { stays = stays && Stays(read, from, to, depth + 1); });
    return stays;
  }

  void Close() {
    for (Open& open : open_) {
      if (open.record.loads.size() < 2) continue;
      for (int64_t& offset : open.record.offsets) offset -= open.lowest;
      const auto number = static_cast<uint32_t>(found_.records.size());
      for (const uint32_t pc : open.record.loads) found_.of_load[pc] = number;
      found_.records.push_back(std::move(open.record));
    }
    open_.clear();
  }

  const Plan& plan_;
  const std::vector<isa::Instruction>& code_;
  std::vector<Open> open_;
  Records found_;
};

}  // namespace

Records FindRecords(const Plan& plan) {
  return RecordFinder(plan).Run();
}

}  // namespace hologram::codegen
