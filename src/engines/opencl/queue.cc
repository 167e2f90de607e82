#include "engines/opencl/queue.h"

namespace hologram::engines::opencl {

bool Queue::Open(Handle context, Handle device) {
  context_ = context;
  device_ = device;
  int32_t error = 0;
  plain_ = api_.create_queue(context, device, 0, &error);
  return plain_ != nullptr;
}

void Queue::BeginTimes() {
  if (timing_ == nullptr) {
    timing_ = api_.create_queue(context_, device_, kQueueProfiling, &why_no_timing_);
  }
  timed_ = timing_ != nullptr;
}

Result<std::vector<devices::Interval>> Queue::TakeTimes() {
  if (!timed_) return CallError("clCreateCommandQueue", why_no_timing_);
  Result<std::vector<devices::Interval>> times = ReadTimes();
  for (const Request& request : requests_) api_.release_event(request.event);
  requests_.clear();
  timed_ = false;
  return times;
}

// The device has a clock of its own, by which it also notes when a request came: that of the first
// says how far the clocks are apart.
Result<std::vector<devices::Interval>> Queue::ReadTimes() const {
  std::vector<devices::Interval> times;
  uint64_t apart = 0;  // modulo 2^64
  for (const Request& request : requests_) {
    uint64_t at[3] = {};
    constexpr uint32_t kWhat[3] = {kEventQueued, kEventStart, kEventEnd};
    for (int k = 0; k < 3; ++k) {
      const int32_t code =
          api_.get_event_profiling(request.event, kWhat[k], sizeof at[k], &at[k], nullptr);
      if (code != 0) return CallError("clGetEventProfilingInfo", code);
    }
    if (times.empty()) apart = request.asked_ns - at[0];
    times.push_back({at[1] + apart, at[2] + apart});
  }
  return times;
}

}  // namespace hologram::engines::opencl
