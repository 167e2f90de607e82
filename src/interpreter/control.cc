// BRA CALL RET LOOP EXIT TRAP BAR.SYNC BLK.RED BLK.SCAN MEMFENCE and the order in which lanes run.
//
// Every lane that has neither ended nor faulted is in exactly one place: among the running lanes,
// in pending[b] for the basic block b where it continues, or in `waiting` at a barrier. The
// earliest block with pending lanes always runs next, so lanes that took different ways meet again
// as early as the layout allows; any control-flow graph, irreducible ones too, runs correctly,
// because no lane depends on when another one runs. When nothing is pending, all live lanes wait at
// barriers. The verifier has proved that it is the same one, so it opens. (A program with races,
// launched as non-deterministic, can break that proof; the barrier at the lowest address opens
// first, and the launch still ends.)
//
// A back edge of a loop that is not proved to end counts on the budget of the lane; the verifier
// lists them, at least one for every cycle of the program.
#include <algorithm>
#include <bit>

#include "interpreter/columns.h"
#include "interpreter/instructions.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;

// Takes one back edge in all running lanes; lanes whose budget is spent fault.
void CountBackEdge(Chunk& chunk, uint64_t* taken, uint64_t budget) {
  bool spent = false;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) spent |= taken[i]++ >= budget;
  }
  if (!spent) return;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      if (taken[i] > budget) chunk.Fault(i, HOLOGRAM_FAULT_BUDGET, 0);
    }
  }
  chunk.DropFaulted();
}

// The running lanes continue at instruction `target`, later.
void Continue(Chunk& chunk, uint32_t target) {
  if (target < chunk.program().code.size()) {
    const uint32_t to = chunk.verified().BlockOf(target);
    const uint32_t from = chunk.verified().BlockOf(chunk.pc());
    const launch::Launch& launch = chunk.launch();
    if (chunk.control().IsCounted(from, to))
      CountBackEdge(chunk, chunk.control().back_edges().data(), launch.budget);
    if (chunk.control().IsLimited(from, to)) {
      CountBackEdge(chunk, chunk.control().rounds().data(), launch.most_rounds());
    }
    LaneMask& pending = chunk.control().pending()[to];
    if (pending.empty()) {
      pending = chunk.active();
    } else {
      for (size_t w = 0; w < pending.size(); ++w) pending[w] |= chunk.active()[w];
    }
    chunk.control().runnable()[to / kWordBits] |= uint64_t{1} << (to % kWordBits);
  }
  chunk.Deactivate();
}

// Eight bytes that are 0 or 1 become eight bits.
uint64_t PackByte(const uint8_t* bytes) {
  uint64_t word;
  __builtin_memcpy(&word, bytes, sizeof(word));
  return (word * 0x0102040810204080) >> 56;
}

// The lanes of `mask` whose predicate holds.
LaneMask Holding(const LaneMask& mask, const uint8_t* predicate) {
  LaneMask result(mask.size());
  for (size_t w = 0; w < mask.size(); ++w) {
    uint64_t bits = 0;
    for (uint32_t byte = 0; byte < 8; ++byte) {
      bits |= PackByte(predicate + w * kWordBits + byte * 8) << (byte * 8);
    }
    result[w] = mask[w] & bits;
  }
  return result;
}

// The lanes of `taken` continue at instruction `target`, the other running ones at the next.
void Part(Chunk& chunk, const LaneMask& taken, uint32_t target) {
  LaneMask rest = chunk.active();
  for (size_t w = 0; w < rest.size(); ++w) rest[w] &= ~taken[w];
  if (!IsEmpty(taken)) {
    if (!IsEmpty(rest)) chunk.Activate(taken);
    Continue(chunk, target);
  }
  if (!IsEmpty(rest)) {
    chunk.Activate(std::move(rest));
    Continue(chunk, chunk.pc() + 1);
  }
}

// Runs from chunk.pc() until no lane is running.
void RunBlock(Chunk& chunk) {
  const isa::Program& program = chunk.program();
  const verify::BasicBlock& block = chunk.verified().blocks()[chunk.verified().BlockOf(chunk.pc())];
  Observer* const observer = chunk.observer();
  for (uint32_t pc = chunk.pc(); pc < block.end; ++pc) {
    chunk.set_pc(pc);
    if (observer != nullptr) observer->Runs(pc, chunk.active());
    Execute(chunk, program.code[pc]);
    if (chunk.ranges().empty()) return;
  }
  Continue(chunk, block.end);
}

// The fault of the lowest lane is the one of the launch, so those above it need not go on, however
// many rounds they have left. Where lanes wait for each other, those below may need them, and who
// observes lanes sees all of the chunk. False: none is left.
bool DropBehindFault(const Chunk& chunk, LaneMask& lanes) {
  if (!chunk.fault() || chunk.by_block() || chunk.observer() != nullptr) return true;
  const uint64_t last = chunk.fault()->lane - chunk.first_lane();
  lanes[last / kWordBits] &= (uint64_t{1} << (last % kWordBits)) - 1;
  std::fill(lanes.begin() + static_cast<std::ptrdiff_t>(last / kWordBits) + 1, lanes.end(), 0);
  return !IsEmpty(lanes);
}

bool ActivateEarliestPending(Chunk& chunk) {
  for (size_t w = 0; w < chunk.control().runnable().size(); ++w) {
    uint64_t& word = chunk.control().runnable()[w];
    while (word != 0) {
      const size_t block = w * kWordBits + static_cast<size_t>(std::countr_zero(word));
      word &= word - 1;
      LaneMask lanes;
      lanes.swap(chunk.control().pending()[block]);
      if (!DropBehindFault(chunk, lanes)) continue;
      chunk.Activate(std::move(lanes));
      chunk.set_pc(chunk.verified().blocks()[block].begin);
      return true;
    }
  }
  return false;
}

