#include "codegen/plan/order.h"

#include <algorithm>

#include "codegen/plan/accesses.h"
#include "codegen/plan/loops.h"
#include "math/functions.h"

namespace hologram::codegen {
namespace {

constexpr uint64_t kMostLogBytes = 128 * 1024;  // of the stack
constexpr uint32_t kRowsOfShortLog = 256;       // what stays in the first cache

uint64_t Product(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

// Blocks run in the order of the program but for edges that lead back: outside of what these span,
// control comes to a block once for all lanes of a chunk.
bool IsSpanned(const Plan& plan, uint32_t block) {
  for (uint32_t from = block; from < plan.successors.size(); ++from) {
    for (const uint32_t to : plan.successors[from]) {
      if (to <= block) return true;
    }
  }
  return false;
}

// How often a lane comes to the block at most.
uint64_t MostVisits(const Plan& plan, uint32_t block) {
  uint64_t visits = 1;
  uint64_t depth = 1;
  for (const verify::LoopFact& loop : plan.verified->loops()) {
    if (!Contains(BlocksOfLoop(plan, loop), block)) continue;
    visits = std::max(visits, loop.nest_rounds);  // the outermost has most
    depth = Product(depth, 2);  // a header is seen once more than its loop goes round
  }
  return Product(visits, depth);
}

// In a block where lanes have parted, each row may be one of another lane.
uint64_t RowsOf(const Plan& plan, uint32_t pc, unsigned width) {
  const uint32_t block = plan.verified->BlockOf(pc);
  return Product(MostVisits(plan, block), plan.divergent[block] != 0 ? width : 1);
}

bool OfOneArray(const Plan& plan, uint32_t a, uint32_t b) {
  const verify::AccessFact& first = *plan.verified->AccessAt(a);
  const verify::AccessFact& second = *plan.verified->AccessAt(b);
  return first.shared == second.shared && first.slot == second.slot;
}

// All lanes go round together, for longer than a short log lasts.
bool IsInLongLoop(const Plan& plan, uint32_t block) {
  const auto& loops = plan.verified->loops();
  return std::any_of(loops.begin(), loops.end(), [&](const verify::LoopFact& loop) {
    return loop.nest_rounds > kRowsOfShortLog && plan.divergent[loop.header] == 0 &&
           Contains(BlocksOfLoop(plan, loop), block);
  });
}

// Lanes that read memory each in its own way gain nothing from vectors; what is computed does.
bool Computes(const Plan& plan) {
  const auto& code = plan.program().code;
  return std::any_of(code.begin(), code.end(), [](const isa::Instruction& in) {
    const bool slow = in.op == isa::Opcode::kDiv || in.op == isa::Opcode::kSqrt;
    return math::FindFunction(in.op) != nullptr || (slow && isa::IsFloat(in.type));
  });
}

bool MayUseShortLog(const Plan& plan) {
  if (!Computes(plan) || !MayRunAgainFromLog(plan)) return false;
  return std::none_of(plan.order.logged.begin(), plan.order.logged.end(),
                      [&](uint32_t pc) { return IsInLongLoop(plan, plan.verified->BlockOf(pc)); });
}

}  // namespace

Keeping FindLog(Plan& plan, unsigned width) {
  const std::vector<uint32_t>& ordered = plan.verified->ordered_updates();
  if (ordered.empty() || width == 1) return Keeping::kVectors;
  if (plan.recursive) return Keeping::kLanes;
  for (const uint32_t pc : ordered) {
    const bool alone = std::none_of(ordered.begin(), ordered.end(), [&](uint32_t other) {
      return other != pc && OfOneArray(plan, pc, other);
    });
    if (!alone || IsSpanned(plan, plan.verified->BlockOf(pc))) plan.order.logged.push_back(pc);
  }
  const auto& code = plan.program().code;
  uint64_t rows = 0;
  for (const uint32_t pc : plan.order.logged) {
    if (code[pc].type != code[plan.order.logged[0]].type) return Keeping::kLanes;
    if (__builtin_add_overflow(rows, RowsOf(plan, pc, width), &rows)) rows = UINT64_MAX;
  }
  const uint64_t row_bytes = uint64_t{width} * (sizeof(uint64_t) + sizeof(uint64_t));
  if (Product(rows, row_bytes) <= kMostLogBytes) {
    plan.order.rows = static_cast<uint32_t>(rows);
    return Keeping::kVectors;
  }
  if (!MayUseShortLog(plan)) return Keeping::kLanes;
  plan.order.rows = kRowsOfShortLog;
  plan.order.may_fill = true;
  return Keeping::kVectorsOrLanes;
}

}  // namespace hologram::codegen
