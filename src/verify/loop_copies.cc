#include "verify/loop_copies.h"

#include <algorithm>
#include <set>

#include "verify/cfg.h"

namespace hologram::verify {

namespace {

constexpr uint32_t kNoBlock = CopiedLoops::kNoBlock;

}  // namespace

class LoopCopier {
 public:
  LoopCopier(const VerifiedProgram& given, const std::vector<LoopToCopy>& loops)
      : given_(given), loops_(loops), size_(given.blocks_.size()) {}

  CopiedLoops Run() {
    result_.given = &given_;
    Arrange();
    VerifiedProgram& out = result_.program;
    out = given_;
    if (!out.source_) out.source_ = given_.program_;
    CopyCode();
    CopyBlocks();
    CopyAccesses();
    CopyLoopFacts();
    CopyLaunchFacts();
    return std::move(result_);
  }

 private:
  enum class Role : uint8_t { kOriginal, kFirst, kParting };  // the last: the branch alone, again
  struct NewBlock {
    uint32_t source = 0;
    Role role = Role::kOriginal;
  };

  // The order of the new blocks: first copies, partings, then the loop as it is.
  void Arrange() {
    at_.assign(size_, kNoBlock);
    first_.assign(size_, kNoBlock);
    parting_.assign(size_, kNoBlock);
    loop_of_.assign(size_, kNoBlock);
    for (uint32_t l = 0; l < loops_.size(); ++l) {
      for (const uint32_t b : loops_[l].blocks) loop_of_[b] = l;
    }
    const auto add = [&](uint32_t source, Role role, std::vector<uint32_t>& at) {
      at[source] = static_cast<uint32_t>(order_.size());
      order_.push_back({source, role});
    };
    for (uint32_t b = 0; b < size_; ++b) {
      if (IsHeader(b)) {
        for (const uint32_t block : loops_[loop_of_[b]].blocks) add(block, Role::kFirst, first_);
        for (const uint32_t block : loops_[loop_of_[b]].parts) add(block, Role::kParting, parting_);
      }
      add(b, Role::kOriginal, at_);
    }
    for (const NewBlock& block : order_) {
      const bool first = block.role == Role::kFirst;
      result_.second.push_back(first ? at_[block.source] : kNoBlock);
      result_.parts.push_back(first && parting_[block.source] != kNoBlock);
      result_.repeats.push_back(!first && loop_of_[block.source] != kNoBlock);
    }
  }

  bool IsHeader(uint32_t b) const {
    return loop_of_[b] != kNoBlock && loops_[loop_of_[b]].blocks[0] == b;
  }

  // Where an edge of a block leads.
  uint32_t Target(const NewBlock& from, uint32_t to) const {
    const uint32_t loop = loop_of_[from.source];
    const bool stays = to != kExitBlock && loop != kNoBlock && loop_of_[to] == loop;
    if (stays) return from.role == Role::kFirst ? first_[to] : at_[to];
    if (from.role == Role::kFirst && parting_[from.source] != kNoBlock) {
      return parting_[from.source];
    }
    if (to == kExitBlock) return kExitBlock;
    return IsHeader(to) ? first_[to] : at_[to];
  }

  void CopyCode() {
    VerifiedProgram& out = result_.program;
    const isa::Program& program = given_.program_;
    out.program_.code.clear();
    out.program_.debug.clear();
    out.source_pc_.clear();
    for (const NewBlock& block : order_) {
      const BasicBlock& source = given_.blocks_[block.source];
      const auto begin = static_cast<uint32_t>(out.program_.code.size());
      begin_.push_back(begin);
      for (uint32_t pc = block.role == Role::kParting ? source.end - 1 : source.begin;
           pc < source.end; ++pc) {
        out.program_.code.push_back(program.code[pc]);
        if (!program.debug.empty()) out.program_.debug.push_back(program.debug[pc]);
        out.source_pc_.push_back(given_.SourcePc(pc));
        result_.original.push_back(pc);
      }
    }
    begin_.push_back(static_cast<uint32_t>(out.program_.code.size()));
    out.shapes_ = Chosen(given_.shapes_);
    if (!given_.same_as_.empty()) out.same_as_ = Chosen(given_.same_as_);
    if (!given_.never_faults_.empty()) out.never_faults_ = Chosen(given_.never_faults_);
  }

  // A fact of each instruction.
  template <class T>
  std::vector<T> Chosen(const std::vector<T>& facts) const {
    std::vector<T> chosen;
    for (const uint32_t pc : result_.original) chosen.push_back(facts[pc]);
    return chosen;
  }

  void CopyBlocks() {
    VerifiedProgram& out = result_.program;
    out.blocks_.assign(order_.size(), {});
    out.block_of_.assign(out.program_.code.size(), 0);
    out.live_in_.clear();
    for (uint32_t b = 0; b < order_.size(); ++b) {
      const BasicBlock& source = given_.blocks_[order_[b].source];
      BasicBlock& block = out.blocks_[b];
      block.begin = begin_[b];
      block.end = begin_[b + 1];
      block.reachable = source.reachable;
      block.divergent = source.divergent;
      for (const uint32_t to : source.successors) block.successors.push_back(Target(order_[b], to));
      std::fill(out.block_of_.begin() + block.begin, out.block_of_.begin() + block.end, b);
      isa::Instruction& last = out.program_.code[block.end - 1];
      if (isa::HasTarget(last.op) && !block.successors.empty()) {
        const uint32_t to = block.successors[0];
        last.imm = to == kExitBlock ? out.program_.code.size() : begin_[to];
      }
      out.live_in_.push_back(LiveIn(order_[b]));
    }
    for (uint32_t b = 0; b < order_.size(); ++b) {
      for (const uint32_t to : out.blocks_[b].successors) {
        if (to != kExitBlock) out.blocks_[to].predecessors.push_back(b);
      }
    }
  }

