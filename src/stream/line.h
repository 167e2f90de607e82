// The three hands that windows go through one after the other: reading, computing, writing. Each
// has the windows in their order; a window's memory is free again when it was written. The first
// failure, in the order of the stream, is the one of the line: windows before it go on to their
// end, none after it do. Tested by tests/stream.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "base/result.h"

namespace hologram::stream {

enum class Hand : uint8_t { kReads, kComputes, kWrites };
inline constexpr size_t kHands = 3;

class Line {
 public:
  Line(uint64_t windows, uint64_t depth) : depth_(depth), end_(windows) {}

  // Waits until window k may be taken in this hand. False: it is not to be. `idle` is called now
  // and then while it waits; its error fails the line.
  bool Begin(Hand hand, uint64_t k, const std::function<Status()>& idle = nullptr);
  void End(Hand hand, uint64_t k);
  void Fail(Hand hand, uint64_t k, Diagnostics errors);
  // The stream has no windows from k on.
  void Truncate(uint64_t k);

  // Set when nothing that this hand still does is wanted.
  const std::atomic<bool>& stop(Hand hand) const { return stop_[static_cast<size_t>(hand)]; }
  // After all hands are through.
  const std::optional<Diagnostics>& errors() const { return errors_; }
  uint64_t windows() const { return end_; }

 private:
  bool IsFree(Hand hand, uint64_t k) const;

  const uint64_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<uint64_t, kHands> done_{};
  uint64_t end_;
  uint64_t failed_window_ = UINT64_MAX;
  Hand failed_hand_ = Hand::kReads;
  std::optional<Diagnostics> errors_;
  std::array<std::atomic<bool>, kHands> stop_{};
};

}  // namespace hologram::stream
