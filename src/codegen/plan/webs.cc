// Splits registers into webs. There is a node for every definition and for every register that is
// live into a block; a block's end joins what it leaves in a register with the node of each
// successor where the register is live. The classes of that union-find are the webs. Linear in the
// size of the program plus its live sets.
#include <numeric>

#include "codegen/plan/plan.h"

namespace hologram::codegen {
namespace {

constexpr int32_t kNone = -1;
constexpr size_t kNumSlots = isa::kNumRegisters + isa::kNumPredicates;

class WebFinder {
 public:
  explicit WebFinder(Plan& plan) : plan_(plan), program_(plan.program()) {}

  void Run() {
    NumberLiveIns();
    parent_.resize(static_cast<size_t>(num_nodes_));
    std::iota(parent_.begin(), parent_.end(), 0);
    plan_.operands.assign(program_.code.size(), {});
    for (uint32_t b = 0; b < NumBlocks(); ++b) {
      if (plan_.block(b).reachable) WalkBlock(b);
    }
    MakeWebs();
  }

 private:
  uint32_t NumBlocks() const { return static_cast<uint32_t>(plan_.verified->blocks().size()); }

  bool IsFixedSlot(uint16_t slot) const {
    if (slot >= kFirstPredicateSlot) return false;
    return slot >= isa::kFirstSpecialRegister || (slot >= 1 && slot <= program_.parameters.size());
  }

  void NumberLiveIns() {
    num_nodes_ = static_cast<int32_t>(program_.code.size());
    first_live_.resize(NumBlocks());
    for (uint32_t b = 0; b < NumBlocks(); ++b) {
      first_live_[b] = num_nodes_;
      num_nodes_ += static_cast<int32_t>(plan_.verified->live_in()[b].size());
    }
  }

  int32_t Find(int32_t node) {
    while (parent_[static_cast<size_t>(node)] != node) {
      int32_t& up = parent_[static_cast<size_t>(node)];
      up = parent_[static_cast<size_t>(up)];
      node = up;
    }
    return node;
  }

  void Join(int32_t a, int32_t b) { parent_[static_cast<size_t>(Find(a))] = Find(b); }

  // Reads are recorded as nodes first and become web numbers in MakeWebs.
  OperandId Read(uint16_t slot) const {
    if (IsFixedSlot(slot)) return Fixed(static_cast<uint8_t>(slot));
    return current_[slot];
  }

  void WalkBlock(uint32_t b) {
    current_.fill(kNone);
    const auto& live = plan_.verified->live_in()[b];
    for (size_t i = 0; i < live.size(); ++i) {
      if (!IsFixedSlot(live[i])) current_[live[i]] = first_live_[b] + static_cast<int32_t>(i);
    }
    for (uint32_t pc = plan_.block(b).begin; pc < plan_.block(b).end; ++pc) WalkInstruction(pc);
    for (uint32_t s : plan_.block(b).successors) {
      if (s == verify::kExitBlock) continue;
      const auto& wanted = plan_.verified->live_in()[s];
      for (size_t i = 0; i < wanted.size(); ++i) {
        if (IsFixedSlot(wanted[i]) || current_[wanted[i]] == kNone) continue;
        Join(current_[wanted[i]], first_live_[s] + static_cast<int32_t>(i));
      }
    }
  }

  void WalkInstruction(uint32_t pc) {
    const isa::Uses uses = isa::UsesOf(program_.code[pc]);
    InstructionOperands& operands = plan_.operands[pc];
    for (size_t i = 0; i < static_cast<size_t>(uses.num_reads); ++i) {
      operands.reads[i] = Read(uses.reads[i].reg);
    }
    for (size_t i = 0; i < uses.run.count; ++i) {
      plan_.runs[pc].push_back(Read(static_cast<uint16_t>(uses.run.first + i)));
    }
    for (size_t i = 0; i < static_cast<size_t>(uses.num_predicate_reads); ++i) {
      operands.predicates[i] =
          Read(static_cast<uint16_t>(kFirstPredicateSlot + uses.predicate_reads[i]));
    }
    uint16_t slot = 0;
    if (uses.write) {
      slot = uses.write->reg;
    } else if (uses.predicate_write) {
      slot = static_cast<uint16_t>(kFirstPredicateSlot + *uses.predicate_write);
    } else {
      return;
    }
    current_[slot] = static_cast<int32_t>(pc);
    operands.write = static_cast<int32_t>(pc);
  }

  OperandId WebOfNode(OperandId node) {
    if (node == kNoOperand || IsFixed(node)) return node;
    OperandId& web = web_of_root_[static_cast<size_t>(Find(node))];
    if (web == kNone) {
      web = static_cast<OperandId>(plan_.webs.size());
      plan_.webs.emplace_back();
    }
    return web;
  }

  void MakeWebs() {
    web_of_root_.assign(parent_.size(), kNone);
    for (auto& [pc, run] : plan_.runs) {
      for (OperandId& read : run) read = WebOfNode(read);
    }
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      InstructionOperands& operands = plan_.operands[pc];
      for (OperandId& read : operands.reads) read = WebOfNode(read);
      for (OperandId& read : operands.predicates) read = WebOfNode(read);
      operands.write = WebOfNode(operands.write);
      if (operands.write == kNoOperand) continue;
      Web& web = plan_.webs[static_cast<size_t>(operands.write)];
      const isa::Uses uses = isa::UsesOf(program_.code[pc]);
      web.definitions.push_back(pc);
      web.slot = uses.write ? uses.write->reg
                            : static_cast<uint16_t>(kFirstPredicateSlot + *uses.predicate_write);
      if (uses.write) web.type = *uses.write->type;
    }
    plan_.live_in.assign(NumBlocks(), {});
    for (uint32_t b = 0; b < NumBlocks(); ++b) {
      const auto& live = plan_.verified->live_in()[b];
      for (size_t i = 0; plan_.block(b).reachable && i < live.size(); ++i) {
        if (IsFixedSlot(live[i])) continue;
        const OperandId web = WebOfNode(first_live_[b] + static_cast<int32_t>(i));
        plan_.webs[static_cast<size_t>(web)].local = false;
        plan_.live_in[b].push_back(web);
      }
    }
  }

  Plan& plan_;
  const isa::Program& program_;
  int32_t num_nodes_ = 0;
  std::vector<int32_t> first_live_;
  std::vector<int32_t> parent_;
  std::vector<OperandId> web_of_root_;
  std::array<int32_t, kNumSlots> current_{};
};

}  // namespace

void FindWebs(Plan& plan) {
  WebFinder(plan).Run();
}

}  // namespace hologram::codegen
