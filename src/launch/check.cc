// CheckLaunch: everything that can be decided about a launch before it runs, by walking the tables
// that the verifier left. All arithmetic is in 128 bits; what does not fit fails its condition.
#include <algorithm>
#include <optional>

#include "base/quote.h"
#include "base/wide.h"
#include "isa/atlas.h"
#include "launch/launch.h"
#include "launch/node_values.h"
#include "verify/check_text.h"

namespace hologram::launch {
namespace {

using isa::Parameter;

Diagnostic ArgumentError(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

class LaunchChecker {
 public:
  LaunchChecker(const VerifiedProgram& verified, const Launch& launch)
      : verified_(verified), program_(verified.program()), launch_(launch) {}

  Result<LaunchTier> Run() {
    CheckCounts();
    if (!errors_.empty()) return errors_;
    CheckShape();
    CheckClassBase();
    CheckBuffers();
    if (!errors_.empty()) return errors_;
    EvaluateNodes();
    const bool proved = Failed() == nullptr;
    CheckAliases(proved);
    if (launch_.deterministic) CheckRaces();
    CheckRounds(proved);
    if (!errors_.empty()) return errors_;
    return proved ? LaunchTier::kProved : LaunchTier::kGuarded;
  }

  std::optional<Unproved> FindUnproved() {
    CheckCounts();
    if (!errors_.empty()) return std::nullopt;
    EvaluateNodes();
    return InWords(Failed());
  }

  // REQUIRES: the counts of arguments are right
  std::optional<Unproved> FindMeeting() {
    CheckCounts();
    if (!verified_.races().empty()) return Unproved{verified_.races()[0].pc, ""};
    EvaluateNodes();
    return InWords(FailedRace());
  }

  // REQUIRES: the counts of arguments are right
  std::vector<uint32_t> FindRaces() {
    CheckCounts();
    EvaluateNodes();
    std::vector<uint32_t> pcs;
    for (const verify::RaceFact& race : verified_.races()) pcs.push_back(race.pc);
    if (const verify::LaunchCondition* const failed = FailedRace()) pcs.push_back(failed->pc);
    return pcs;
  }

 private:
  // A condition of a proof that does not hold.
  const verify::LaunchCondition* Failed() const {
    for (const verify::LaunchCondition& c : verified_.launch_check().conditions) {
      if (c.kind != verify::ConditionKind::kRace && !Holds(c)) return &c;
    }
    return nullptr;
  }

  const verify::LaunchCondition* FailedRace() const {
    for (const verify::LaunchCondition& c : verified_.launch_check().conditions) {
      if (c.kind == verify::ConditionKind::kRace && !Holds(c)) return &c;
    }
    return nullptr;
  }

  std::optional<Unproved> InWords(const verify::LaunchCondition* failed) const {
    if (failed == nullptr) return std::nullopt;
    const std::string why = Why(*failed);
    return Unproved{failed->pc, why.empty() ? why : why.substr(2)};
  }

  void Fail(std::string message) { errors_.push_back(ArgumentError(std::move(message))); }

  void CheckCounts() {
    size_t buffers = 0;
    size_t scalars = 0;
    for (const Parameter& p : program_.parameters) {
      argument_.push_back(p.is_buffer ? buffers++ : scalars++);
    }
    const auto check = [&](const char* what, size_t expected, size_t found) {
      if (expected == found) return;
      Fail("'" + program_.name + "' expects " + Counted(expected, what) + ", found " +
           std::to_string(found));
    };
    check("buffer", buffers, launch_.buffers.size());
    check("scalar", scalars, launch_.scalars.size());
  }

  void CheckShape() {
    constexpr char kAxis[] = {'x', 'y', 'z'};
    const hologram_launch_shape& shape = launch_.shape;
    uint64_t lanes = 1;
    Wide total = 1;
    for (int d = 0; d < 3; ++d) {
      const auto axis = std::string(1, kAxis[d]);
      if (shape.grid[d] == 0) Fail("grid." + axis + " is 0, expected at least 1");
      if (shape.block[d] == 0) Fail("block." + axis + " is 0, expected at least 1");
      if (shape.block[d] > isa::kMaxLanesPerBlock) {
        Fail("block." + axis + " is " + std::to_string(shape.block[d]) + ", the limit is " +
             std::to_string(isa::kMaxLanesPerBlock));
        continue;
      }
      lanes *= shape.block[d];
      const uint64_t size = uint64_t{shape.grid[d]} * shape.block[d];
      if (size > UINT32_MAX) {
        Fail("the launch has " + std::to_string(size) + " lanes in " + axis +
             ", the limit is 4294967295");
      }
      total *= size;
    }
    if (lanes > isa::kMaxLanesPerBlock) {
      Fail("a block has " + std::to_string(lanes) + " lanes, the limit is " +
           std::to_string(isa::kMaxLanesPerBlock));
    }
    if (total >= Wide{1} << 63) Fail("the launch has 2^63 lanes or more");
  }

  void CheckClassBase() {
    if (launch_.class_base < isa::kNumClasses) return;
    Fail("class_base: expected 0 to " + std::to_string(isa::kNumClasses - 1) + ", found " +
         std::to_string(launch_.class_base));
  }

  const hologram_buffer_ref& BufferOf(size_t parameter) const {
    return launch_.buffers[argument_[parameter]];
  }

  void CheckBuffers() {
    for (size_t k = 0; k < program_.parameters.size(); ++k) {
      const Parameter& p = program_.parameters[k];
      if (!p.is_buffer) continue;
      const hologram_buffer_ref& buffer = BufferOf(k);
      const auto address = reinterpret_cast<uintptr_t>(buffer.data);
      if (buffer.data == nullptr && buffer.bytes > 0) {
        Fail("buffer '" + p.name + "' has " + std::to_string(buffer.bytes) +
             " bytes at no address");
      } else if (address % SizeOf(p.type) != 0 && verified_.NeedsAlignment(k)) {
        Fail("buffer '" + p.name + "' is not aligned to its elements (" +
             std::string(NameOf(p.type)) + ", " + std::to_string(SizeOf(p.type)) +
             " bytes), which atomic operations need; in Python numpy.require(x, "
             "requirements='A') makes a copy that is");
      } else if (buffer.bytes > UINT64_MAX - address) {
        Fail("buffer '" + p.name + "' ends past the end of memory");
      }
    }
  }

  // Of one array, where there is a window.
  bool IsSameWindow(uint32_t a, uint32_t b) const {
    const Window* const window = launch_.window;
    const size_t i = argument_[a];
    const size_t j = argument_[b];
    return window == nullptr ||
           (window->base[i] == window->base[j] && window->extent[i] == window->extent[j]);
  }

  // `proved`: the conditions of the proofs hold.
  void CheckAliases(bool proved) {
    for (const verify::AliasRule& rule : verified_.launch_check().aliases) {
      const hologram_buffer_ref& a = BufferOf(rule.slot_a);
      const hologram_buffer_ref& b = BufferOf(rule.slot_b);
      const auto begin_a = reinterpret_cast<uintptr_t>(a.data);
      const auto begin_b = reinterpret_cast<uintptr_t>(b.data);
      if (a.bytes == 0 || b.bytes == 0) continue;
      if (begin_a + a.bytes <= begin_b || begin_b + b.bytes <= begin_a) continue;
      const bool same =
          begin_a == begin_b && a.bytes == b.bytes && IsSameWindow(rule.slot_a, rule.slot_b);
      const bool matching = std::all_of(
          rule.equal.begin(), rule.equal.end(),
          [this](const auto& pair) { return ScalarValue(pair.first) == ScalarValue(pair.second); });
      const bool same_element = rule.same_element && (proved || !rule.needs_proof);
      if (same && same_element && matching) continue;
      const std::string names = "'" + program_.parameters[rule.slot_a].name + "' and '" +
                                program_.parameters[rule.slot_b].name + "'";
      Fail(same && same_element
               ? "buffers " + names + " are the same memory with different shapes or strides"
           : same_element
               ? "buffers " + names + " overlap in part; they must be the same memory or apart"
               : "buffers " + names +
                     " share memory, one of them is written and not every lane keeps to its own "
                     "element; give them memory of their own");
    }
  }

  Wide ScalarValue(size_t parameter) const {
    return ScalarOf(program_.parameters[parameter].type, launch_.scalars[argument_[parameter]]);
  }

  void EvaluateNodes() { values_ = ValuesOf(verified_.launch_check().nodes, program_, launch_); }

  bool Holds(const verify::LaunchCondition& c) const {
    return values_[c.lhs] && values_[c.rhs] && *values_[c.lhs] <= *values_[c.rhs];
  }

  // Where the proofs do not hold, neither do bounds that rest on them: the loops count then.
  void CheckRounds(bool proved) {
    constexpr Wide kMost = Wide{1} << 120;
    for (const verify::RoundsBound& bound : verified_.launch_check().rounds) {
      if (bound.needs_proof && !proved) continue;
      Wide rounds = bound.constant;
      for (const uint32_t factor : bound.factors) {
        const Wide value = std::clamp<Wide>(values_[factor].value_or(kMost), 1, kMost);
        if (ProductOverflows(rounds, value, rounds) || rounds > kMost) rounds = kMost;
      }
      if (rounds <= static_cast<Wide>(launch_.most_rounds())) continue;
      errors_.push_back({ErrorCode::kInvalidArgument, PlaceOf(bound.pc),
                         "this launch may take " +
                             (rounds == kMost ? "2^120 or more" : ToText(rounds)) +
                             " rounds a lane, more than " + std::to_string(launch_.most_rounds()) +
                             "; pass budget= (library) or " + "--budget (command) to allow it",
                         nullptr});
      return;
    }
  }

  static std::string ToText(Wide value) {
    std::string text;
    for (; value != 0 || text.empty(); value /= 10) {
      text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    }
    return text;
  }

  // Of the first instruction of a block that has a place.
  Location PlaceOf(uint32_t begin) const {
    const uint32_t end = verified_.blocks()[verified_.BlockOf(begin)].end;
    for (uint32_t pc = begin; pc < end; ++pc) {
      if (const Location where = program_.LocationOf(pc); where.line != 0) return where;
    }
    return program_.LocationOf(begin);
  }

  void CheckRaces() {
    const auto fail = [&](uint32_t pc, const std::string& message) {
      errors_.push_back({ErrorCode::kInvalidArgument, program_.LocationOf(pc), message});
    };
    for (const verify::RaceFact& race : verified_.races()) fail(race.pc, race.message);
    const verify::LaunchCondition* const failed = FailedRace();
    if (failed == nullptr) return;
    fail(failed->pc, AccessText(failed->pc) + verify::kLanesMeet + Why(*failed) +
                         verify::kOrderMatters + verify::RaceRemedy(program_, failed->pc) +
                         verify::kAllowsOrder);
  }

  // What does not hold, with values: ": block.x (65) exceeds 64". Nothing if that is too long to
  // read.
  std::string Why(const verify::LaunchCondition& c) const {
    constexpr size_t kMaxText = 60;
    if (!values_[c.lhs] || !values_[c.rhs]) return "";
    std::string text = ":";
    for (const uint32_t side : {c.lhs, c.rhs}) {
      const std::string node = verify::NodeInWords(program_, verified_.launch_check(), side);
      const __int128 value = *values_[side];
      if (node.size() > kMaxText || value != static_cast<int64_t>(value)) return "";
      text += (side == c.rhs ? " exceeds " : " ") + node;
      if (verified_.launch_check().nodes[side].op == verify::CheckOp::kConstant) continue;
      text += " (" + std::to_string(static_cast<int64_t>(value)) + ")";
    }
    return text;
  }

  // REQUIRES: the instruction is an access.
  std::string AccessText(uint32_t pc) const {
    if (pc < program_.debug.size() && !program_.debug[pc].text.empty()) {
      return program_.debug[pc].text;
    }
    const isa::Instruction& i = program_.code[pc];
    return "'" +
           (isa::IsSharedAccess(i.op)  ? program_.shared[i.a].name
            : isa::IsLocalAccess(i.op) ? program_.locals[i.a].name
                                       : program_.parameters[i.a - 1u].name) +
           "'";
  }

  const VerifiedProgram& verified_;
  const isa::Program& program_;
  const Launch& launch_;
  Diagnostics errors_;
  std::vector<size_t> argument_;  // parameter -> place in launch_.buffers or launch_.scalars
  NodeValues values_;
};

}  // namespace

Result<LaunchTier> CheckLaunch(const VerifiedProgram& program, const Launch& launch) {
  return LaunchChecker(program, launch).Run();
}

std::optional<Unproved> FindUnproved(const VerifiedProgram& program, const Launch& launch) {
  return LaunchChecker(program, launch).FindUnproved();
}

std::optional<Unproved> FindMeeting(const VerifiedProgram& program, const Launch& launch) {
  return LaunchChecker(program, launch).FindMeeting();
}

std::vector<uint32_t> FindRaces(const VerifiedProgram& program, const Launch& launch) {
  return LaunchChecker(program, launch).FindRaces();
}

}  // namespace hologram::launch
