// Decisions of the code generator before it emits code.
// Tested by tests/codegen and by the random-CFG test of tests/differential.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/result.h"
#include "codegen/codegen.h"
#include "codegen/plan/web.h"
#include "hologram/native_abi.h"
#include "verify/loop_copies.h"

namespace hologram::codegen {

// A branch at the start of a kernel that only decides whether a lane of the row has anything to do:
// it becomes a limit of the lane loop.
struct LaneGuard {
  uint32_t pc = 0;         // the SET instruction
  OperandId bound = 0;     // uniform
  isa::Type type{};        // of the comparison
  bool is_upper = false;   // lanes below the bound run (else: from the bound on)
  bool inclusive = false;  // the bound itself is on the running side (upper), or not (lower)
};

// The same where all lanes of a row decide alike (`if row < rows:`): the row runs or it does not.
struct RowGuard {
  uint32_t pc = 0;  // the instruction that decides
  OperandId predicate = 0;
  bool runs_if_true = false;
};

// Of kernels that run row by row, or in one row.
struct RowFacts {
  std::vector<RowGuard> guards;
  // Integers that all lanes of a row share, known before its loops.
  std::vector<OperandId> values;
  // Rows are cut at the multiples of this integer, which is known before any row, where that makes
  // more uniform (verify::PieceFacts).
  std::optional<OperandId> piece;
};

// A shared array of which elements `row` apart are adjacent in memory (transposed.h).
struct Transposed {
  uint32_t row = 0;
  uint32_t rows = 0;  // how many there are, the last filled up
};

struct ArrayFacts {
  // Stores to shared and local arrays that may leave a NaN as it was computed (nans.cc).
  std::set<uint32_t> leave_nans;
  std::map<uint32_t, Transposed> transposed;  // by number of the shared array
  bool updates_buffers = false;               // by atomics of integers
};

// How updates keep the order of lanes (order.h).
struct Order {
  std::vector<uint32_t> logged;  // those that wait for the end of their chunk, ascending
  uint32_t rows = 0;             // vectors of them that the log has room for
  bool may_fill = false;         // then the chunk is run again, lane by lane
  bool lane_by_lane = false;     // no two lanes run at once

  bool waits(uint32_t pc) const { return std::binary_search(logged.begin(), logged.end(), pc); }
};

inline constexpr int kNotFolded = -1;

inline constexpr uint32_t kMaxWaitingBlocks = 128;
using BlockSet = std::bitset<kMaxWaitingBlocks>;

// Blocks at which lanes may wait, and those behind the barriers to which some of the region may
// have come already.
struct WaitingLanes {
  BlockSet at;
  BlockSet arrived;
};

struct Plan {
  const verify::VerifiedProgram* verified = nullptr;  // what is emitted
  std::shared_ptr<const verify::CopiedLoops> copies;  // null: no loop is copied (loop_copies.cc)
  bool scalar = false;                                // one lane at a time: every web is uniform
  Options options;
  uint32_t unit = HOLOGRAM_UNIT_LANE;
  std::vector<Web> webs;
  std::vector<InstructionOperands> operands;  // by pc
  ArrayFacts arrays;
  // Runs of registers that instructions read, by pc.
  std::map<uint32_t, std::vector<OperandId>> runs;
  std::vector<std::vector<OperandId>> live_in;  // webs, by block
  std::vector<char> divergent;                  // by block: runs under a mask of its own
  std::vector<uint32_t> parted_by;  // by divergent block: the block whose branch makes it so
  std::vector<std::vector<uint32_t>> successors;  // by block, without folded branches
  std::vector<LaneGuard> guards;
  RowFacts rows;
  // By block: other blocks at which lanes may wait while it runs. Empty: not known.
  std::vector<WaitingLanes> waiting_lanes;
  bool closed = false;  // divergent blocks never lead back to convergent ones
  bool may_fault = false;
  bool counts_budget = false;
  bool counts_rounds = false;  // of loops that end, but may go round very often
  bool reads_class_base = false;
  bool has_phase = false;  // lanes have one; its steps are kept behind the local arrays
  Order order;
  bool recursive = false;       // has calls; what they need of a lane is kept behind that
  bool shares_returns = false;  // too many return targets: all share one dispatch block

