// Ctrl-C while a kernel runs. Python's own handler only makes a note of SIGINT, which is looked at
// between instructions of Python: a launch would have to end first. Tested by
// python/tests/test_cancel.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>

#include "hologram/hologram.h"
#include "hologram/pipeline.h"
#include "release_gil.h"

namespace hologram::python {

// While it lives, other Python threads run, and SIGINT stops the launches of a kernel, or a
// pipeline, and of those loaded with it, and then goes on to the handler that was there. Only on
// the main thread, whose handlers run Python code, and if SIGINT has a handler. A SIGINT of before,
// whose Python handler has not run yet, stops them too: that handler may change the arrays, which
// have been read, so it runs after the launch, as for a later one. Two system calls; launches that
// are short need none.
class Interruptible {
 public:
  explicit Interruptible(const hologram_kernel* kernel);
  explicit Interruptible(const hologram_pipeline* pipeline);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  Interruptible(const hologram_kernel* kernel, const hologram_pipeline* pipeline);
  bool Install() const;
  void Cancel() const;

  const hologram_kernel* kernel_;
  const hologram_pipeline* pipeline_;
  bool is_installed_;
  // The last member: the handler is there, and has looked, before the lock is released.
  ReleaseGil released_;
};

// Launches that touch more memory than this let other Python threads run.
inline constexpr uint64_t kReleaseBytes = 128 * 1024;
inline constexpr uint64_t kBlockLanes = 1024;  // at most

// Of a launch with this shape.
inline uint64_t LanesOf(const uint32_t* grid, const uint32_t* block) {
  double lanes = 1;
  for (int d = 0; d < 3; ++d) lanes *= static_cast<double>(grid[d]) * block[d];
  constexpr double kMost = 1e18;
  return static_cast<uint64_t>(std::min(lanes, kMost));
}

// A sufficient condition, from the plan alone: a launch for which it is false may be short, too.
inline bool IsSurelyShort(const hologram_launch_plan& plan, const uint64_t* scalars,
                          uint64_t lanes) {
  uint64_t work = lanes;
  for (uint32_t k = 0; k < plan.num_short_scalars && work <= plan.short_work; ++k) {
    const uint64_t scalar = scalars[plan.short_scalars[k]];
    // Both below 2^32, or the product does not matter.
    work = scalar > plan.short_work ? scalar : work * (scalar == 0 ? 1 : scalar);
  }
  return work <= plan.short_work;
}

// Calls launch(), which has `lanes` lanes on `bytes` bytes. One that may take long lets other
// Python threads run, as one on much memory does, and is stopped at Ctrl-C. `plan` is that of the
// kernel, `scalars` are those of hologram_kernel_enter.
template <class F>
void RunLaunch(const hologram_kernel* kernel, const hologram_launch_plan& plan,
               const uint64_t* scalars, uint64_t lanes, uint64_t bytes, const F& launch) {
  const bool is_short =
      IsSurelyShort(plan, scalars, lanes) || hologram_kernel_is_short(kernel, scalars, lanes) != 0;
  if (is_short && bytes < kReleaseBytes) return launch();
  if (is_short) {
    const ReleaseGil released;
    return launch();
  }
  const Interruptible interruptible(kernel);
  launch();
}

}  // namespace hologram::python
