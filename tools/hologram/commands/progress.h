// Progress notes: once a step has taken a second, a line on the terminal names the step
// and for how long it has run, and goes away with it. Only where standard error is a terminal, or
// HOLOGRAM_PROGRESS=always asks for it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace hologram::tool {

// One step, for as long as it lives. Steps do not overlap.
class Progress {
 public:
  explicit Progress(std::string step);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

 private:
  void Show();

  std::string step_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace hologram::tool
