#include "engines/devices/queue_trace.h"

#include <algorithm>
#include <string>

namespace hologram::engines::devices {

void QueueTrace::Begin(Device& device) {
  asked_.clear();
  on_ = observe::Tracing();
  if (!on_) return;
  (void)device.Finish();  // an error of it stays, and comes again
  device.BeginTimes();
}

void QueueTrace::AddCopy(const char* what, std::string_view name, uint64_t bytes) {
  if (!on_) return;
  asked_.emplace_back().Begin("queue", std::string(what) + " " + std::string(name));
  asked_.back().Number("bytes", bytes);
}

void QueueTrace::AddLaunch(std::string_view name, const hologram_launch_shape& shape) {
  if (!on_) return;
  asked_.emplace_back().Begin("queue", name);
  asked_.back().Counts("grid", shape.grid);
  asked_.back().Counts("block", shape.block);
}

void QueueTrace::End(Device& device) {
  if (!on_) return;
  on_ = false;
  const uint64_t now = observe::Now();
  const Result<std::vector<Interval>> times = device.TakeTimes();
  if (!times.ok()) {
    observe::SpanRecord record;
    record.Begin("queue", "no times");
    record.Text("why", times.errors()[0].message);
    return device.track().Write(record, now, now);
  }
  // The clocks of two machines: what is over by now did not end later.
  uint64_t last = 0;
  for (size_t k = 0; k < std::min(asked_.size(), times.value().size()); ++k) {
    const uint64_t begin = std::clamp(times.value()[k].begin_ns, last, std::max(last, now));
    last = std::clamp(times.value()[k].end_ns, begin, std::max(begin, now));
    device.track().Write(asked_[k], begin, last);
  }
}

}  // namespace hologram::engines::devices
