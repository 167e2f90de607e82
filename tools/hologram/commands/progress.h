// Progress notes: once a step has taken a second, a line on the terminal names the step
// and for how long it has run, and goes away with it; where it is known how much there is to do, a
// bar shows how much is done. Only where standard error is a terminal, or HOLOGRAM_PROGRESS=always
// asks for it. Tested by tests/cli/interactive_test.py.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace hologram::tool {

// How much of a step is done, in any unit: counted by what does it, on any thread.
struct Share {
  std::atomic<uint64_t> done{0};
  std::atomic<uint64_t> all{0};  // 0: not known yet
};

// One step, for as long as it lives. Steps do not overlap.
class Progress {
 public:
  // `share` outlives it.
  explicit Progress(const std::string& step, const Share* share = nullptr);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

 private:
  void Show();

  std::string step_;
  const Share* share_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace hologram::tool
