// The stream of an executor: what launches of its kernels leave to each other. Launches that use it
// run one after another.
#pragma once

#include <mutex>

#include "isa/stream.h"

namespace hologram::runtime {

struct SharedStream {
  std::mutex mutex;
  isa::Stream stream;  // with the mutex held
};

}  // namespace hologram::runtime
