#include "codegen/plan/turned.h"

#include <algorithm>
#include <bit>

#include "codegen/plan/accesses.h"
#include "codegen/plan/loops.h"

namespace hologram::codegen {
namespace {

// In instructions.
constexpr uint64_t kLaneByLane = 16;
constexpr uint64_t kOtherPlace = 3;  // of an element that all lanes share
constexpr uint64_t kRounds = 16;

class Turner {
 public:
  explicit Turner(const Plan& plan) : plan_(plan), rounds_(plan.successors.size(), 1) {
    for (const verify::LoopFact& loop : plan.verified->loops()) {
      for (const uint32_t b : BlocksOfLoop(plan, loop)) {
        rounds_[b] = std::min(rounds_[b] * kRounds, kRounds * kRounds * kRounds * kRounds);
      }
    }
  }

  std::optional<uint32_t> Find(uint32_t array) const {
    uint64_t gained = 0;
    uint64_t lost = 0;
    int64_t length = 0;
    for (const verify::AccessFact& access : plan_.verified->accesses()) {
      if (!access.shared || access.slot != array) continue;
      if (!IsPlain(access)) return std::nullopt;
      const uint64_t rounds = rounds_[plan_.verified->BlockOf(access.pc)];
      const Kind index = plan_.KindOf(IndexOf(plan_, access.pc));
      if (index == Kind::kUniform) {
        lost += kOtherPlace * rounds;
        continue;
      }
      const int64_t stride = access.stride.value_or(0);
      if (index != Kind::kAffine || stride < 2 || (length != 0 && length != stride)) {
        return std::nullopt;
      }
      length = stride;
      gained += kLaneByLane * rounds;
    }
    const uint64_t count = plan_.program().shared[array].count;
    const auto row = static_cast<uint64_t>(length);
    if (row == 0 || !std::has_single_bit(row) || count % row != 0 || gained <= lost) {
      return std::nullopt;
    }
    return static_cast<uint32_t>(std::countr_zero(row));
  }

 private:
  bool IsPlain(const verify::AccessFact& access) const {
    const isa::Instruction& in = plan_.program().code[access.pc];
    const bool moves = isa::IsLoad(in.op) || isa::IsStore(in.op);
    const isa::Type type = plan_.program().shared[access.slot].type;
    return moves && access.tier == verify::Tier::kProved &&
           isa::SizeOf(in.type) == isa::SizeOf(type);
  }

  const Plan& plan_;
  std::vector<uint64_t> rounds_;  // by block
};

}  // namespace

std::map<uint32_t, uint32_t> FindTurned(const Plan& plan) {
  std::map<uint32_t, uint32_t> turned;
  const size_t arrays = plan.program().shared.size();
  if (plan.scalar || arrays == 0) return turned;
  const Turner turner(plan);
  for (uint32_t array = 0; array < arrays; ++array) {
    if (const std::optional<uint32_t> bits = turner.Find(array)) turned.emplace(array, *bits);
  }
  return turned;
}

}  // namespace hologram::codegen
