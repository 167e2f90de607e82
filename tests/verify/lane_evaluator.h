// One lane, on the arithmetic of the scalar reference (tests/differential) but not on its
// memory: here that has no bounds, and its contents are a hash of slot and element. It records
// where each access goes, the values that instructions write, and the path by which the lane came
// there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/program.h"
#include "launch/launch.h"

namespace hologram::verify::test {

struct Event {
  uint32_t pc = 0;
  uint64_t path = 0;      // equal only for equal sequences of branches
  __int128 value = 0;     // of an access: its element; else what was written
  uint32_t interval = 0;  // of an access: how many barriers the lane has passed
  uint64_t stored = 0;    // by a store
};

struct LaneRun {
  std::vector<Event> accesses;
  std::vector<Event> writes;
  std::vector<uint32_t> barriers;  // where the lane waited
  bool complete = true;            // false: stopped after many steps
  std::optional<uint32_t> fault;   // the instruction that met no class or page
};

struct LaneId {
  uint32_t lane[3] = {0, 0, 0};
  uint32_t block[3] = {0, 0, 0};
};

// The lanes of one program, which must outlive it.
class LaneEvaluator {
 public:
  explicit LaneEvaluator(const isa::Program& program);
  // Writes what lane `id` does over `run`, whose memory is used again.
  void Run(const std::vector<uint64_t>& scalars, const hologram_launch_shape& shape,
           const LaneId& id, LaneRun* run) const;

  const isa::Program& program() const { return program_; }
  bool writes_register(uint32_t pc) const { return writes_register_[pc]; }

 private:
  const isa::Program& program_;
  std::vector<bool> writes_register_;
};

// The bits as a value of the type.
__int128 ValueOf(isa::Type type, uint64_t bits);

}  // namespace hologram::verify::test
