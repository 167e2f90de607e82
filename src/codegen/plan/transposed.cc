#include "codegen/plan/transposed.h"

#include <algorithm>
#include <cstdlib>

#include "codegen/plan/accesses.h"
#include "codegen/plan/loops.h"

namespace hologram::codegen {
namespace {

// In instructions.
constexpr int64_t kLaneByLane = 16;
constexpr int64_t kPlaces = 4;      // of the elements of a vector
constexpr int64_t kOtherPlace = 3;  // of an element that all lanes share
constexpr uint64_t kRounds = 16;
constexpr uint64_t kFewestRows = 4;  // the last of which may be filled up

class Transposer {
 public:
  explicit Transposer(const Plan& plan) : plan_(plan), rounds_(plan.successors.size(), 1) {
    for (const verify::LoopFact& loop : plan.verified->loops()) {
      for (const uint32_t b : BlocksOfLoop(plan, loop)) {
        rounds_[b] = std::min(rounds_[b] * kRounds, kRounds * kRounds * kRounds * kRounds);
      }
    }
  }

  std::optional<Transposed> Find(uint32_t array) const {
    std::set<uint64_t> rows;
    for (const verify::AccessFact& access : plan_.verified->accesses()) {
      if (!access.shared || access.slot != array) continue;
      if (!IsPlain(access)) return std::nullopt;
      const uint64_t row = Distance(access);
      if (row >= 2) rows.insert(row);
    }
    const uint64_t count = plan_.program().shared[array].count;
    int64_t most = 0;
    Transposed best;
    for (const uint64_t row : rows) {
      const int64_t gained = GainOf(array, row);
      if (gained <= most || count / row < kFewestRows) continue;
      most = gained;
      best = {static_cast<uint32_t>(row), static_cast<uint32_t>((count + row - 1) / row)};
    }
    return most > 0 ? std::optional(best) : std::nullopt;
  }

 private:
  // Between the elements of neighbouring lanes, in elements; 0: it differs, or there is none.
  uint64_t Distance(const verify::AccessFact& access) const {
    if (plan_.KindOf(IndexOf(plan_, access.pc)) != Kind::kAffine) return 0;
    return static_cast<uint64_t>(std::abs(access.stride.value_or(0)));
  }

  int64_t GainOf(uint32_t array, uint64_t row) const {
    int64_t gained = 0;
    for (const verify::AccessFact& access : plan_.verified->accesses()) {
      if (!access.shared || access.slot != array) continue;
      const auto rounds = static_cast<int64_t>(rounds_[plan_.verified->BlockOf(access.pc)]);
      const uint64_t distance = Distance(access);
      if (plan_.KindOf(IndexOf(plan_, access.pc)) == Kind::kUniform) {
        gained -= kOtherPlace * rounds;
      } else if (distance == row) {
        gained += kLaneByLane * rounds;
      } else {
        gained -= (kPlaces + (distance == 1 ? kLaneByLane : 0)) * rounds;
      }
    }
    return gained;
  }

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

std::map<uint32_t, Transposed> FindTransposed(const Plan& plan) {
  std::map<uint32_t, Transposed> transposed;
  const size_t arrays = plan.program().shared.size();
  if (plan.scalar || arrays == 0) return transposed;
  const Transposer transposer(plan);
  for (uint32_t array = 0; array < arrays; ++array) {
    if (const std::optional<Transposed> one = transposer.Find(array))
      transposed.emplace(array, *one);
  }
  return transposed;
}

uint32_t OffsetOfShared(const Plan& plan, size_t array) {
  constexpr uint32_t kAlignment = 64;
  uint32_t offset = plan.program().SharedOffset(array);
  for (const auto& [number, transposed] : plan.arrays.transposed) {
    if (number >= array) break;
    const isa::SharedArray& one = plan.program().shared[number];
    const uint32_t more = (transposed.row * transposed.rows - one.count) * isa::SizeOf(one.type);
    offset += (more + kAlignment - 1) / kAlignment * kAlignment;
  }
  return offset;
}

}  // namespace hologram::codegen
