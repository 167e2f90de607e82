#include "stream/line.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace hologram::stream {

// With the mutex held.
bool Line::IsFree(Hand hand, uint64_t k) const {
  switch (hand) {
    case Hand::kReads:
      return k < done_[static_cast<size_t>(Hand::kWrites)] + depth_;
    case Hand::kComputes:
      return k < done_[static_cast<size_t>(Hand::kReads)];
    case Hand::kWrites:
      break;
  }
  return k < done_[static_cast<size_t>(Hand::kComputes)];
}

bool Line::Begin(Hand hand, uint64_t k, const std::function<Status()>& idle) {
  constexpr auto kLook = std::chrono::milliseconds(50);
  std::unique_lock lock(mutex_);
  const auto settled = [&] { return k >= end_ || IsFree(hand, k); };
  if (!idle) {
    changed_.wait(lock, settled);
    return k < end_;
  }
  while (!changed_.wait_for(lock, kLook, settled)) {
    lock.unlock();
    Status status = idle();
    if (!status.ok()) Fail(hand, k, std::move(status).errors());
    lock.lock();
  }
  return k < end_;
}

void Line::End(Hand hand, uint64_t k) {
  const std::lock_guard lock(mutex_);
  done_[static_cast<size_t>(hand)] = k + 1;
  changed_.notify_all();
}

void Line::Truncate(uint64_t k) {
  const std::lock_guard lock(mutex_);
  end_ = std::min(end_, k);
  changed_.notify_all();
}

void Line::Fail(Hand hand, uint64_t k, Diagnostics errors) {
  const std::lock_guard lock(mutex_);
  const bool cancelled = errors[0].code == ErrorCode::kCancelled;
  // Reading, and writing, that was stopped has no error of its own.
  const bool is_result = cancelled && errors_.has_value();
  if (!is_result && std::pair(k, hand) < std::pair(failed_window_, failed_hand_)) {
    failed_window_ = k;
    failed_hand_ = hand;
    errors_ = std::move(errors);
  }
  end_ = std::min(end_, k);
  // Windows before a failed one are still to be written, but nobody reads on.
  if (hand != Hand::kReads) stop_[static_cast<size_t>(Hand::kReads)].store(true);
  if (cancelled) stop_[static_cast<size_t>(Hand::kWrites)].store(true);
  changed_.notify_all();
}

}  // namespace hologram::stream
