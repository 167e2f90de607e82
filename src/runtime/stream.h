// The stream of an executor: what launches of its kernels leave to each other. Launches that use it
// run one after another.
#pragma once

#include <bitset>

#include "base/fork_gate.h"
#include "launch/stream.h"

namespace hologram::runtime {

struct SharedStream {
  LongMutex mutex;        // held while kernels run
  launch::Stream stream;  // with the mutex held

  Mutex classes_mutex;                       // may be taken while the other one is held
  std::bitset<isa::kNumClasses> has_buffer;  // with the classes_mutex held
};

}  // namespace hologram::runtime
