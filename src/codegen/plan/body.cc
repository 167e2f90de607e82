#include "codegen/plan/body.h"

#include <algorithm>

#include "codegen/plan/accesses.h"
#include "math/functions.h"

namespace hologram::codegen {

namespace {

// A loop that goes round at most so often, with the loops inside it, reads no word of its own.
constexpr uint64_t kShortRounds = 4096;

}  // namespace

// What a copy of the body costs to compile, in simple instructions.
size_t BodySize(const Plan& plan, const Blocks& blocks) {
  size_t size = 0;
  const auto& code = plan.program().code;
  const auto add = [&](uint32_t pc) {
    const isa::Opcode op = code[pc].op;
    // What is the same for all lanes, or their number, is computed once for all copies.
    const bool once = !isa::IsReduce(op) && !isa::IsStore(op) && !isa::IsBarrier(op) &&
                      plan.KindOfResult(pc) != Kind::kVarying;
    if (once && plan.unit == HOLOGRAM_UNIT_BLOCK) return;
    const bool divides = op == isa::Opcode::kDiv || op == isa::Opcode::kRem;
    const verify::AccessFact* access = plan.verified->AccessAt(pc);
    const bool scattered = access != nullptr && access->stride != 0 && access->stride != 1;
    if (math::FindFunction(op) != nullptr || op == isa::Opcode::kNbrGet || isa::IsServed(op)) {
      size += 20;
    } else if (divides && isa::IsInteger(code[pc].type)) {
      size += 10;
    } else if (isa::IsReduce(op)) {
      size += 1 + code[pc].imm;
    } else {
      size += scattered ? 4 : 1;
    }
  };
  for (const uint32_t b : blocks) {
    if (plan.IsRepeated(b)) continue;
    for (uint32_t pc = plan.block(b).begin; pc < plan.block(b).end; ++pc) add(pc);
  }
  return size;
}

bool HasLoop(const Plan& plan, const Blocks& blocks) {
  return std::any_of(blocks.begin(), blocks.end(), [&](uint32_t b) {
    const std::vector<uint32_t>& successors = plan.successors[b];
    const isa::Instruction& last = plan.program().code[plan.block(b).end - 1];
    return !isa::IsBarrier(last.op) &&
           std::any_of(successors.begin(), successors.end(), [&](uint32_t s) { return s <= b; });
  });
}

namespace {

// True for a loop in which lanes side by side read elements side by side, others in each round:
// what a chunk leaves of each row of memory is read in another pass.
bool LoopsOverMemory(const Plan& plan, const Blocks& blocks) {
  if (!HasLoop(plan, blocks) || plan.LocalBytes() != 0) return false;
  bool reads = false;
  for (const uint32_t b : blocks) {
    for (uint32_t pc = plan.block(b).begin; pc < plan.block(b).end; ++pc) {
      const isa::Instruction& in = plan.program().code[pc];
      if (isa::IsAtomic(in.op)) return false;
      const verify::AccessFact* access = plan.verified->AccessAt(pc);
      if (access == nullptr || !isa::IsLoad(in.op) || access->stride != 1) continue;
      const OperandId index = IndexOf(plan, pc);
      reads |= !IsFixed(index) && !plan.webs[static_cast<size_t>(index)].invariant;
    }
  }
  return reads;
}

// Registers that one copy needs for the vectors of numbers that live from block to block. A vector
// of 32-bit numbers takes one.
size_t LiveVectors(const Plan& plan) {
  size_t live = 0;
  for (const Web& web : plan.webs) {
    if (web.kind != Kind::kVarying || web.local || web.is_predicate()) continue;
    if (isa::IsFloat(web.type)) live += std::max<size_t>(1, isa::SizeOf(web.type) / 4);
  }
  return live;
}

// Copies of a loop around several sums, which are to stay in registers: each has a vector that is
// loaded, and all have one more. Four keep the multipliers busy.
unsigned UnrollByRegisters(size_t live, const Target& target) {
  for (unsigned unroll = 4; unroll > 1; unroll /= 2) {
    if ((live + 1) * unroll + 1 <= target.registers) return unroll;
  }
  return 1;
}

}  // namespace

// Copies of loops hide the latency of what the next round needs. Straight code has independent work
// in the next iteration already, and each copy costs compile time.
unsigned UnrollFactor(const Plan& plan, const Target& target, const Blocks& lane_blocks) {
  if (plan.scalar) return 1;
  if (plan.order.lane_by_lane || !plan.order.logged.empty()) return 1;
  if (plan.recursive) return 1;  // most of the time is spent on masks
  // Copies have local memory of their own.
  if (uint64_t{plan.LocalBytes()} * target.width > 16 * 1024) return 1;
  const bool blocks = plan.unit == HOLOGRAM_UNIT_BLOCK;
  const bool loops = HasLoop(plan, lane_blocks);
  const size_t small = blocks ? (loops ? 24 : 12) : loops ? 48 : 16;
  const size_t medium = blocks ? (loops ? 60 : 24) : loops ? 120 : 64;
  const size_t size = BodySize(plan, lane_blocks);
  constexpr size_t kManySums = 4;
  constexpr size_t kLongest = 400;
  const size_t live = loops ? LiveVectors(plan) : 0;
  if (live >= kManySums && size <= kLongest) return UnrollByRegisters(live, target);
  if (size <= small) return target.avx512 && !blocks && LoopsOverMemory(plan, lane_blocks) ? 8 : 4;
  return size <= medium ? 2 : 1;
}

// Many copies under one mask have more values than registers, and rows end with half of them on
// average: in between a loop takes fewer, and what that leaves goes under the mask.
unsigned FewerVectors(const Plan& plan, const Target& target, const Blocks& blocks,
                      unsigned unroll) {
  constexpr unsigned kMany = 8;
  constexpr unsigned kFew = 4;
  if (unroll < kMany || !MasksRest(plan, target, blocks) || CanRunAgain(plan)) return unroll;
  return kFew;
}

// True if vectors that are left by the unrolled loop go under a mask, for one copy less.
bool MasksRest(const Plan& plan, const Target& target, const Blocks& blocks) {
  return target.avx512 && (HasLoop(plan, blocks) || BodySize(plan, blocks) > 16);
}

// True if a copy for whole vectors would hardly be cheaper than the one under a mask: long bodies
// whose contiguous accesses are all masked by their own branches.
bool MasksAll(const Plan& plan, const Target& target, const Blocks& blocks) {
  const bool amortizes = plan.unit == HOLOGRAM_UNIT_BLOCK || HasLoop(plan, blocks);
  if (!target.avx512 || !amortizes) return false;
  return std::all_of(blocks.begin(), blocks.end(), [&](uint32_t b) {
    if (plan.divergent[b] != 0) return true;
    for (uint32_t pc = plan.block(b).begin; pc < plan.block(b).end; ++pc) {
      const verify::AccessFact* access = plan.verified->AccessAt(pc);
      if (access != nullptr && access->stride == 1) return false;
    }
    return true;
  });
}

// Lanes of a row that take about as long as a launch may run without a look at what stops it.
uint64_t LanesOfPiece(const Plan& plan, const Blocks& blocks) {
  constexpr uint64_t kInstructions = uint64_t{1} << 28;
  constexpr uint64_t kFewest = 1024;
  uint64_t rounds = 1;  // of loops that do not look themselves
  for (const verify::LoopFact& loop : plan.verified->loops()) {
    if (loop.nest_rounds <= kShortRounds) rounds = std::max(rounds, loop.nest_rounds);
  }
  return std::max(kFewest, kInstructions / (rounds * (1 + BodySize(plan, blocks))));
}

bool NeedsAnyCheck(const Plan& plan, uint32_t block) {
  constexpr uint32_t kCheapVectors = 6;
  constexpr uint32_t kCheapInstructions = 16;
  const verify::BasicBlock& b = plan.block(block);
  if (b.end - b.begin > kCheapInstructions) return true;
  uint32_t vectors = 0;
  for (uint32_t pc = b.begin; pc < b.end; ++pc) {
    const isa::Instruction& in = plan.program().code[pc];
    if (isa::IsJump(in.op)) continue;
    if (!IsPure(in) || math::FindFunction(in.op) != nullptr) return true;
    // What lanes share, or count, takes an instruction of the scalar side.
    vectors += plan.KindOfResult(pc) == Kind::kVarying ? 1U : 0U;
  }
  return vectors > kCheapVectors;
}

// Every cycle of a program has a header, recursion too.
bool PollsAt(const Plan& plan, uint32_t block) {
  const auto& loops = plan.verified->loops();
  return std::any_of(loops.begin(), loops.end(), [&](const verify::LoopFact& loop) {
    return loop.header == block && loop.nest_rounds > kShortRounds;
  });
}

bool HasPolls(const Plan& plan) {
  const auto& loops = plan.verified->loops();
  return std::any_of(loops.begin(), loops.end(),
                     [&](const verify::LoopFact& loop) { return PollsAt(plan, loop.header); });
}

}  // namespace hologram::codegen
