// The threads that run the passes of a circuit, one pass after another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace hologram::statevector {

// The processors that this process may use.
uint32_t Processors();

class Team {
 public:
  // At most this number of threads, the caller's among them.
  explicit Team(uint32_t threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Calls `work` on each thread, with true on the caller's, until all have returned.
  void Run(const std::function<void(bool)>& work);
  // For `work`: goes on when every thread is here.
  void Wait();

 private:
  struct Threads;
  const std::unique_ptr<Threads> threads_;
};

}  // namespace hologram::statevector
