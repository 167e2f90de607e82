// The queue of a device, and the times of what is in it where they are wanted: those that the
// driver keeps for each request.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/devices/device.h"
#include "engines/opencl/api.h"
#include "observe/span.h"

namespace hologram::engines::opencl {

class Queue {
 public:
  explicit Queue(const Api& api) : api_(api) {}
  // False: the device gives none.
  bool Open(Handle context, Handle device);

  // A copy or a launch: call(queue, event), the event null where no times are wanted. Gives the
  // code of the call.
  template <class Call>
  int32_t Ask(Call call) {
    if (!timed_) return call(plain_, nullptr);
    Request request{observe::Now(), nullptr};
    const int32_t code = call(timing_, &request.event);
    if (code == 0) requests_.push_back(request);
    return code;
  }
  int32_t Finish() { return api_.finish(timed_ ? timing_ : plain_); }

  // devices::Device
  void BeginTimes();
  Result<std::vector<devices::Interval>> TakeTimes();

 private:
  struct Request {
    uint64_t asked_ns;  // when the host asked
    Handle event;
  };
  Result<std::vector<devices::Interval>> ReadTimes() const;

  const Api& api_;
  Handle context_ = nullptr;
  Handle device_ = nullptr;
  Handle plain_ = nullptr;
  Handle timing_ = nullptr;  // made when times are first wanted: it may be slower
  int32_t why_no_timing_ = 0;
  bool timed_ = false;
  std::vector<Request> requests_;
};

}  // namespace hologram::engines::opencl
