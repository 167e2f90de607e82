// VerifiedProgram: the only thing that engines accept, and only Verify() makes one. It holds the
// program and every fact that was proved about it; engines and the code generator read the facts
// and never compute them again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/program.h"
#include "verify/launch_check.h"
#include "verify/race_text.h"

namespace hologram::verify {

// A maximal run of instructions that is entered only at `begin` and left only at the end. Blocks
// are numbered in code order; block 0 starts at instruction 0. `successors`: taken branch first,
// then fall-through; kExitBlock represents the end of the lane.
inline constexpr uint32_t kExitBlock = UINT32_MAX;
struct BasicBlock {
  uint32_t begin = 0;
  uint32_t end = 0;  // one past the last instruction
  std::vector<uint32_t> successors;
  std::vector<uint32_t> predecessors;
  bool reachable = false;
  // Lanes of one block of lanes may disagree about being here: it runs under a mask.
  bool divergent = false;
};

// How the value that an instruction writes differs between lanes that are neighbours in x. It is
// true of every definition that can reach one use together with it (they share a phi), so a
// register is uniform where all definitions of its live range say so.
enum class Shape : uint8_t {
  kUniform,  // the same in all lanes of a block of lanes (for kernels without block or lane ids: of
             // a row)
  kAffine,   // grows by `stride` from one lane to the next in x, exactly, in every launch that
             // passes the launch check
  kVarying,
};
struct ValueShape {
  Shape shape = Shape::kVarying;
  int64_t stride = 0;
  bool operator==(const ValueShape&) const = default;
};

enum class Tier : uint8_t {
  kProved,   // in bounds in every launch that passes the launch check: no check in the code
  kGuarded,  // its bounds are data: masked access, a lane outside faults
};

struct AccessFact {
  uint32_t pc = 0;
  bool shared = false;
  bool local = false;
  uint32_t slot = 0;  // parameter number, or number of the shared or local array
  Tier tier = Tier::kGuarded;
  // Elements from one lane to the next in x: 0 uniform, 1 contiguous; empty when not constant.
  std::optional<int64_t> stride;
  isa::Type index_type = isa::Type::kU32;
  bool global() const { return !shared && !local; }
  std::string reason;  // why it is guarded; empty if proved (Explain() has details)
};

// A number times scalars of the launch, by parameter number, each taken as at least 1 and without a
// sign; some are there several times.
struct ScalarProduct {
  uint64_t factor = 0;
  std::vector<uint32_t> scalars;
};

struct LoopFact {
  uint32_t header = 0;               // block number
  std::vector<uint32_t> back_edges;  // blocks that jump to the header
  bool ends = false;                 // proved to end, in any launch
  // The same in launches in which the conditions of the launch check hold. Where a loop is not
  // proved to end, its back edges count on the budget.
  bool ends_if_proved = false;
  // How often it goes round at most, the loops inside it included, each time that a lane gets to
  // it; UINT64_MAX if no constant is known.
  uint64_t nest_rounds = UINT64_MAX;
  // It ends, but in a nest that may go round more often than kMostRounds, as far as is known at
  // launch: its back edges count by themselves, up to the larger of that and the budget.
  bool limited = false;
  // The same in launches in which the conditions of the launch check do not hold.
  bool limited_if_guarded = false;
  // How often it goes round at most, each time that a lane gets to it, in any launch, also one in
  // which conditions do not hold: the sum of these. Empty if there is no such bound.
  std::vector<ScalarProduct> bound;
};

// Facts of pieces of a row that is cut at the multiples of a divisor, which is positive.
struct PieceFacts {
  std::vector<ValueShape> shapes;
  std::vector<std::optional<int64_t>> strides;  // of accesses()
};

// Which launch ids a program reads (READ_SREG and R252..R255).
struct IdsUsed {
  bool global[3] = {false, false, false};
  bool lane[3] = {false, false, false};
  bool block[3] = {false, false, false};
  bool linear = false;
};

// Why a slot's writes are not known to be free of races: named when a deterministic launch is
// refused.
struct RaceFact {
  uint32_t pc = 0;
  std::string message;
};

class VerifiedProgram {
 public:
  // The executed program: without calls, unless a function calls itself.
  const isa::Program& program() const { return program_; }
  // The program as it was given to Verify; its identity and bytes are those of the kernel.
  const isa::Program& source() const { return source_ ? *source_ : program_; }
  // Where an instruction of program() is in source(). Faults name that place.
  uint32_t SourcePc(uint32_t pc) const { return source_pc_.empty() ? pc : source_pc_[pc]; }
  // The first instruction of program() that is there; its size if none does.
  uint32_t CopyOf(uint32_t source_pc) const;
  bool recursive() const { return recursive_; }
  const std::vector<BasicBlock>& blocks() const { return blocks_; }
  uint32_t BlockOf(uint32_t pc) const { return block_of_[pc]; }
  // For each instruction that writes a register or predicate: the shape of what it writes.
  ValueShape ShapeOf(uint32_t pc) const { return shapes_[pc]; }
  // The number of the register that the instruction reads whose value it gives back, in every
  // launch that passes the launch check: of a conversion that keeps its operand, or a minimum that
  // is always the same side.
  std::optional<size_t> SameAs(uint32_t pc) const {
    if (same_as_.empty() || same_as_[pc] < 0) return std::nullopt;
    return static_cast<size_t>(same_as_[pc]);
  }
  // An integer division or remainder of what lanes count along a row, by a number made of the
  // scalars of the launch: where rows are cut at its multiples, more is known (InPieces).
  std::optional<uint32_t> PieceDivision() const {
    return pieces_ == nullptr ? std::nullopt : std::optional(division_);
  }
  // This program with the facts that hold within such a piece, in launches that pass the launch
  // check and in which that number is positive. REQUIRES: PieceDivision()
  VerifiedProgram InPieces() const;
  // nullptr if the instruction is not an access or is unreachable.
  const AccessFact* AccessAt(uint32_t pc) const;
  const std::vector<AccessFact>& accesses() const { return accesses_; }
  // Whether the memory of a buffer parameter must be aligned to its elements: where lanes update it
  // indivisibly. All other accesses take any address.
  bool NeedsAlignment(size_t parameter) const;
  const std::vector<LoopFact>& loops() const { return loops_; }
  const LaunchCheck& launch_check() const { return launch_check_; }
  const IdsUsed& ids() const { return ids_; }
  bool uses_barrier() const { return uses_barrier_; }
  // Sees or changes what launches leave to each other (launch/stream.h).
  bool uses_stream() const { return uses_stream_; }
  // May read or write the class memory by its addresses or by handles of pools.
  bool reads_class_memory() const { return reads_class_memory_; }
  bool writes_class_memory() const { return writes_class_memory_; }
  bool uses_print() const { return uses_print_; }
  // Native code gets a hologram_stream_state, not a mere launch state.
  bool needs_session() const { return uses_stream_ || uses_print_ || !launch_sums_.empty(); }
  // An instruction that takes a class or coordinates: the ranges of its operands allow all of them.
  // A division of integers: by a constant other than 0.
  bool NeverFaults(uint32_t pc) const { return !never_faults_.empty() && never_faults_[pc]; }
  // Race-free in every launch whose kRace conditions hold; otherwise the reasons why not.
  const std::vector<RaceFact>& races() const { return races_; }
  // Places of the ATGF.ADD that happen once for the launch (docs/isa.md), ascending.
  const std::vector<uint32_t>& launch_sums() const { return launch_sums_; }
  bool IsLaunchSum(uint32_t pc) const {
    return std::binary_search(launch_sums_.begin(), launch_sums_.end(), pc);
  }
  // Places of the other atomics on floats that lanes may meet at: they happen, between two
  // barriers, in the order of linear lanes and in each lane in that of its steps (docs/isa.md).
  // Ascending; nobody reads their old values, and nothing else accesses their arrays between these
  // barriers.
  const std::vector<uint32_t>& ordered_updates() const { return ordered_updates_; }
  bool IsOrdered(uint32_t pc) const {
    return std::binary_search(ordered_updates_.begin(), ordered_updates_.end(), pc);
  }
  // Registers live on entry of each block, for engines that keep only what is needed.
  const std::vector<std::vector<uint16_t>>& live_in() const {
    return live_in_;
  }  // predicates: 256+p

