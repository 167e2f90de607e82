#include "verify/transposed.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hologram::verify {
namespace {

using isa::Sreg;

Sreg Exchanged(Sreg sreg) {
  switch (sreg) {
    case Sreg::kGlobalX:
      return Sreg::kGlobalY;
    case Sreg::kGlobalY:
      return Sreg::kGlobalX;
    case Sreg::kGridDimX:
      return Sreg::kGridDimY;
    case Sreg::kGridDimY:
      return Sreg::kGridDimX;
    case Sreg::kBlockDimX:
      return Sreg::kBlockDimY;
    case Sreg::kBlockDimY:
      return Sreg::kBlockDimX;
    default:
      return sreg;
  }
}

// Conditions in words that do not depend on the order in which sums and products were made.
class Words {
 public:
  // `exchanges`: x and y.
  Words(const LaunchCheck& check, bool exchanges) : check_(check), exchanges_(exchanges) {
    constexpr size_t kLongest = 4000;
    for (const CheckNode& node : check.nodes) {
      std::string word = Of(node);
      are_short_ = are_short_ && word.size() <= kLongest;
      words_.push_back(are_short_ ? std::move(word) : std::string());
    }
  }

  const std::string& operator[](uint32_t node) const { return words_[node]; }
  // Else there are checks that nobody writes by hand, and nothing is to be compared.
  bool are_short() const { return are_short_; }

 private:
  std::string Of(const CheckNode& node) const {
    const std::string value = std::to_string(Dimension(node));
    switch (node.op) {
      case CheckOp::kConstant:
        return value;
      case CheckOp::kScalar:
        return "scalar" + value;
      case CheckOp::kGridDim:
        return "grid" + value;
      case CheckOp::kBlockDim:
        return "block" + value;
      case CheckOp::kExtent:
        return "extent" + value;
      case CheckOp::kIdLow:
        return "low" + value;
      case CheckOp::kIdHigh:
        return "high" + value;
      case CheckOp::kFloorDiv:
        return "(" + words_[node.lhs] + " // " + words_[node.rhs] + ")";
      case CheckOp::kSub:
        return "(" + words_[node.lhs] + " - " + words_[node.rhs] + ")";
      case CheckOp::kAdd:
      case CheckOp::kMul:
      case CheckOp::kMin:
      case CheckOp::kMax:
        return Joined(node);
    }
    return "";
  }

  int64_t Dimension(const CheckNode& node) const {
    const bool is_shape = node.op == CheckOp::kGridDim || node.op == CheckOp::kBlockDim;
    return exchanges_ && is_shape && node.value < 2 ? 1 - node.value : node.value;
  }

  std::string Joined(const CheckNode& node) const {
    std::multiset<std::string> parts;
    Collect(node, node.op, parts);
    std::string text = "(" + std::to_string(static_cast<int>(node.op));
    for (const std::string& part : parts) text += " " + part;
    return text + ")";
  }

  void Collect(const CheckNode& node, CheckOp op, std::multiset<std::string>& parts) const {
    for (const uint32_t side : {node.lhs, node.rhs}) {
      constexpr size_t kMostParts = 64;
      const bool same = check_.nodes[side].op == op && parts.size() < kMostParts;
      same ? Collect(check_.nodes[side], op, parts) : void(parts.insert(words_[side]));
    }
  }

  const LaunchCheck& check_;
  bool exchanges_;
  bool are_short_ = true;
  std::vector<std::string> words_;
};

using Conditions = std::set<std::tuple<int, std::string, std::string>>;

Conditions ConditionsOf(const LaunchCheck& check, const Words& words) {
  Conditions conditions;
  for (const LaunchCondition& condition : check.conditions) {
    conditions.emplace(static_cast<int>(condition.kind), words[condition.lhs],
                       words[condition.rhs]);
  }
  return conditions;
}

// What arrays may be the same memory is asked for accesses, whatever the ids are.
bool SameAliases(const LaunchCheck& a, const LaunchCheck& b) {
  return std::equal(a.aliases.begin(), a.aliases.end(), b.aliases.begin(), b.aliases.end(),
                    [](const AliasRule& one, const AliasRule& other) {
                      return std::tie(one.slot_a, one.slot_b, one.same_element, one.needs_proof,
                                      one.equal) == std::tie(other.slot_a, other.slot_b,
                                                             other.same_element, other.needs_proof,
                                                             other.equal);
                    });
}

bool SameTiers(const VerifiedProgram& a, const VerifiedProgram& b) {
  return std::equal(a.accesses().begin(), a.accesses().end(), b.accesses().begin(),
                    b.accesses().end(), [](const AccessFact& one, const AccessFact& other) {
                      return one.pc == other.pc && one.tier == other.tier;
                    });
}

bool SameLoops(const VerifiedProgram& a, const VerifiedProgram& b) {
  return std::equal(a.loops().begin(), a.loops().end(), b.loops().begin(), b.loops().end(),
                    [](const LoopFact& one, const LoopFact& other) {
                      return std::tie(one.header, one.ends, one.ends_if_proved, one.limited,
                                      one.limited_if_guarded) ==
                             std::tie(other.header, other.ends, other.ends_if_proved, other.limited,
                                      other.limited_if_guarded);
                    });
}

}  // namespace

std::optional<VerifiedProgram> Transposed(const VerifiedProgram& program) {
  isa::Program exchanged = program.program();
  for (isa::Instruction& in : exchanged.code) {
    if (in.op != isa::Opcode::kReadSreg) continue;
    in.mod = static_cast<uint8_t>(Exchanged(in.sreg()));
  }
  Result<VerifiedProgram> verified = Verify(std::move(exchanged));
  if (!verified.ok() || verified.value().program().code.size() != program.program().code.size()) {
    return std::nullopt;
  }
  VerifiedProgram& found = verified.value();
  if (!SameTiers(program, found) || !SameLoops(program, found)) return std::nullopt;
  const LaunchCheck& given = program.launch_check();
  const LaunchCheck& check = found.launch_check();
  if (!SameAliases(given, check) || given.rounds.size() != check.rounds.size()) return std::nullopt;
  const Words of_given(given, true);
  const Words words(check, false);
  if (!of_given.are_short() || !words.are_short()) return std::nullopt;
  const Conditions known = ConditionsOf(given, of_given);
  for (const auto& condition : ConditionsOf(check, words)) {
    if (!known.contains(condition)) return std::nullopt;
  }
  return std::move(found);
}

}  // namespace hologram::verify
