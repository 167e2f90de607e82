#include "codegen/plan/cells.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "codegen/plan/accesses.h"
#include "codegen/plan/loops.h"
#include "codegen/plan/sums.h"

namespace hologram::codegen {
namespace {

class CellFinder {
 public:
  explicit CellFinder(const Plan& plan) : plan_(plan), code_(plan.program().code) {}

  Cells Run() {
    if (!MayHaveCells()) return {};
    if (plan_.copies == nullptr && plan_.verified->ordered_updates().empty()) AddCellsOfLoops();
    AddCellsThatStay();
    return std::move(found_);
  }

 private:
  // Edges out of a loop that is written twice do not all store what it keeps, and chunks with
  // updates are run again.
  void AddCellsOfLoops() {
    std::vector<std::vector<uint32_t>> loops;
    for (const verify::LoopFact& loop : plan_.verified->loops()) {
      loops.push_back(BlocksOfLoop(plan_, loop));
    }
    // The outermost loop that can have an array's cells.
    std::sort(loops.begin(), loops.end(),
              [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (const std::vector<uint32_t>& blocks : loops) {
      if (!LeavesTogether(blocks)) continue;
      std::set<uint32_t> slots;
      for (const verify::AccessFact* access : AccessesIn(blocks)) slots.insert(access->slot);
      for (const uint32_t slot : slots) AddCells(blocks, slot);
    }
  }

  // Elements of read-only arrays that a lane reads in loops.
  void AddCellsThatStay() {
    std::vector<Cell> cells;
    for (const verify::AccessFact& access : plan_.verified->accesses()) {
      if (!Stays(access) || !CanBeOfCell(access)) continue;
      const auto same = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) {
        return IsSameElement(cell.accesses[0], access.pc);
      });
      Cell& cell = same == cells.end() ? cells.emplace_back() : *same;
      cell.accesses.push_back(access.pc);
    }
    for (Cell& cell : cells) {
      const bool loops = std::any_of(cell.accesses.begin(), cell.accesses.end(),
                                     [&](uint32_t pc) { return IsInLoop(pc); });
      if (loops) Keep({}, {std::move(cell)});
    }
  }

  // Elements side by side are read as fast as a register that had no room.
  bool Stays(const verify::AccessFact& access) const {
    if (!access.global() || !isa::IsLoad(code_[access.pc].op)) return false;
    const bool row = plan_.KindOf(IndexOf(plan_, access.pc)) == Kind::kAffine && access.stride == 1;
    const auto& parameter = plan_.program().parameters[access.slot];
    if (row || parameter.direction != isa::Direction::kIn) return false;
    const auto& accesses = plan_.verified->accesses();
    return std::all_of(accesses.begin(), accesses.end(), [&](const verify::AccessFact& other) {
      const bool reads = !other.global() || isa::IsLoad(code_[other.pc].op);
      return reads || AreApart(access.slot, other.slot);
    });
  }

  bool IsSameElement(uint32_t a, uint32_t b) const {
    return plan_.verified->AccessAt(a)->slot == plan_.verified->AccessAt(b)->slot &&
           code_[a].type == code_[b].type && code_[a].displacement() == code_[b].displacement() &&
           IsSameValue(plan_, IndexOf(plan_, a), IndexOf(plan_, b));
  }

  bool IsInLoop(uint32_t pc) const {
    const auto& loops = plan_.verified->loops();
    return std::any_of(loops.begin(), loops.end(), [&](const verify::LoopFact& loop) {
      return Contains(BlocksOfLoop(plan_, loop), plan_.verified->BlockOf(pc));
    });
  }

  bool MayHaveCells() const {
    const verify::VerifiedProgram& verified = *plan_.verified;
    if (plan_.scalar || plan_.recursive || verified.uses_barrier()) return false;
    if (verified.needs_session() || verified.reads_class_memory()) return false;
    return !verified.writes_class_memory() &&
           std::none_of(code_.begin(), code_.end(),
                        [](const isa::Instruction& in) { return isa::IsServed(in.op); });
  }

  // All lanes that are in the loop go to one place behind it.
  bool LeavesTogether(const std::vector<uint32_t>& blocks) const {
    for (const uint32_t b : blocks) {
      if (plan_.successors[b].empty()) return false;
      for (const uint32_t to : plan_.successors[b]) {
        if (Contains(blocks, to)) continue;
        if (plan_.divergent[b] != 0 || plan_.PartsLanes(b)) return false;
        if (to != verify::kExitBlock && plan_.divergent[to] != 0) return false;
      }
    }
    return true;
  }

  // Of parameters.
  std::vector<const verify::AccessFact*> AccessesIn(const std::vector<uint32_t>& blocks) const {
    std::vector<const verify::AccessFact*> accesses;
    for (const uint32_t b : blocks) {
      for (uint32_t pc = plan_.block(b).begin; pc < plan_.block(b).end; ++pc) {
        const verify::AccessFact* access = plan_.verified->AccessAt(pc);
        if (access != nullptr && access->global()) accesses.push_back(access);
      }
    }
    return accesses;
  }

  // The launch check refuses launches in which the two overlap.
  bool AreApart(uint32_t slot, uint32_t other) const {
    const auto& rules = plan_.verified->launch_check().aliases;
    bool known = false;
    for (const verify::AliasRule& rule : rules) {
      if (std::minmax(rule.slot_a, rule.slot_b) != std::minmax(slot, other)) continue;
      if (rule.same_element) return false;
      known = true;
    }
    return known;
  }

