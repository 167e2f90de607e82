// The memory of a launch of native code whose local arrays do not fit a stack: one piece for each
// thread that takes part. Tested by tests/codegen/codegen_test.cc
// and, on several threads, by local_cases in tests/conformance/control_cases.py.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "hologram/native_abi.h"

namespace hologram::engines {

class Scratch {
 public:
  // For up to `threads` calls at once; empty for kernels that need none. Errors: kResourceLimit
  // without memory.
  static Result<Scratch> Make(const hologram_kernel_info& info, const hologram_launch_shape& shape,
                              uint32_t threads);

  // A piece that no other thread uses until it is given back; null if the kernel needs none.
  // Thread-safe. REQUIRES: fewer than `threads` are taken.
  void* Take();
  void Give(void* piece);

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  // Nothing for kernels that need none, so that most launches make no lock.
  struct Pieces {
    std::unique_ptr<void, Free> memory;
    std::mutex mutex;
    std::vector<void*> free;
  };
  std::unique_ptr<Pieces> pieces_;
};

}  // namespace hologram::engines
