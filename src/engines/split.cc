#include "engines/split.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "observe/counters.h"
#include "observe/span.h"

namespace hologram::engines {
namespace {

void RecordStop(hologram_launch_state* state) {
  state->fault_code = HOLOGRAM_FAULT_CANCELLED;
  state->fault_lane = 0;
}

struct CutRun {
  const launch::Cut& cut;
  hologram_kernel_body body;
  const launch::Launch& launch;
  Scratch& scratch;
  bool units_are_ordered;  // a higher unit has only higher lanes
  uint64_t budget;
  uint32_t class_base;
  std::atomic<uint32_t> first_faulted;  // the lowest chunk that has faulted
  std::atomic<bool> stopped;            // the launch, before some chunk
  std::mutex mutex;
  hologram_launch_state* state;  // the fault of the lowest lane so far; with the mutex held

  void Keep(uint32_t chunk, const hologram_launch_state& found) {
    const std::lock_guard lock(mutex);
    if (chunk < first_faulted.load(std::memory_order_relaxed)) first_faulted.store(chunk);
    if (found.fault_lane < state->fault_lane) {
      const uint64_t given = state->budget;
      *state = found;
      state->budget = given;
      state->scratch = nullptr;
    }
  }

  void RunChunk(uint32_t chunk) {
    if (launch.cancelled()) return stopped.store(true, std::memory_order_relaxed);
    // After a fault, what the launch has written is unspecified: chunks that can only have faults
    // of higher lanes need not run. So an endless loop ends soon.
    if (units_are_ordered && chunk > first_faulted.load(std::memory_order_relaxed)) return;
    hologram_launch_state mine{};
    mine.budget = budget;
    mine.fault_lane = UINT64_MAX;
    mine.class_base = class_base;
    mine.scratch = scratch.Take();
    const uint64_t begin = chunk * cut.units_per_chunk;
    const uint64_t first = cut.first + begin;
    const uint64_t last = cut.first + std::min(begin + cut.units_per_chunk, cut.units);
    observe::Span span("chunk", "chunk");
    span.Number("first", first);
    span.Number("last", last - 1);
    body(launch.buffers.data(), launch.scalars.data(), &launch.shape, &mine, first, last);
    scratch.Give(mine.scratch);
    observe::Count(observe::Counter::kChunks);
    if (mine.fault_code != HOLOGRAM_FAULT_NONE) Keep(chunk, mine);
  }
};

}  // namespace

void RunInParts(const launch::Way& way, uint32_t unit, hologram_kernel_body body,
                const launch::Launch& launch, hologram_launch_state* state) {
  for (uint64_t first = way.first_unit; first < way.last_unit;) {
    if (launch.cancelled()) return RecordStop(state);
    const uint64_t last = first + std::min(way.units_per_part, way.last_unit - first);
    body(launch.buffers.data(), launch.scalars.data(), &launch.shape, state, first, last);
    if (state->fault_code == HOLOGRAM_FAULT_CANCELLED) return;
    // Later units have faults of later lanes only.
    if (state->fault_code != HOLOGRAM_FAULT_NONE && unit != HOLOGRAM_UNIT_ROW) return;
    first = last;
  }
}

void RunCut(const launch::Cut& cut, uint32_t unit, hologram_kernel_body body,
            const launch::Launch& launch, Workers& workers, uint32_t threads, Scratch& scratch,
            hologram_launch_state* state) {
  CutRun run{cut,
             body,
             launch,
             scratch,
             unit != HOLOGRAM_UNIT_ROW,
             state->budget,
             state->class_base,
             {UINT32_MAX},
             {false},
             std::mutex(),
             state};
  workers.Run(
      cut.chunks, threads,
      [](void* context, uint32_t chunk) { static_cast<CutRun*>(context)->RunChunk(chunk); }, &run);
  if (run.stopped.load(std::memory_order_relaxed)) RecordStop(state);
}

}  // namespace hologram::engines
