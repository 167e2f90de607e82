// Pipeline: a plan with its kernels and its memory, verified as a whole, ready to run. All that can
// be known of its launches before they run is decided once, when it is made: a run puts the
// addresses of the caller's arrays in their places and calls the native code of one launch after
// the other, without an allocation. Tested by tests/pipeline.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/fork_gate.h"
#include "base/result.h"
#include "plan/plan.h"
#include "runtime/kernel.h"

namespace hologram::pipeline {

class Pipeline {
 public:
  using Kernels = std::vector<std::shared_ptr<const runtime::Kernel>>;

  // Errors: the plan breaks a rule (CheckPlan, CheckFlow), a launch would be refused, a kernel
  // prints or uses the state of its executor (all kInvalidBundle), no memory. With kApart, what no
  // launch writes of a temporary is a pattern of bits and never what another one has left there.
  static Result<std::unique_ptr<const Pipeline>> Make(Plan plan, Kernels kernels,
                                                      Sharing sharing = Sharing::kShared);

  const Plan& plan() const { return plan_; }
  const Kernels& kernels() const { return kernels_; }
  const Layout& layout() const { return layout_; }
  // Inputs and outputs, in the order of a run's arguments.
  std::span<const Array> arguments() const { return plan_.arguments(); }
  // Launches whose native code a run calls itself; the others pass runtime::Kernel::Launch.
  size_t num_direct() const { return num_direct_; }
  // Of all arrays, temporaries where they are.
  uint64_t bytes() const { return bytes_; }
  // A run will hardly take 10 ms on one thread. False: it may, or that is not known.
  bool is_short() const { return is_short_; }

  // Runs all launches; `arguments` are the memory of inputs and outputs. Errors: an argument of
  // another size, one that is not aligned, an output that overlaps another argument, and those of
  // launches; outputs may then hold anything. Any thread; runs of one pipeline wait for each other.
  Status Run(std::span<const hologram_buffer_ref> arguments) const;

  // As `hologram inspect` prints it, in lines.
  std::string Text() const;

 private:
  struct Bound {
    hologram_kernel_entry entry = nullptr;          // null: the way is decided by each run
    const std::atomic<uint32_t>* cancel = nullptr;  // null: nothing stops it
    const runtime::Kernel* kernel = nullptr;
    const hologram_buffer_ref* buffers = nullptr;
    const uint64_t* scalars = nullptr;
    hologram_launch_shape shape{};
  };
  // An operand in memory of the caller.
  struct Patch {
    uint32_t place = 0;  // in refs_
    uint32_t argument = 0;
    uint64_t first = 0;
  };

  Pipeline(Plan plan, Kernels kernels, Layout layout);
  Status Bind(Sharing sharing);
  Status BindStep(size_t number, std::span<char* const> places);
  Status CheckKernels() const;
  Status CheckArguments(std::span<const hologram_buffer_ref> arguments) const;
  Status CheckOverlap(std::span<const hologram_buffer_ref> arguments) const;
  Status RunSlowly(size_t number, int32_t outcome, const hologram_launch_state& state) const;
  Status RunSteps() const;

  Plan plan_;
  Kernels kernels_;
  Layout layout_;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;  // of the arena
  std::vector<Bound> steps_;
  std::vector<Patch> patches_;
  size_t num_direct_ = 0;
  uint64_t bytes_ = 0;
  bool is_short_ = true;
  mutable LongMutex mutex_;
  mutable std::vector<hologram_buffer_ref> refs_;  // of all steps; written with the mutex held
};

}  // namespace hologram::pipeline