  bool CanBeOfCell(const verify::AccessFact& access) const {
    const isa::Instruction& in = code_[access.pc];
    if (found_.of_access.contains(access.pc) || !(isa::IsLoad(in.op) || isa::IsStore(in.op)))
      return false;
    if (access.tier != verify::Tier::kProved) return false;
    const OperandId index = IndexOf(plan_, access.pc);
    if (plan_.KindOf(index) == Kind::kUniform) return false;
    return IsFixed(index) || plan_.webs[static_cast<size_t>(index)].invariant;
  }

  // No proof keeps the lanes apart: in launches that allow that, they may look at each other.
  bool IsRaced(uint32_t slot) const {
    const auto& races = plan_.verified->races();
    return std::any_of(races.begin(), races.end(), [&](const verify::RaceFact& race) {
      const verify::AccessFact* access = plan_.verified->AccessAt(race.pc);
      return access == nullptr || (access->global() && access->slot == slot);
    });
  }

  // Whether a lane that comes to `pc` has computed the index before.
  bool IsComputed(OperandId index, uint32_t pc) const {
    if (IsFixed(index) || index == IndexOf(plan_, pc)) return true;
    const uint32_t maker =
        plan_.verified->BlockOf(plan_.webs[static_cast<size_t>(index)].definitions[0]);
    const uint32_t target = plan_.verified->BlockOf(pc);
    if (maker == target) return true;
    // No way from the start of the program leads past the block that computes it.
    std::vector<bool> seen(plan_.successors.size(), false);
    std::vector<uint32_t> work{0};
    seen[maker] = true;
    while (!work.empty()) {
      const uint32_t b = work.back();
      work.pop_back();
      if (b == target) return false;
      if (seen[b]) continue;
      seen[b] = true;
      for (const uint32_t to : plan_.successors[b]) {
        if (to != verify::kExitBlock) work.push_back(to);
      }
    }
    return true;
  }

  // The store at whose place the cell ends: its index is there whichever store a lane has made.
  // False if there are stores, but none of them is so.
  bool FindStore(Cell& cell) const {
    std::vector<uint32_t> stores;
    std::copy_if(cell.accesses.begin(), cell.accesses.end(), std::back_inserter(stores),
                 [&](uint32_t pc) { return isa::IsStore(code_[pc].op); });
    const auto store = std::find_if(stores.begin(), stores.end(), [&](uint32_t pc) {
      return std::all_of(stores.begin(), stores.end(),
                         [&](uint32_t other) { return IsComputed(IndexOf(plan_, pc), other); });
    });
    if (store == stores.end()) return stores.empty();
    cell.store = *store;
    return true;
  }

  void AddCells(const std::vector<uint32_t>& blocks, uint32_t slot) {
    if (IsRaced(slot)) return;
    std::vector<Cell> cells;
    bool both = false;
    for (const verify::AccessFact* access : AccessesIn(blocks)) {
      if (access->slot != slot) {
        if (!AreApart(slot, access->slot)) return;
        continue;
      }
      if (!CanBeOfCell(*access)) return;
      Cell* cell = nullptr;
      const Sum index = SumOf(plan_, IndexOf(plan_, access->pc));
      for (Cell& other : cells) {
        const uint32_t first = other.accesses[0];
        const Sum its = SumOf(plan_, IndexOf(plan_, first));
        if (!IsSameValue(plan_, its.base, index.base)) return;
        const bool near = code_[first].displacement() == code_[access->pc].displacement();
        if (!near && its.offset != index.offset) return;  // may be one element or two
        if (near && its.offset == index.offset) cell = &other;
      }
      if (cell == nullptr) cell = &cells.emplace_back();
      cell->accesses.push_back(access->pc);
    }
    for (Cell& cell : cells) {
      if (!FindStore(cell)) return;
      both |= cell.store && std::any_of(cell.accesses.begin(), cell.accesses.end(),
                                        [&](uint32_t pc) { return isa::IsLoad(code_[pc].op); });
    }
    if (both) Keep(blocks, std::move(cells));
  }

  bool LeavesNans(const Cell& cell) const {
    const isa::Type type = code_[cell.accesses[0]].type;
    if (!isa::IsFloat(type) || isa::IsHalf(type)) return false;
    return std::all_of(cell.accesses.begin(), cell.accesses.end(), [&](uint32_t pc) {
      const bool load = isa::IsLoad(code_[pc].op);
      const OperandId id = load ? plan_.operands[pc].write : StoredOperand(plan_, pc);
      return !IsFixed(id) && !plan_.webs[static_cast<size_t>(id)].keeps_bits;
    });
  }

  void Keep(const std::vector<uint32_t>& blocks, std::vector<Cell> cells) {
    for (Cell& cell : cells) {
      cell.leaves_nans = LeavesNans(cell);
      const auto number = static_cast<uint32_t>(found_.cells.size());
      for (const uint32_t pc : cell.accesses) found_.of_access[pc] = number;
      for (const uint32_t b : blocks) {
        for (const uint32_t to : plan_.successors[b]) {
          if (!Contains(blocks, to)) found_.ends[{b, to}].push_back(number);
        }
      }
      found_.cells.push_back(std::move(cell));
    }
  }

  const Plan& plan_;
  const std::vector<isa::Instruction>& code_;
  Cells found_;
};

}  // namespace

Cells FindCells(const Plan& plan) {
  return CellFinder(plan).Run();
}

}  // namespace hologram::codegen