  const isa::Program& program() const { return verified->program(); }
  const verify::BasicBlock& block(uint32_t b) const { return verified->blocks()[b]; }
  static constexpr uint32_t kCallDepthBytes = 8;
  static constexpr uint32_t kReturnBytes = 2 * isa::kMaxCallDepth;
  // Of one lane, with what is kept for the phase and for calls. Return addresses come last.
  uint32_t BytesBeforeCalls() const { return program().LocalBytes() + (has_phase ? 8 : 0); }
  uint32_t ZeroedBytes() const { return BytesBeforeCalls() + (recursive ? kCallDepthBytes : 0); }
  uint32_t LocalBytes() const { return ZeroedBytes() + (recursive ? kReturnBytes : 0); }
  Kind KindOf(OperandId id) const;
  isa::Type TypeOf(OperandId id) const;
  // The operand whose value differs least: the kind an instruction can be computed in.
  Kind KindOfResult(uint32_t pc) const;
  // The value of an operand of kind kAffine (VerifiedProgram::SameAs).
  bool GivesBackAffine(uint32_t pc) const;
  // The same of one that all lanes share, where they do not share what else the instruction reads.
  bool GivesBackUniform(uint32_t pc) const;
  // ---- Loops that are written twice: first without a mask, for as long as no lane leaves
  // Of a block of a first copy, the block of the second; kExitBlock for others.
  uint32_t SecondOf(uint32_t block) const {
    return copies == nullptr ? verify::kExitBlock : copies->second[block];
  }
  // A second copy or a parting: another block does the same work.
  bool IsRepeated(uint32_t block) const { return copies != nullptr && copies->repeats[block]; }
  // Its branch leaves the first copy if any lane leaves the loop.
  bool LeavesTogether(uint32_t block) const { return copies != nullptr && copies->parts[block]; }
  // The program without copies, and the number of an instruction in it.
  const verify::VerifiedProgram& given() const {
    return copies == nullptr ? *verified : *copies->given;
  }
  uint32_t PcInGiven(uint32_t pc) const { return copies == nullptr ? pc : copies->original[pc]; }
  bool counts() const { return counts_budget || counts_rounds; }
  // A back edge that counts, on the budget or on the limit of rounds.
  bool IsCountedEdge(uint32_t from, uint32_t to) const;
  bool IsLimitedEdge(uint32_t from, uint32_t to) const;
  // True if a lane that waits while `block` runs may later read what it has in `web` now.
  bool WaitingLanesRead(uint32_t block, OperandId web) const;
  // Calls f(OperandId) for the registers and predicates that an instruction reads.
  template <class F>
  void ForEachRead(uint32_t pc, F f) const {
    for (const OperandId id : operands[pc].reads) {
      if (id != kNoOperand) f(id);
    }
    for (const OperandId id : operands[pc].predicates) {
      if (id != kNoOperand) f(id);
    }
    const auto run = runs.find(pc);
    if (run == runs.end()) return;
    for (const OperandId id : run->second) f(id);
  }
  // The only instruction that writes an operand, if there is one alone.
  std::optional<uint32_t> DefinitionOf(OperandId id) const {
    if (id == kNoOperand || IsFixed(id)) return std::nullopt;
    const Web& web = webs[static_cast<size_t>(id)];
    if (web.definitions.size() != 1) return std::nullopt;
    return web.definitions[0];
  }
  // The branch condition of block `b`.
  OperandId BranchOperand(uint32_t b) const {
    const InstructionOperands& last = operands[block(b).end - 1];
    return last.predicates[0] != kNoOperand ? last.predicates[0] : last.reads[0];
  }
  bool Returns(uint32_t b) const;  // ends in a RET, which has a successor for each place
  // Which successor of a RET the block is; none if nothing returns.
  std::optional<uint32_t> NumberOfReturn(uint32_t block) const;
  bool Branches(uint32_t b) const;    // to two different places
  bool PartsLanes(uint32_t b) const;  // by a branch that lanes disagree about
  // Where control goes from a convergent block that parts its lanes.
  uint32_t FirstOfParted(uint32_t b) const;
};

enum class Lanes : uint8_t {
  kVectors,
  kThreads,   // one to a thread of a GPU, as scalars
  kOneByOne,  // one after the other: as scalars where the lanes are one row and no service
              // is called, else as vectors of one
};

Plan MakePlan(const verify::VerifiedProgram& program, Lanes lanes, const Options& options);

// ---- Steps of MakePlan
void FindWebs(Plan& plan);             // webs.cc
void FoldGuards(Plan& plan);           // guards.cc
void FindNans(Plan& plan);             // nans.cc
void ClassifyWebs(Plan& plan);         // classes.cc: kinds and divergence, to a fixpoint
void FindWaitingLanes(Plan& plan);     // waiting_lanes.cc; a part of ClassifyWebs
bool SharesReturns(const Plan& plan);  // flow.cc
// loop_copies.cc: the loops of a plan without copies that are worth one.
std::vector<verify::LoopToCopy> LoopsToCopy(const Plan& plan);
bool CopiesServe(const Plan& plan);  // lanes are together where first copies begin and end
// The first block behind `block` at which lanes wait; kExitBlock if there is none.
uint32_t NextWaiting(uint32_t block, const BlockSet& lanes);
// flow.cc: immediate post-dominators by block; kExitBlock where it is the end of the lane.
std::vector<uint32_t> PostDominators(const Plan& plan);

// True if every lane that gets to the end of block `b` (kExitBlock too) does nothing more.
bool OnlyExits(const Plan& plan, uint32_t b);
// nans.cc: arithmetic on floats, whose NaN is canonical by definition; copies of floats, sign
// apart.
bool ComputesNan(const isa::Instruction& in);
bool CopiesBits(const isa::Instruction& in);
// No memory, no fault, result depends on the operands only.
bool IsPure(const isa::Instruction& in);
// The same of an instruction of the plan, with divisions by constants that are never zero.
bool IsPureAt(const Plan& plan, uint32_t pc);

}  // namespace hologram::codegen