bool OpenBarrier(Chunk& chunk) {
  auto& waiting = chunk.control().waiting();
  if (waiting.empty()) return false;
  const auto first = std::min_element(waiting.begin(), waiting.end(),
                                      [](const auto& a, const auto& b) { return a.pc < b.pc; });
  const uint32_t pc = first->pc;
  chunk.Activate(std::move(first->lanes));
  waiting.erase(first);
  chunk.set_pc(pc);
  chunk.ordered().Make();
  const Instruction& barrier = chunk.program().code[pc];
  if (barrier.op != isa::Opcode::kBarSync) CombineBlock(chunk, barrier);
  const uint32_t block_end = chunk.verified().blocks()[chunk.verified().BlockOf(pc)].end;
  if (pc + 1 == block_end) {
    Continue(chunk, pc + 1);
  } else {
    chunk.set_pc(pc + 1);
  }
  return true;
}

}  // namespace

void Bra(Chunk& chunk, const Instruction& in) {
  if (!in.conditional()) return Continue(chunk, in.target());
  Part(chunk, Holding(chunk.active(), chunk.Predicate(in.a)), in.target());
}

// Only recursive programs have calls.
void Call(Chunk& chunk, const Instruction& in) {
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      uint32_t& depth = chunk.control().CallDepth(i);
      if (depth == isa::kMaxCallDepth) {
        chunk.Fault(i, HOLOGRAM_FAULT_CALL_DEPTH, 0);
      } else {
        chunk.control().ReturnTo(depth++, i) = chunk.pc() + 1;
      }
    }
  }
  chunk.DropFaulted();
  Continue(chunk, in.target());
}

// Lanes that return to one place go there together.
void Ret(Chunk& chunk, const Instruction&) {
  LaneMask rest = chunk.active();
  while (!IsEmpty(rest)) {
    const auto word = static_cast<size_t>(
        std::find_if(rest.begin(), rest.end(), [](uint64_t w) { return w != 0; }) - rest.begin());
    const auto first =
        static_cast<uint32_t>(word * kWordBits + static_cast<size_t>(std::countr_zero(rest[word])));
    const uint32_t target = chunk.control().ReturnTo(chunk.control().CallDepth(first) - 1, first);
    LaneMask together(rest.size(), 0);
    for (size_t w = word; w < rest.size(); ++w) {
      for (uint64_t bits = rest[w]; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<uint32_t>(std::countr_zero(bits));
        const auto lane = static_cast<uint32_t>(w * kWordBits) + bit;
        if (chunk.control().ReturnTo(chunk.control().CallDepth(lane) - 1, lane) != target) continue;
        --chunk.control().CallDepth(lane);
        together[w] |= uint64_t{1} << bit;
      }
      rest[w] &= ~together[w];
    }
    chunk.Activate(std::move(together));
    Continue(chunk, target);
  }
}

void Loop(Chunk& chunk, const Instruction& in) {
  uint32_t* const counter = chunk.Column<uint32_t>(in.a);
  LaneMask taken(chunk.active().size(), 0);
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      const uint32_t more = counter[i] != 0 ? 1 : 0;
      counter[i] -= more;
      taken[i / kWordBits] |= uint64_t{more} << (i % kWordBits);
    }
  }
  Part(chunk, taken, in.target());
}

void Exit(Chunk& chunk, const Instruction& in) {
  Continue(chunk, static_cast<uint32_t>(chunk.program().code.size()));
  (void)in;
}

void BarSync(Chunk& chunk, const Instruction& in) {
  (void)in;
  if (chunk.observer() != nullptr) {
    ForEachLane(chunk, [&](uint32_t i) { chunk.observer()->Barrier(chunk.first_lane() + i); });
  }
  for (auto& waiting : chunk.control().waiting()) {
    if (waiting.pc != chunk.pc()) continue;
    for (size_t w = 0; w < waiting.lanes.size(); ++w) waiting.lanes[w] |= chunk.active()[w];
    return chunk.Deactivate();
  }
  chunk.control().waiting().push_back({chunk.pc(), chunk.active()});
  chunk.Deactivate();
}

// What comes back is computed when all lanes are here.
void BlkRed(Chunk& chunk, const Instruction& in) {
  BarSync(chunk, in);
}

void BlkScan(Chunk& chunk, const Instruction& in) {
  BarSync(chunk, in);
}

void Trap(Chunk& chunk, const Instruction& in) {
  const uint8_t* const predicate = in.mod == 1 ? chunk.Predicate(in.a) : nullptr;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      if (predicate != nullptr && predicate[i] == 0) continue;
      chunk.Fault(i, HOLOGRAM_FAULT_ASSERTION, 0);
    }
  }
  chunk.DropFaulted();
}

// One thread runs all lanes, one instruction after the other: all accesses are seen in order.
void MemFence(Chunk& chunk, const Instruction& in) {
  (void)chunk;
  (void)in;
}

namespace {

bool IsStopped(Chunk& chunk) {
  if (chunk.launch().cancelled()) return true;
  return chunk.observer() != nullptr && !chunk.observer()->GoesOn(chunk.num_running());
}

}  // namespace

bool RunLanes(Chunk& chunk) {
  if (chunk.program().code.empty()) return true;
  if (IsStopped(chunk)) return false;
  chunk.set_pc(0);
  RunBlock(chunk);
  while (ActivateEarliestPending(chunk) || OpenBarrier(chunk)) {
    if (IsStopped(chunk)) return false;
    if (!chunk.ranges().empty()) RunBlock(chunk);
  }
  chunk.ordered().Make();
  return true;
}

}  // namespace hologram::interpreter