  std::vector<uint16_t> LiveIn(const NewBlock& block) const {
    if (block.role != Role::kParting) return given_.live_in_[block.source];
    const BasicBlock& source = given_.blocks_[block.source];
    const isa::Uses uses = isa::UsesOf(given_.program_.code[source.end - 1]);
    std::set<uint16_t> live;
    for (const uint32_t to : source.successors) {
      if (to != kExitBlock) live.insert(given_.live_in_[to].begin(), given_.live_in_[to].end());
    }
    for (size_t k = 0; k < static_cast<size_t>(uses.num_predicate_reads); ++k) {
      live.insert(static_cast<uint16_t>(kFirstPredicate + uses.predicate_reads[k]));
    }
    return {live.begin(), live.end()};
  }

  void CopyAccesses() {
    VerifiedProgram& out = result_.program;
    out.accesses_.clear();
    out.access_at_.assign(out.program_.code.size(), -1);
    for (uint32_t pc = 0; pc < out.program_.code.size(); ++pc) {
      const AccessFact* fact = given_.AccessAt(result_.original[pc]);
      if (fact == nullptr) continue;
      out.access_at_[pc] = static_cast<int32_t>(out.accesses_.size());
      out.accesses_.push_back(*fact);
      out.accesses_.back().pc = pc;
    }
  }

  void CopyLoopFacts() {
    std::vector<LoopFact>& loops = result_.program.loops_;
    loops.clear();
    for (const LoopFact& fact : given_.loops_) {
      for (const std::vector<uint32_t>* place : {&first_, &at_}) {
        const uint32_t header = (*place)[fact.header];
        if (header == kNoBlock) continue;
        loops.push_back(fact);
        loops.back().header = header;
        loops.back().back_edges.clear();
        for (uint32_t b = 0; b < order_.size(); ++b) {
          const auto& edges = fact.back_edges;
          const auto& to = result_.program.blocks_[b].successors;
          const bool back = std::find(edges.begin(), edges.end(), order_[b].source) != edges.end();
          if (back && std::find(to.begin(), to.end(), header) != to.end()) {
            loops.back().back_edges.push_back(b);
          }
        }
      }
    }
  }

  // Of the instructions of the second copies.
  void CopyLaunchFacts() {
    VerifiedProgram& out = result_.program;
    std::vector<uint32_t> second(given_.program_.code.size(), 0);
    for (uint32_t pc = 0; pc < result_.original.size(); ++pc) {
      if (order_[out.block_of_[pc]].role == Role::kOriginal) second[result_.original[pc]] = pc;
    }
    for (LaunchCondition& condition : out.launch_check_.conditions) {
      condition.pc = second[condition.pc];
    }
    for (RoundsBound& rounds : out.launch_check_.rounds) rounds.pc = second[rounds.pc];
    if (out.pieces_ != nullptr) out.division_ = second[given_.division_];
    for (RaceFact& race : out.races_) race.pc = second[race.pc];
    out.launch_sums_.clear();
    out.ordered_updates_.clear();
    for (uint32_t pc = 0; pc < result_.original.size(); ++pc) {
      if (given_.IsLaunchSum(result_.original[pc])) out.launch_sums_.push_back(pc);
      if (given_.IsOrdered(result_.original[pc])) out.ordered_updates_.push_back(pc);
    }
  }

  const VerifiedProgram& given_;
  const std::vector<LoopToCopy>& loops_;
  size_t size_;
  std::vector<uint32_t> loop_of_;  // by given block; kNoBlock: none that is copied
  std::vector<uint32_t> at_;       // new blocks, by given block
  std::vector<uint32_t> first_;
  std::vector<uint32_t> parting_;
  std::vector<NewBlock> order_;
  std::vector<uint32_t> begin_;  // first instructions of new blocks
  CopiedLoops result_;
};

CopiedLoops CopyLoops(const VerifiedProgram& program, const std::vector<LoopToCopy>& loops) {
  return LoopCopier(program, loops).Run();
}

std::vector<uint32_t> BlocksOf(const VerifiedProgram& program, const LoopFact& loop) {
  std::vector<char> inside(program.blocks().size(), 0);
  std::vector<uint32_t> work = loop.back_edges;
  std::vector<uint32_t> blocks{loop.header};
  inside[loop.header] = 1;
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (inside[b] != 0) continue;
    inside[b] = 1;
    blocks.push_back(b);
    // A loop that is entered elsewhere too would take in the start of the program.
    if (b == 0) return {};
    const std::vector<uint32_t>& from = program.blocks()[b].predecessors;
    std::copy_if(from.begin(), from.end(), std::back_inserter(work),
                 [&](uint32_t p) { return program.blocks()[p].reachable; });
  }
  std::sort(blocks.begin(), blocks.end());
  const bool together = blocks[0] == loop.header && blocks.back() - blocks[0] + 1 == blocks.size();
  return together ? blocks : std::vector<uint32_t>{};
}

}  // namespace hologram::verify
