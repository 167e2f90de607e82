// Guards are found backwards: from each branch whose other side touches no buffer, through the
// predicate, to a comparison of an id with a scalar.
#include "verify/lane_guards.h"

#include <algorithm>
#include <array>
#include <utility>

#include "isa/condition.h"

namespace hologram::verify {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Sreg;

// Copies (mov, cvt) that are followed from a comparison back to an id or a parameter.
constexpr int kMaxCopies = 8;

// A value that a comparison sees, if it is one of the two kinds that make a guard.
struct Origin {
  enum class Kind : uint8_t { kOther, kGlobalId, kScalar } kind = Kind::kOther;
  uint32_t number = 0;  // dimension, or parameter
};

class GuardFinder {
 public:
  explicit GuardFinder(const VerifiedProgram& program)
      : program_(program), code_(program.program().code) {
    for (uint32_t pc = 0; pc < code_.size(); ++pc) {
      const isa::Uses uses = isa::UsesOf(code_[pc]);
      if (uses.write) Note(register_writers_[uses.write->reg], pc);
      if (uses.predicate_write) Note(predicate_writers_[*uses.predicate_write], pc);
    }
    FindWorkingBlocks();
  }

  std::vector<LaneGuard> Find() {
    for (const BasicBlock& block : program_.blocks()) {
      if (!block.reachable || block.begin == block.end) continue;
      const uint32_t pc = block.end - 1;
      if (!code_[pc].conditional() || block.successors.size() != 2) continue;
      Add(code_[pc].a, pc, /*when=*/true, Works(block.successors[1]));
      Add(code_[pc].a, pc, /*when=*/false, Works(block.successors[0]));
    }
    return std::move(guards_);
  }

 private:
  static constexpr int64_t kNever = -1;
  static constexpr int64_t kSeveral = -2;

  static void Note(int64_t& writer, uint32_t pc) {
    writer = writer == kNever ? int64_t{pc} : kSeveral;
  }

  // A block works if it or a block that can follow touches a buffer or its stream.
  void FindWorkingBlocks() {
    const auto& blocks = program_.blocks();
    works_.assign(blocks.size(), false);
    std::vector<uint32_t> pending;
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      for (uint32_t pc = blocks[b].begin; pc < blocks[b].end; ++pc) {
        const Opcode op = code_[pc].op;
        if (isa::IsGlobalAccess(op) || isa::UsesStream(op)) works_[b] = true;
      }
      if (works_[b]) pending.push_back(b);
    }
    while (!pending.empty()) {
      const uint32_t b = pending.back();
      pending.pop_back();
      for (uint32_t before : blocks[b].predecessors) {
        if (works_[before]) continue;
        works_[before] = true;
        pending.push_back(before);
      }
    }
  }

  bool Works(uint32_t block) const { return block != kExitBlock && works_[block]; }

  // The instruction that wrote what `pc` reads: in the same block, or the only one anywhere.
  int64_t Writer(const std::array<int64_t, isa::kNumRegisters>& writers, uint8_t number,
                 uint32_t pc, bool predicate) const {
    const BasicBlock& block = program_.blocks()[program_.BlockOf(pc)];
    for (uint32_t earlier = pc; earlier-- > block.begin;) {
      const isa::Uses uses = isa::UsesOf(code_[earlier]);
      const bool writes = predicate ? uses.predicate_write == number
                                    : uses.write.has_value() && uses.write->reg == number;
      if (writes) return earlier;
    }
    return writers[number];
  }

  Origin OriginOf(uint8_t reg, uint32_t pc) const {
    for (int copies = 0; copies < kMaxCopies; ++copies) {
      const int64_t writer = Writer(register_writers_, reg, pc, /*predicate=*/false);
      if (writer == kNever) return ParameterIn(reg);
      if (writer == kSeveral) return {};
      pc = static_cast<uint32_t>(writer);
      const Instruction& instruction = code_[pc];
      if (instruction.op == Opcode::kReadSreg) return IdOf(instruction.sreg());
      const bool copy = instruction.op == Opcode::kMov ||
                        (instruction.op == Opcode::kCvt && isa::IsInteger(instruction.type) &&
                         isa::IsInteger(instruction.source_type()));
      if (!copy) return {};
      reg = instruction.a;
    }
    return {};
  }