 private:
  friend class Builder;
  friend class LoopCopier;
  isa::Program program_;
  std::optional<isa::Program> source_;  // where it differs
  std::vector<uint32_t> source_pc_;
  bool recursive_ = false;
  std::vector<BasicBlock> blocks_;
  std::vector<uint32_t> block_of_;
  std::vector<ValueShape> shapes_;
  std::vector<int8_t> same_as_;  // -1: no operand
  std::vector<AccessFact> accesses_;
  std::vector<int32_t> access_at_;
  std::vector<LoopFact> loops_;
  LaunchCheck launch_check_;
  IdsUsed ids_;
  bool uses_barrier_ = false;
  bool uses_stream_ = false;
  bool reads_class_memory_ = false;
  bool writes_class_memory_ = false;
  bool uses_print_ = false;
  std::vector<bool> never_faults_;
  std::vector<RaceFact> races_;
  std::vector<uint32_t> launch_sums_;
  std::vector<uint32_t> ordered_updates_;
  std::vector<std::vector<uint16_t>> live_in_;
  std::shared_ptr<const PieceFacts> pieces_;
  uint32_t division_ = 0;  // an instruction that divides by the divisor of pieces_
};

// Proves the program or reports why not. Collects all errors. Time linear in the program with a
// hard budget; never crashes or hangs on any Program value. Thread-safe.
Result<VerifiedProgram> Verify(isa::Program program);
// How many programs have been verified so far, in either form, by this copy of the verifier: the
// compiler plugin has its own (plugin/code.h). For tests that hold how often a program is verified.
uint64_t VerificationsMade();

// One line for each of accesses(), for people: "file:line:col: proved  c[i]  index 0 .. min(n,
// grid.x*block.x) - 1 of c", or "guarded" and why. Analyses the program again: not for hot paths.
std::vector<std::string> Explain(const VerifiedProgram& program);
// What launches are refused because two lanes may meet at an element: all of them ("race"), or
// those in which a condition does not hold, or elements of a unique array are equal ("lanes");
// each with its access.
struct RaceLine {
  uint32_t pc = 0;
  bool always = false;
  std::string text;  // with its place
};
std::vector<RaceLine> ExplainRaces(const VerifiedProgram& program);
// "file:line:col: " of an instruction of program(), or "name: instruction 7: " without lines.
std::string PlaceInWords(const VerifiedProgram& program, uint32_t pc);

}  // namespace hologram::verify
