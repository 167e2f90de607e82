// Facts about the launches of a kernel, computed once: for the code
// generator, for the function that decides (launch/way.h) and for the runtime. Tested by
// tests/launch/way_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "launch/missing_lanes.h"
#include "launch/work_model.h"
#include "verify/verified_program.h"

namespace hologram::launch {

struct KernelFacts {
  // The program must outlive this.
  explicit KernelFacts(const VerifiedProgram& verified);

  const VerifiedProgram& program;
  uint32_t num_buffers = 0;
  uint32_t num_scalars = 0;  // those that are taken from shapes included
  // No race that the proofs leave open.
  bool order_free = false;
  // Native code calls back, or leaves something to the next launch: it gets a session.
  bool needs_session = false;
  // The order of lanes cannot be seen in what a launch leaves: several threads give the same bits.
  bool may_split = false;
  bool one_dimensional = false;   // reads ids of dimension 0 only, in blocks of it
  bool writes_array = false;      // so a launch without a grid is defined
  bool shape_parameters = false;  // some parameters are not arguments, but taken from shapes
  bool has_rank = false;          // some array has several dimensions, whose shapes are checked
  bool has_loops = false;
  bool declares_unique = false;  // elements are looked at before each launch (launch/unique.h)
  bool counts_rounds = false;    // the launch check limits the rounds of loops, for one budget only
  // Sizes of a launch without a grid, if comparisons of scalars with lanes do.
  std::optional<std::vector<SizeBound>> bounds;
  WorkModel work;

  // A function of the arguments alone knows the lanes of a launch without a grid.
  bool lanes_follow() const { return one_dimensional && writes_array && bounds.has_value(); }
  // A function of the arguments alone may check and run a launch with a shape, if its code needs
  // `scratch_bytes` for each lane.
  bool may_enter(uint32_t scratch_bytes) const {
    return order_free && !needs_session && !declares_unique && scratch_bytes == 0;
  }
  bool may_enter_default(uint32_t scratch_bytes) const {
    return lanes_follow() && may_enter(scratch_bytes);
  }
};

}  // namespace hologram::launch
