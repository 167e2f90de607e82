// Effects of a lane beyond the launch: the program, run over ranges of ids.
//
// A default launch has as many lanes as the largest output has elements. Whether that is what a
// kernel is for shows in the lanes behind the last one: if one of them would touch buffers and end
// without a fault, the launch leaves work undone. This evaluator runs the program once for a whole
// range of such lanes. A value is a range of integers; an unknown branch goes both ways; what loads
// and floats give is unknown. Arithmetic is exact and does not wrap, because a size like `i + 1 <
// n` speaks of numbers, not of what is left of them at lane 2^32 - 1. A lane ends where it would
// index outside of a buffer. So "no" is an answer to rely on, up to wrapping, and "yes" means
// "perhaps", unless the range is a single lane.
//
// A loop that carries a value of the id on by at least the lanes of the launch (`i += stride`)
// covers what the missing lanes would do; branches that look at such a value are left open.
//
// With `any_launch` nothing is known but order: ids are at least the lanes of the launch, and the
// scalars in `bounds` at most that. Tested by tests/launch/default_shape_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hologram/native_abi.h"
#include "verify/verified_program.h"

namespace hologram::launch {

using verify::VerifiedProgram;

// Integers from low to high, both included.
struct Range {
  __int128 low = 0;
  __int128 high = 0;
  bool is_point() const { return low == high; }
  bool operator==(const Range&) const = default;
};

// A scalar that is compared with an id: lanes whose id is at least `scalar` (or more than it, if
// `inclusive`) do not pass the comparison.
struct SizeBound {
  uint32_t scalar = 0;  // number among the scalars
  bool inclusive = false;
  bool operator==(const SizeBound&) const = default;
};

struct LaneQuestion {
  std::array<Range, 3> ids;   // of get_global_id
  std::array<Range, 3> grid;  // in blocks
  std::array<uint32_t, 3> block = {1, 1, 1};
  uint64_t lanes = 0;  // that the launch has
  std::span<const hologram_buffer_ref> buffers;
  std::span<const uint64_t> scalars;
  bool any_launch = false;  // nothing of the above is known
  bool any_length = false;  // lanes do not end where they leave a buffer
};

struct LaneAnswer {
  // A lane of the range may write to memory, use a stream or print, and end without a fault.
  bool works = false;
  bool idles = false;         // a lane of the range may end without that
  bool may_trap = false;      // an assertion of a lane of the range may fail
  bool overruns = false;      // on some way, all of them index outside of a buffer
  uint32_t overrun_pc = 0;    // the first such access in the code
  std::vector<uint8_t> ways;  // of each conditional branch: kTaken, kNotTaken, both or 0

  static constexpr uint8_t kTaken = 1;
  static constexpr uint8_t kNotTaken = 2;
};

class LaneEvaluator {
 public:
  // The program must outlive the evaluator.
  explicit LaneEvaluator(const VerifiedProgram& program);

  // Beyond a limit on all its questions together the answer is always "perhaps".
  LaneAnswer Ask(const LaneQuestion& question);
  // Some loop so far carries an id on by at least the lanes of the launch.
  bool strides() const { return strides_; }
  // The comparisons that decided questions about any launch.
  const std::vector<SizeBound>& bounds() const { return bounds_; }

 private:
  struct Value {
    Range range;
    bool of_id = false;           // computed from the id
    bool strided = false;         // carried on by a loop beyond the launch
    bool at_least_id = false;     // never below the id
    int32_t at_most_scalar = -1;  // never above this scalar
    bool operator==(const Value&) const = default;
  };
  enum class Truth : uint8_t { kFalse, kTrue, kUnknown };
  struct Predicate {
    Truth truth = Truth::kUnknown;
    bool strided = false;
    bool operator==(const Predicate&) const = default;
  };
  // Facts on entry of a block about its live registers.
  struct Entry {
    uint32_t visits = 0;
    bool pending = false;
    bool may_work = false;
    bool must_work = true;
    std::vector<Value> values;
    std::vector<Predicate> predicates;
  };

  bool Run(const LaneQuestion& question, LaneAnswer& answer);
  bool Spend(uint64_t work);
  void Start(const LaneQuestion& question);
  // Surely.
  bool MayTrap(const isa::Instruction& in) const;
  bool Traps(const isa::Instruction& in) const;
  bool RunBlock(uint32_t block, LaneAnswer& answer);
  void Leave(uint32_t block, uint32_t next, LaneAnswer& answer);
  bool JoinInto(Entry& entry, uint32_t next, bool back_edge);
  void JoinValue(const Value& from, Value& into, uint32_t visits, bool back_edge) const;
  void Execute(const isa::Instruction& in);
  Value Compute(const isa::Instruction& in) const;
  Value Arithmetic(const isa::Instruction& in) const;
  Value Logic(const isa::Instruction& in) const;
  Value Convert(const isa::Instruction& in) const;
  Value Select(const isa::Instruction& in) const;
  Value IdOrSize(isa::Sreg sreg) const;
  Value AnyOf(isa::Type type) const;
  Predicate Compare(const isa::Instruction& in);
  Truth CompareBySize(const isa::Instruction& in);
  bool Overruns(uint32_t pc) const;

  const VerifiedProgram& program_;
  const std::vector<isa::Instruction>& code_;
  std::vector<std::pair<uint32_t, uint32_t>> back_edges_;  // from block, to header; sorted
  std::vector<int32_t> scalar_of_;  // parameter -> number among the scalars, or -1
  std::vector<int32_t> buffer_of_;

  const LaneQuestion* question_ = nullptr;
  std::array<Value, isa::kNumRegisters> values_{};
  std::array<Predicate, isa::kNumPredicates> predicates_{};
  bool may_work_ = false;
  bool must_work_ = false;
  std::vector<Entry> entries_;
  std::vector<uint32_t> pending_;
  std::vector<bool> open_;  // branches that look at a strided value
  bool opened_ = false;
  bool strides_ = false;
  uint64_t work_left_;  // programs may be long-winded on purpose
  std::vector<SizeBound> bounds_;
};

// Sizes of a launch without a grid: no lane is missing from one in which every one of these
// holds, the scalar, and one more if the bound is inclusive, being at most the lanes. The runtime
// asks nothing else then, and compiled code compares them itself. Nothing: they do not decide.
std::optional<std::vector<SizeBound>> DecidingBounds(const VerifiedProgram& program);

}  // namespace hologram::launch
