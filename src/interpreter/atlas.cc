// CLS.GET MIRROR NBR.COUNT NBR.GET BOUND.MAP PHASE.GET PHASE.ADV RES.ACCUM UNITY.TEST and pools.
// LDG and STG of class memory come as POOL.LOAD and POOL.STORE with an address mode. What a lane
// does to the stream of its launch is kept by StreamRun.
#include "isa/atlas.h"

#include <cstring>

#include "interpreter/columns.h"
#include "interpreter/instructions.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;

// Calls function(lane) for every running lane, which may fault; those that did run no more.
template <class Function>
void ForEachLaneOrFault(Chunk& chunk, Function function) {
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) function(i);
  }
  chunk.DropFaulted();
}

void FaultOnNoClass(Chunk& chunk, uint8_t reg) {
  const uint8_t* const classes = chunk.Column<uint8_t>(reg);
  uint8_t highest = 0;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      highest = classes[i] > highest ? classes[i] : highest;
    }
  }
  if (highest < isa::kNumClasses) return;
  ForEachLaneOrFault(chunk, [&](uint32_t i) {
    if (classes[i] >= isa::kNumClasses) {
      chunk.Fault(i, HOLOGRAM_FAULT_INVALID_CLASS, classes[i]);
    }
  });
}

// Where pool a has the bytes at b that a value of the instruction's type takes; null: the lane has
// faulted.
uint8_t* AtInPool(Chunk& chunk, const Instruction& in, uint32_t lane) {
  const uint64_t handle = in.in_class_memory() ? 0 : chunk.Column<uint64_t>(in.a)[lane];
  const uint64_t offset = in.mode == isa::kPhiMode ? in.imm : chunk.Column<uint64_t>(in.b)[lane];
  uint8_t* at = nullptr;
  switch (chunk.stream().FindInPool(lane, handle, offset, isa::SizeOf(in.type), &at)) {
    case StreamRun::PoolAccess::kOk:
      break;
    case StreamRun::PoolAccess::kNoPool:
      chunk.Fault(lane, HOLOGRAM_FAULT_INVALID_POOL, static_cast<int64_t>(handle));
      break;
    case StreamRun::PoolAccess::kOutOfBounds:
      chunk.Fault(lane, HOLOGRAM_FAULT_POOL_OUT_OF_BOUNDS, static_cast<int64_t>(offset), handle);
      break;
  }
  return at;
}

}  // namespace

void ClsGet(Chunk& chunk, const Instruction& in) {
  std::vector<uint32_t> blocks(chunk.capacity());
  FillIds(chunk, isa::Sreg::kBlockX, blocks.data());
  uint8_t* const out = chunk.Column<uint8_t>(in.d);
  const uint32_t* const block = blocks.data();
  const uint64_t base = chunk.launch().class_base;
  ForEachLane(chunk, [=](uint32_t i) {
    out[i] = static_cast<uint8_t>((base + block[i]) % isa::kNumClasses);
  });
}

void Mirror(Chunk& chunk, const Instruction& in) {
  FaultOnNoClass(chunk, in.a);
  MapUnary<uint8_t, uint8_t>(chunk, in.d, in.a, [](uint8_t c) { return isa::Mirror(c); });
}

void NbrCount(Chunk& chunk, const Instruction& in) {
  FaultOnNoClass(chunk, in.a);
  MapUnary<uint32_t, uint8_t>(chunk, in.d, in.a, [](uint8_t c) { return isa::NumNeighbours(c); });
}

void NbrGet(Chunk& chunk, const Instruction& in) {
  FaultOnNoClass(chunk, in.a);
  MapUnary<uint8_t, uint8_t>(chunk, in.d, in.a,
                             [&](uint8_t c) { return isa::Neighbour(c, in.mod); });
}

