// The stream of an executor: what launches of its kernels leave to each other. Launches that use it
// run one after another.
#pragma once

#include <bitset>
#include <mutex>

#include "isa/stream.h"

namespace hologram::runtime {

struct SharedStream {
  std::mutex mutex;
  isa::Stream stream;  // with the mutex held

  std::mutex classes_mutex;                  // may be taken while the other one is held
  std::bitset<isa::kNumClasses> has_buffer;  // with the classes_mutex held
};

}  // namespace hologram::runtime
