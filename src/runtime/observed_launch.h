// A launch as those see it who look at the process from outside: its counts (observe/counters.h)
// and its span (observe/span.h). Tested by tests/observe.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "hologram/native_abi.h"
#include "isa/program.h"
#include "launch/way.h"
#include "observe/span.h"

namespace hologram::runtime {

// From before a launch of the arguments `buffers` until it is over.
class ObservedLaunch {
 public:
  ObservedLaunch(const isa::Program& signature, std::span<const hologram_buffer_ref> buffers)
      : signature_(signature), buffers_(buffers) {
    if (observe::Tracing()) [[unlikely]] {
      begun_ = observe::Ticks();
    }
  }
  // `way` is what was done; `shape` that of the launch, all 0 if it got none.
  void End(const launch::Way& way, const hologram_launch_shape& shape, const Status& status) const;

 private:
  void WriteSpan(const launch::Way& way, const hologram_launch_shape& shape,
                 const Status& status) const;

  const isa::Program& signature_;
  std::span<const hologram_buffer_ref> buffers_;
  uint64_t begun_ = 0;
};

// After a launch that counts itself, with the arguments `buffers`.
void CountSizes(const isa::Program& signature, std::span<const hologram_buffer_ref> buffers);

// After a launch that the library has not seen, and that faulted or was stopped.
void CountInlineFault(bool cancelled);

}  // namespace hologram::runtime
