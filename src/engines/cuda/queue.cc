#include "engines/cuda/queue.h"

#include <cmath>

#include "observe/span.h"

namespace hologram::engines::cuda {

// Nothing is in the stream: the first mark is reached at once.
void Queue::BeginTimes() {
  timed_ = true;
  marks_ = 0;
  failed_ = nullptr;
  begun_ns_ = observe::Now();
  Mark();
}

void Queue::Mark() {
  if (failed_ != nullptr) return;
  if (marks_ == events_.size()) {
    Handle event = nullptr;
    code_ = api_.create_event(&event, 0);
    if (code_ != 0) {
      failed_ = "cuEventCreate";
      return;
    }
    events_.push_back(event);
  }
  code_ = api_.record_event(events_[marks_], stream_);
  if (code_ != 0) {
    failed_ = "cuEventRecord";
  } else {
    ++marks_;
  }
}

Result<uint64_t> Queue::TimeOf(size_t k) const {
  float milliseconds = 0;
  HOLOGRAM_RETURN_IF_ERROR(CheckCall(api_, "cuEventElapsedTime",
                                     api_.elapsed_time(&milliseconds, events_[0], events_[k])));
  return static_cast<uint64_t>(std::fmax(static_cast<double>(milliseconds) * 1e6, 0));
}

Result<std::vector<devices::Interval>> Queue::TakeTimes() {
  timed_ = false;
  if (failed_ != nullptr) return CallError(api_, failed_, code_);
  std::vector<devices::Interval> times;
  for (size_t k = 1; k + 1 < marks_; k += 2) {
    HOLOGRAM_ASSIGN_OR_RETURN(const uint64_t begin, TimeOf(k));
    HOLOGRAM_ASSIGN_OR_RETURN(const uint64_t end, TimeOf(k + 1));
    times.push_back({begun_ns_ + begin, begun_ns_ + end});
  }
  return times;
}

}  // namespace hologram::engines::cuda
