// Where what kernels print goes: to standard error, or to the sink set by the owner of the
// executor. Tested by tests/runtime/kernel_test.cc and tests/capi.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "base/fork_gate.h"
#include "base/result.h"
#include "isa/program.h"
#include "launch/launch.h"
#include "launch/print_log.h"

namespace hologram::runtime {

// One record of a launch, or the last one, which gives how many there were beyond the limit.
struct Printed {
  std::string kernel;
  Location where;        // of the statement; empty if it is not known
  bool is_note = false;  // the last one: `text` is of the library, and there is no lane
  uint64_t lane = 0;     // linear, in the launch
  std::array<uint32_t, 3> block{};
  std::array<uint32_t, 3> lane_in_block{};
  bool is_flat = true;  // the launch has one dimension
  std::string text;     // as the kernel gives it, with its line ends
};

// "blur.py:12: [block 0 lane 3] x = 1.5\n": one line at least, whatever the record ends with.
std::string LineOf(const Printed& printed);

class PrintSink {
 public:
  using Function = std::function<void(const Printed&)>;

  // An empty function: standard error, as at first. Waits for launches that are giving out records.
  void Set(Function function);
  // Gives out what a launch has printed; `last_lane` is that of its fault, else UINT64_MAX. The
  // records of one launch stay together. Thread-safe.
  void GiveOut(const isa::Program& program, const hologram_launch_shape& shape,
               launch::PrintLog& log, uint64_t last_lane);

 private:
  LongMutex mutex_;    // held while it is called
  Function function_;  // with the mutex held
};

}  // namespace hologram::runtime
