// A row of a trace beside those of threads, as the queue of a device: its spans come with their
// times. Tested by tests/observe and tests/device.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "observe/span.h"

namespace hologram::observe {

struct Ring;

// Its memory stays for the process. One thread at a time uses it.
class Track {
 public:
  explicit Track(std::string name) : name_(std::move(name)) {}
  Track(const Track&) = delete;
  Track& operator=(const Track&) = delete;

  // Nanoseconds of Now(), not before those of its last span; nothing if no trace runs.
  void Write(const SpanRecord& record, uint64_t begun, uint64_t ended);

 private:
  std::string name_;
  Ring* ring_ = nullptr;
};

}  // namespace hologram::observe
