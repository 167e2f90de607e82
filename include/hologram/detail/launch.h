// Launching with the fast path first, for every caller that inlines launches: hologram.hpp,
// expressions, the Python module. Not for users.
#ifndef HOLOGRAM_DETAIL_LAUNCH_H_
#define HOLOGRAM_DETAIL_LAUNCH_H_

#include <cstdint>

#include "hologram/hologram.h"
#include "hologram/observe.h"

namespace hologram::detail {

// So many launches with a grid of their own are examined for lanes that they leave out, until some
// do (hologram_kernel_note). Later ones pass no such question.
inline constexpr std::uint32_t kExaminedGrids = 8;

// Counts a launch that the library has not seen: memory of this thread alone, which others read.
[[gnu::always_inline]] inline void count_launch() {
  hologram_inline_counts& counts = hologram_inline_counts_of_thread;
  const std::uint64_t launches = __atomic_load_n(&counts.launches, __ATOMIC_RELAXED) + 1;
  __atomic_store_n(&counts.launches, launches, __ATOMIC_RELAXED);
  if (launches == 0) [[unlikely]] {
    hologram_metrics_join();
  }
}
// The same for several of them.
inline void count_launches(std::uint64_t count) {
  if (count == 0) return;
  count_launch();
  hologram_inline_counts& counts = hologram_inline_counts_of_thread;
  const std::uint64_t before = __atomic_load_n(&counts.launches, __ATOMIC_RELAXED);
  __atomic_store_n(&counts.launches, before + count - 1, __ATOMIC_RELAXED);
}

// Calls the entry of a plan. It changes while others call it (hologram.h).
[[gnu::always_inline]] inline std::int32_t enter(const hologram_launch_plan& plan,
                                                 const hologram_buffer_ref* buffers,
                                                 const std::uint64_t* scalars,
                                                 hologram_launch_state* state) {
  const hologram_kernel_default_entry entry = __atomic_load_n(&plan.entry, __ATOMIC_ACQUIRE);
  const std::int32_t outcome =
      entry(buffers, scalars, __atomic_load_n(&plan.bytes_limit, __ATOMIC_RELAXED), state);
  if (outcome == HOLOGRAM_LAUNCH_DONE) [[likely]] {
    count_launch();
  }
  return outcome;
}

// The fast path; else its fault; else the full way, which decides everything. `fast(state)` gives
// HOLOGRAM_LAUNCH_*; `fault(state)` and `full()` give the error, or nullptr.
template <class Fast, class Fault, class Full>
[[gnu::always_inline]] inline hologram_error* launch(const Fast& fast, const Fault& fault,
                                                     const Full& full) {
  hologram_launch_state state;  // written on a fault
  const std::int32_t outcome = fast(&state);
  if (outcome == HOLOGRAM_LAUNCH_DONE) [[likely]] {
    return nullptr;
  }
  return outcome == HOLOGRAM_LAUNCH_FAULTED ? fault(state) : full();
}

}  // namespace hologram::detail

#endif  // HOLOGRAM_DETAIL_LAUNCH_H_
