#include "interpreter/stream_run.h"

#include <algorithm>
#include <string>

#include "base/fork_gate.h"
#include "isa/class_handle.h"

namespace hologram::interpreter {

using isa::Opcode;

StreamRun::StreamRun(const isa::Program& program, launch::Stream* stream, uint32_t lanes)
    : stream_(stream != nullptr ? stream : &own_) {
  for (const isa::Instruction& in : program.code) {
    if (in.op == Opcode::kPhaseGet || in.op == Opcode::kPhaseAdv) steps_.resize(lanes);
    if (isa::IsPool(in.op)) pools_.resize(lanes);
    if (in.op != Opcode::kUnityTest || tester_) continue;
    sums_.resize(lanes);
    tester_.emplace(stream_->resonance);
  }
}

void StreamRun::Start(uint64_t first) {
  first_lane_ = first;
  std::fill(steps_.begin(), steps_.end(), 0);
  std::fill(sums_.begin(), sums_.end(), launch::FixedSum());
  for (LanePools& pools : pools_) pools = LanePools();
}

Status StreamRun::Commit() {
  launch::Resonance resonance = stream_->resonance;
  for (size_t c = 0; c < resonance.size(); ++c) {
    const std::optional<launch::Ratio> sum = launch::SumOf(resonance[c], added_[c]);
    if (!sum) {
      return Error(ErrorCode::kFault, "the resonance of class " + std::to_string(c) +
                                          " is no fraction of 64-bit numbers after this launch; "
                                          "it stays as it was");
    }
    resonance[c] = *sum;
  }
  const ForkGate section;  // in a child both are as before the launch, or as after it
  stream_->resonance = resonance;
  stream_->phase = isa::AdvancePhase(stream_->phase, steps_of_lane_0_);
  return Success{};
}

void StreamRun::AdvancePhase(uint32_t lane, uint64_t delta) {
  steps_[lane] = isa::AdvancePhase(steps_[lane], delta);
  if (first_lane_ + lane == 0) steps_of_lane_0_ = steps_[lane];
}

void StreamRun::Accumulate(uint32_t lane, uint8_t class_index, __int128 units) {
  added_[class_index].Add(units);
  if (!sums_.empty()) sums_[lane].Add(units);
}

bool StreamRun::TestUnity(uint32_t lane, double bound) {
  return tester_->Test(sums_[lane], bound);
}

uint64_t StreamRun::AllocatePool(uint32_t lane, uint64_t bytes) {
  LanePools& all = pools_[lane];
  if (bytes > isa::kMaxPoolBytes - all.bytes || all.pools.size() >= isa::kMaxPools) return 0;
  Pool pool;
  pool.bytes = bytes;
  pool.live = true;
  if (bytes != 0) {
    pool.memory.reset(static_cast<uint8_t*>(std::calloc(bytes, 1)));
    if (pool.memory == nullptr) return 0;
  }
  all.bytes += bytes;
  all.pools.push_back(std::move(pool));
  return all.pools.size();
}

StreamRun::Pool* StreamRun::FindPool(uint32_t lane, uint64_t handle) {
  std::vector<Pool>& pools = pools_[lane].pools;
  if (handle == 0 || handle > pools.size() || !pools[handle - 1].live) return nullptr;
  return &pools[handle - 1];
}

bool StreamRun::FreePool(uint32_t lane, uint64_t handle) {
  Pool* const pool = FindPool(lane, handle);
  if (pool == nullptr) return false;
  pools_[lane].bytes -= pool->bytes;
  *pool = Pool();
  return true;
}

StreamRun::PoolAccess StreamRun::FindInPool(uint32_t lane, uint64_t handle, uint64_t offset,
                                            uint32_t size, uint8_t** at) {
  if (const std::optional<uint32_t> one = isa::ClassOfHandle(handle)) {
    if (offset > isa::kBytesPerClass - size) return PoolAccess::kOutOfBounds;
    *at = stream_->class_memory.data() + isa::PhiAddress(*one, 0, 0) + offset;
    return PoolAccess::kOk;
  }
  if (handle == 0) {
    if (!isa::IsInOneClass(offset, size)) return PoolAccess::kOutOfBounds;
    *at = stream_->class_memory.data() + offset;
    return PoolAccess::kOk;
  }
  Pool* const pool = FindPool(lane, handle);
  if (pool == nullptr) return PoolAccess::kNoPool;
  if (size > pool->bytes || offset > pool->bytes - size) return PoolAccess::kOutOfBounds;
  *at = pool->memory.get() + offset;
  return PoolAccess::kOk;
}

}  // namespace hologram::interpreter
