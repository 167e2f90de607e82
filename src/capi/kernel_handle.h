// The type behind hologram_kernel: something that can be launched, and what callers that launch
// past the library read of it.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/fork_gate.h"
#include "capi/arguments.h"
#include "hologram/detail/launch.h"
#include "hologram/hologram.h"
#include "launch/way.h"
#include "runtime/kernel.h"
#include "runtime/launchable.h"

namespace hologram::capi {

// The entry of kernels whose launches are all decided by the library.
int32_t Decline(const hologram_buffer_ref* buffers, const uint64_t* scalars, uint64_t bytes_limit,
                hologram_launch_state* state);

// observe::StartTraceOfEnvironment, with inline entries closed meanwhile.
Status StartTraceOfEnvironment();

}  // namespace hologram::capi

struct hologram_kernel {
  explicit hologram_kernel(std::shared_ptr<const hologram::runtime::Launchable> launchable)
      : found(std::move(launchable)), grids_left(hologram::detail::kExaminedGrids) {
    Enlist();
  }
  ~hologram_kernel();
  hologram_kernel(const hologram_kernel&) = delete;
  hologram_kernel& operator=(const hologram_kernel&) = delete;

  // Null: it was written by hand.
  const hologram::runtime::Kernel* program() const { return found->program_kernel(); }
  // Takes the inline entry of native code that is there by now.
  void UpdatePlan() const;

  // While launches are watched, plans stay closed too (capi/watch.h).
  //
  // ---- The last launch. A run of the native entry, on the calling thread, leaves no
  // record. A launch of any other kind does, and takes the inline entry out of the plan, so that
  // the next launch passes the library, is seen there, and puts it back. So the answer is true
  // whatever callers did past the library.
  void Note(const hologram::launch::Way& way) const;
  void NoteEntry() const {
    if (noted.load(std::memory_order_relaxed) || closed.load(std::memory_order_relaxed)) Forget();
  }
  [[gnu::cold, gnu::noinline]] void Forget() const;
  // ---- With the mutex held. While launches are watched, a plan is not opened.
  void OpenPlan() const;
  void ClosePlan() const;
  void Enlist() const;  // capi/handles.cc

  // Keeps the note of a launch with a grid that has fewer lanes than the kernel's conditions admit.
  [[gnu::cold, gnu::noinline]] void ExamineGrid(const hologram::launch::RequestedShape& said,
                                                std::span<const hologram_buffer_ref> buffers,
                                                std::span<const uint64_t> scalars) const;

  const std::shared_ptr<const hologram::runtime::Launchable> found;
  std::vector<hologram_parameter> parameters;
  bool takes_shapes = false;
  hologram::capi::ShapeTable shapes;
  // `entry` and `bytes_limit` of a kernel that was compiled after it was found, or whose last
  // launch was noted, change at any time: both are read and written atomically, and with one of
  // them old a launch is declined.
  mutable hologram_launch_plan plan{};
  mutable std::atomic<bool> has_code{false};  // `code` is what it will be
  mutable std::atomic<bool> noted{false};     // last_way was the last launch
  mutable std::atomic<bool> closed{false};    // as launches are looked at
  // Launches with a grid that are still examined, and the last of what was found out about them.
  // Each text is said once, and stays for who was given it.
  mutable std::atomic<uint32_t> grids_left;
  mutable std::atomic<const std::string*> grid_note{nullptr};
  mutable std::list<std::string> grid_notes;
  mutable hologram::Mutex mutex;  // for what follows, and for writing the plan
  mutable hologram::runtime::Kernel::Inline code;
  mutable hologram::launch::Way last_way;
  // In the list of all handles.
  mutable const hologram_kernel* previous = nullptr;
  mutable const hologram_kernel* next = nullptr;
};
