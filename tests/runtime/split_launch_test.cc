#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "engines/split.h"
#include "runtime/thread_pool.h"

namespace hologram::engines {
namespace {

launch::Parallelism SmallChunks(uint32_t threads) {
  launch::Parallelism parallelism;
  parallelism.threads = threads;
  parallelism.min_work_ns = 0;
  parallelism.chunk_work_ns = 1;
  parallelism.lane_granule = 1;
  return parallelism;
}

// Counts the runs of each unit in the first buffer, and faults in the units that the second holds.
void CountingBody(const hologram_buffer_ref* buffers, const uint64_t* scalars,
                  const hologram_launch_shape*, hologram_launch_state* state, uint64_t first,
                  uint64_t last) {
  auto* runs = static_cast<uint8_t*>(buffers[0].data);
  const auto* faults = static_cast<const uint8_t*>(buffers[1].data);
  EXPECT_EQ(state->budget, 99u);
  for (uint64_t unit = first; unit < last; ++unit) {
    ++runs[unit];
    // Units count up, their lanes do so only if the scalar says 1.
    const uint64_t lane = scalars[0] != 0 ? unit : 1000 - unit;
    if (faults[unit] == 0 || lane >= state->fault_lane) continue;
    state->fault_lane = lane;
    state->fault_code = HOLOGRAM_FAULT_OUT_OF_BOUNDS;
    state->fault_pc = static_cast<uint32_t>(unit);
    state->fault_index = static_cast<int64_t>(unit) + 5;
  }
}

struct Counted {
  explicit Counted(size_t units) : runs(units, 0), faults(units, 0) {}

  hologram_launch_state Run(uint32_t unit, const hologram_launch_shape& shape, uint32_t threads) {
    const std::array<hologram_buffer_ref, 2> buffers{
        {{runs.data(), runs.size()}, {faults.data(), faults.size()}}};
    const uint64_t ordered = unit == HOLOGRAM_UNIT_ROW ? 0 : 1;
    launch::Launch launch;
    launch.buffers = buffers;
    launch.scalars = {&ordered, 1};
    launch.shape = shape;
    hologram_launch_state state{};
    state.budget = 99;
    state.fault_lane = UINT64_MAX;
    const launch::Parallelism parallelism = SmallChunks(threads);
    const auto cut = launch::CutLaunch(unit, shape, 1e9, parallelism);
    EXPECT_TRUE(cut);
    Scratch none;
    if (cut)
      RunCut(*cut, unit, CountingBody, launch, runtime::ThreadPool::Shared(), threads, none,
             &state);
    return state;
  }

  std::vector<uint8_t> runs;
  std::vector<uint8_t> faults;
};

TEST(SplitLaunch, EveryUnitRunsOnce) {
  for (const uint32_t threads : {2u, 7u}) {
    for (const uint32_t blocks : {2u, 3u, 17u, 1000u}) {
      Counted lanes(size_t{blocks} * 32);
      lanes.Run(HOLOGRAM_UNIT_LANE, {{blocks, 1, 1}, {32, 1, 1}}, threads);
      EXPECT_EQ(lanes.runs, std::vector<uint8_t>(blocks * 32, 1));
      Counted rows(size_t{blocks} * 4);
      rows.Run(HOLOGRAM_UNIT_ROW, {{9, blocks, 1}, {1, 2, 2}}, threads);
      EXPECT_EQ(rows.runs, std::vector<uint8_t>(blocks * 4, 1));
      Counted cubes(size_t{blocks} * 6);
      cubes.Run(HOLOGRAM_UNIT_BLOCK, {{blocks, 2, 3}, {8, 1, 1}}, threads);
      EXPECT_EQ(cubes.runs, std::vector<uint8_t>(blocks * 6, 1));
    }
  }
}

TEST(SplitLaunch, TheLowestLaneReportsItsFault) {
  for (int repetition = 0; repetition < 50; ++repetition) {
    for (const uint32_t unit : {uint32_t{HOLOGRAM_UNIT_LANE}, uint32_t{HOLOGRAM_UNIT_ROW},
                                uint32_t{HOLOGRAM_UNIT_BLOCK}}) {
      Counted counted(640);
      for (const size_t at : {41UL, 42UL, 300UL, 639UL}) counted.faults[at] = 1;
      const hologram_launch_shape shape = unit == HOLOGRAM_UNIT_LANE
                                              ? hologram_launch_shape{{20, 1, 1}, {32, 1, 1}}
                                              : hologram_launch_shape{{1, 640, 1}, {32, 1, 1}};
      const hologram_launch_state state = counted.Run(unit, shape, 3);
      const bool ordered = unit != HOLOGRAM_UNIT_ROW;
      EXPECT_EQ(state.fault_lane, ordered ? 41u : 361u);
      EXPECT_EQ(state.fault_pc, ordered ? 41u : 639u);
      EXPECT_EQ(state.fault_index, ordered ? 46 : 644);
      EXPECT_EQ(state.fault_code, uint32_t{HOLOGRAM_FAULT_OUT_OF_BOUNDS});
      EXPECT_EQ(state.budget, 99u);
      for (size_t k = 0; k <= 42; ++k) EXPECT_EQ(counted.runs[k], 1) << k;
    }
  }
}

TEST(SplitLaunch, WhatIsCut) {
  launch::Parallelism parallelism;
  parallelism.threads = 4;
  const hologram_launch_shape shape{{1000, 1, 1}, {256, 1, 1}};
  const auto cut = [&](uint32_t unit, double ns) {
    return launch::CutLaunch(unit, shape, ns, parallelism);
  };
  EXPECT_FALSE(cut(HOLOGRAM_UNIT_LANE, 19e3));
  const auto lanes = cut(HOLOGRAM_UNIT_LANE, 100e3);
  ASSERT_TRUE(lanes);
  EXPECT_EQ(lanes->units, 256000u);
  EXPECT_EQ(lanes->units_per_chunk, 25600u);  // about 10 us each, at multiples of 1,024 lanes
  EXPECT_EQ(lanes->chunks, 10u);
  const auto blocks = cut(HOLOGRAM_UNIT_BLOCK, 1e9);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->units_per_chunk, 4u);  // at most 64 chunks for each thread
  EXPECT_EQ(blocks->chunks, 250u);
  EXPECT_FALSE(cut(HOLOGRAM_UNIT_ROW, 1e9));  // one row
  parallelism.threads = 1;
  EXPECT_FALSE(cut(HOLOGRAM_UNIT_LANE, 1e9));
}

}  // namespace
}  // namespace hologram::engines
