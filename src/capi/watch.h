// Watchers of launches: a trace, and captures of pipelines. While there is one, inline entries are
// closed (capi/handles.cc), so that every launch passes the library. Tested by tests/observe
// and tests/pipeline.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "pipeline/recorder.h"

namespace hologram::capi {

// Bit 0: a trace runs. The rest: how many captures are open, times 2.
extern std::atomic<uint32_t> watchers;
inline constexpr uint32_t kTrace = 1;
inline constexpr uint32_t kCapture = 2;

inline bool Watched() {
  return watchers.load(std::memory_order_relaxed) != 0;
}

// Adds or removes a watcher, then closes the inline entries of all kernels, or opens them. For the
// trace (observe::OnTracing), and for a capture that begins or ends.
void SwitchPlans(bool tracing);
void SwitchCapture(bool begins);

// A capture, while it is open.
struct OpenCapture {
  pipeline::Recorder recorder;
  std::atomic<bool> is_open{true};
};

// Null: this thread has none.
OpenCapture* CaptureOfThread();
inline OpenCapture* CurrentCapture() {
  if (watchers.load(std::memory_order_relaxed) < kCapture) [[likely]] {
    return nullptr;
  }
  return CaptureOfThread();
}

}  // namespace hologram::capi
