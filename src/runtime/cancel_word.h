// Cancellation of an executor's launches: a word that native code and the interpreter
// read every now and then (engines/split.h gives how often). Setting it is one atomic
// operation, so signal handlers may. Tested by tests/capi/cancel_test.cc.
#pragma once

#include <atomic>
#include <cstdint>

namespace hologram::runtime {

class CancelWord {
 public:
  // Why launches are stopped; they run while no bit is set.
  enum Reason : uint32_t { kExecutor = 1, kKernel = 2 };

  void Set(Reason reason) { word_.fetch_or(reason); }
  void Clear(Reason reason) { word_.fetch_and(~uint32_t{reason}); }
  const std::atomic<uint32_t>* word() const { return &word_; }

 private:
  static_assert(std::atomic<uint32_t>::is_always_lock_free);
  std::atomic<uint32_t> word_{0};
};

}  // namespace hologram::runtime
