// The stream of a device, and the times of what is in it where they are wanted: by events before
// and behind each request.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/cuda/api.h"
#include "engines/devices/device.h"

namespace hologram::engines::cuda {

class Queue {
 public:
  explicit Queue(const Api& api) : api_(api) {}
  // The code of the driver.
  int32_t Open() { return api_.create_stream(&stream_, kStreamNonBlocking); }

  // A copy or a launch: call(stream). Gives the code of the call.
  template <class Call>
  int32_t Ask(Call call) {
    if (timed_) Mark();
    const int32_t code = call(stream_);
    if (timed_) Mark();
    return code;
  }
  // A request that is not timed.
  template <class Call>
  int32_t AskApart(Call call) {
    return call(stream_);
  }
  int32_t Finish() { return api_.synchronize(stream_); }

  // devices::Device
  void BeginTimes();
  Result<std::vector<devices::Interval>> TakeTimes();

 private:
  void Mark();
  // Of the k-th mark, in ns since the first.
  Result<uint64_t> TimeOf(size_t k) const;

  const Api& api_;
  Handle stream_ = nullptr;
  bool timed_ = false;
  uint64_t begun_ns_ = 0;       // the time of the first mark
  std::vector<Handle> events_;  // kept from launch to launch
  size_t marks_ = 0;            // of them, those in use
  const char* failed_ = nullptr;
  int32_t code_ = 0;  // of the call that failed
};

}  // namespace hologram::engines::cuda
