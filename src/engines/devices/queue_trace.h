// The work of a device's queue for a launch, as a trace shows it (docs/seeing.md): spans on the row
// of the device, at the times that the device has measured. Nothing without a trace. Tested by
// tests/device/queue_trace_test.py and tests/fakecuda.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engines/devices/device.h"
#include "observe/span.h"

namespace hologram::engines::devices {

class QueueTrace {
 public:
  // With a Hold, as the others. Waits for what is in the queue, if there is a trace.
  void Begin(Device& device);
  bool on() const { return on_; }
  // Before each copy, "upload" or "download", and each launch.
  void AddCopy(const char* what, std::string_view name, uint64_t bytes);
  void AddLaunch(std::string_view name, const hologram_launch_shape& shape);
  // The queue is empty again, or there was an error.
  void End(Device& device);

 private:
  bool on_ = false;
  std::vector<observe::SpanRecord> asked_;
};

}  // namespace hologram::engines::devices