  Origin ParameterIn(uint8_t reg) const {
    const auto& parameters = program_.program().parameters;
    if (reg == 0 || reg > parameters.size() || parameters[reg - 1].is_buffer ||
        !isa::IsInteger(parameters[reg - 1].type)) {
      return {};
    }
    return {Origin::Kind::kScalar, static_cast<uint32_t>(reg - 1)};
  }

  static Origin IdOf(Sreg sreg) {
    if (sreg == Sreg::kLinear) return {Origin::Kind::kGlobalId, 0};
    if (sreg < Sreg::kGlobalX || sreg > Sreg::kGlobalZ) return {};
    return {Origin::Kind::kGlobalId,
            static_cast<uint32_t>(sreg) - static_cast<uint32_t>(Sreg::kGlobalX)};
  }

  // Adds the guards that `predicate == when` at `pc` implies, unless lanes outside work as well.
  void Add(uint8_t predicate, uint32_t pc, bool when, bool others_work) {
    if (others_work) return;
    AddPredicate(predicate, pc, when, kMaxCopies);
  }

  void AddPredicate(uint8_t predicate, uint32_t pc, bool when, int depth) {
    const int64_t writer = Writer(predicate_writers_, predicate, pc, /*predicate=*/true);
    if (writer < 0 || depth == 0) return;
    const uint32_t at = static_cast<uint32_t>(writer);
    const Instruction& instruction = code_[at];
    if (instruction.op == Opcode::kSet) return AddComparison(instruction, at, when);
    if (instruction.op == Opcode::kPnot) {
      return AddPredicate(instruction.a, at, !when, depth - 1);
    }
    const bool both =
        (instruction.op == Opcode::kPand && when) || (instruction.op == Opcode::kPor && !when);
    if (!both) return;
    AddPredicate(instruction.a, at, when, depth - 1);
    AddPredicate(instruction.b, at, when, depth - 1);
  }

  void AddComparison(const Instruction& set, uint32_t pc, bool when) {
    if (!isa::IsInteger(set.type)) return;
    Origin left = OriginOf(set.a, pc);
    Origin right = OriginOf(set.b, pc);
    isa::Condition condition = set.condition();
    if (left.kind == Origin::Kind::kScalar) {
      std::swap(left, right);
      condition = isa::Mirrored(condition);
    }
    if (left.kind != Origin::Kind::kGlobalId || right.kind != Origin::Kind::kScalar) return;
    const bool below = when ? condition == isa::Condition::kLt : condition == isa::Condition::kGe;
    const bool up_to = when ? condition == isa::Condition::kLe : condition == isa::Condition::kGt;
    if (!below && !up_to) return;
    LaneGuard guard;
    guard.dimension = static_cast<int>(left.number);
    guard.parameter = right.number;
    guard.scalar = ScalarNumber(right.number);
    guard.type = program_.program().parameters[right.number].type;
    guard.inclusive = up_to;
    guard.pc = pc;
    if (std::find(guards_.begin(), guards_.end(), guard) == guards_.end()) guards_.push_back(guard);
  }

  uint32_t ScalarNumber(uint32_t parameter) const {
    uint32_t number = 0;
    for (uint32_t k = 0; k < parameter; ++k) {
      number += program_.program().parameters[k].is_buffer ? 0 : 1;
    }
    return number;
  }

  static std::array<int64_t, isa::kNumRegisters> NoWriters() {
    std::array<int64_t, isa::kNumRegisters> writers{};
    writers.fill(kNever);
    return writers;
  }

  const VerifiedProgram& program_;
  const std::vector<Instruction>& code_;
  std::array<int64_t, isa::kNumRegisters> register_writers_ = NoWriters();
  std::array<int64_t, isa::kNumRegisters> predicate_writers_ = NoWriters();
  std::vector<bool> works_;
  std::vector<LaneGuard> guards_;
};

}  // namespace

std::vector<LaneGuard> FindLaneGuards(const VerifiedProgram& program) {
  return GuardFinder(program).Find();
}

}  // namespace hologram::verify