void BoundMap(Chunk& chunk, const Instruction& in) {
  const uint8_t* const classes = chunk.Column<uint8_t>(in.a);
  const uint8_t* const pages = chunk.Column<uint8_t>(in.b);
  const uint8_t* const bytes = chunk.Column<uint8_t>(in.c);
  uint64_t* const out = chunk.Column<uint64_t>(in.d);
  ForEachLaneOrFault(chunk, [&](uint32_t i) {
    if (classes[i] >= isa::kNumClasses) {
      chunk.Fault(i, HOLOGRAM_FAULT_INVALID_CLASS, classes[i]);
    } else if (pages[i] >= isa::kPagesPerClass) {
      chunk.Fault(i, HOLOGRAM_FAULT_INVALID_COORDINATES, pages[i]);
    } else {
      out[i] = isa::PhiAddress(classes[i], pages[i], bytes[i]);
    }
  });
}

void PhaseGet(Chunk& chunk, const Instruction& in) {
  const hologram_launch_shape& shape = chunk.launch().shape;
  const uint64_t lanes = launch::LanesPerBlock(shape);
  uint32_t* const out = chunk.Column<uint32_t>(in.d);
  ForEachLaneOrFault(chunk, [&](uint32_t i) {
    const uint64_t block = (chunk.first_lane() + i) / lanes;
    const uint32_t start = isa::AdvancePhase(chunk.stream().stream_phase(), block);
    out[i] = isa::AdvancePhase(start, chunk.stream().PhaseSteps(i));
  });
}

void PhaseAdv(Chunk& chunk, const Instruction& in) {
  ForEachLaneOrFault(chunk, [&](uint32_t i) { chunk.stream().AdvancePhase(i, in.imm); });
}

void ResAccum(Chunk& chunk, const Instruction& in) {
  FaultOnNoClass(chunk, in.a);
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    const uint8_t* const classes = chunk.Column<uint8_t>(in.a);
    const T* const values = chunk.Column<T>(in.b);
    ForEachLaneOrFault(chunk, [&](uint32_t i) {
      const auto units = launch::UnitsOf(in.type, values[i]);
      if (units) {
        chunk.stream().Accumulate(i, classes[i], *units);
      } else {
        chunk.Fault(i, HOLOGRAM_FAULT_RESONANCE_OVERFLOW, classes[i], values[i]);
      }
    });
  });
}

void UnityTest(Chunk& chunk, const Instruction& in) {
  uint8_t* const out = chunk.Predicate(in.d);
  const auto bound = __builtin_bit_cast(double, in.imm);
  ForEachLaneOrFault(chunk, [&](uint32_t i) { out[i] = chunk.stream().TestUnity(i, bound); });
}

void PoolAlloc(Chunk& chunk, const Instruction& in) {
  uint64_t* const out = chunk.Column<uint64_t>(in.d);
  ForEachLaneOrFault(chunk, [&](uint32_t i) {
    const uint64_t handle = chunk.stream().AllocatePool(i, in.imm);
    if (handle == 0) return chunk.Fault(i, HOLOGRAM_FAULT_POOL_MEMORY, in.displacement());
    out[i] = handle;
  });
}

void PoolFree(Chunk& chunk, const Instruction& in) {
  const uint64_t* const handles = chunk.Column<uint64_t>(in.a);
  ForEachLaneOrFault(chunk, [&](uint32_t i) {
    if (chunk.stream().FreePool(i, handles[i])) return;
    chunk.Fault(i, HOLOGRAM_FAULT_INVALID_POOL, static_cast<int64_t>(handles[i]));
  });
}

void PoolLoad(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    T* const out = chunk.Column<T>(in.d);
    ForEachLaneOrFault(chunk, [&](uint32_t i) {
      const uint8_t* const at = AtInPool(chunk, in, i);
      if (at != nullptr) std::memcpy(out + i, at, sizeof(T));
    });
  });
}

void PoolStore(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    const T* const values = chunk.Column<T>(in.c);
    ForEachLaneOrFault(chunk, [&](uint32_t i) {
      uint8_t* const at = AtInPool(chunk, in, i);
      if (at != nullptr) std::memcpy(at, values + i, sizeof(T));
    });
  });
}

}  // namespace hologram::interpreter
