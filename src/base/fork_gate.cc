#include "base/fork_gate.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "base/check.h"

namespace hologram {
namespace {

// Threads that are inside, counted in several places, so that threads which launch at once do not
// write one line of the cache. Each uses the place of its own number.
constexpr uint32_t kPlaces = 16;
struct alignas(64) Place {
  std::atomic<int32_t> inside{0};
};
constinit std::array<Place, kPlaces> places;

constinit std::atomic<uint32_t> threads_seen{0};
constinit std::atomic<int32_t> forking{0};  // 1: nobody may enter
constinit std::atomic<int32_t> left{0};     // changes when a thread leaves while forking is 1
constinit std::mutex fork_mutex;            // one fork at a time
constinit std::atomic<uint32_t> generation{1};

// Changed only in a section, so a fork finds them at rest.
constinit std::mutex hooks_mutex;
constinit std::array<ForkGate::Hooks, ForkGate::kMaxHooks> hooks{};
constinit int num_hooks = 0;

constinit thread_local uint32_t depth = 0;          // of sections of this thread
constinit thread_local uint32_t place_of_mine = 0;  // 0: none yet; else its number and 1

std::atomic<int32_t>& Mine() {
  if (place_of_mine == 0) {
    place_of_mine = 1 + threads_seen.fetch_add(1, std::memory_order_relaxed) % kPlaces;
  }
  return places[place_of_mine - 1].inside;
}

int32_t NumInside() {
  int32_t sum = 0;
  for (const Place& place : places) sum += place.inside.load(std::memory_order_seq_cst);
  return sum;
}

// Order of the two: whoever enters counts itself and then looks at `forking`; who forks sets that
// and then looks at the counts. So one of them sees the other.
void BeforeFork() {
  if (depth == 0) {
    fork_mutex.lock();
  } else {
    // As from a signal handler. Another thread that forks does not wait for this one, which waits.
    Mine().fetch_sub(1, std::memory_order_seq_cst);
    left.fetch_add(1, std::memory_order_seq_cst);
    left.notify_all();
    fork_mutex.lock();
    Mine().fetch_add(1, std::memory_order_seq_cst);
  }
  forking.store(1, std::memory_order_seq_cst);
  const int32_t own = depth == 0 ? 0 : 1;
  for (;;) {
    const int32_t seen = left.load(std::memory_order_seq_cst);
    if (NumInside() == own) break;
    left.wait(seen, std::memory_order_seq_cst);
  }
  for (int k = 0; k < num_hooks; ++k) hooks[static_cast<size_t>(k)].before();
}

void Open() {
  forking.store(0, std::memory_order_seq_cst);
  forking.notify_all();
}

void InParent() {
  for (int k = num_hooks; k > 0; --k) hooks[static_cast<size_t>(k - 1)].in_parent();
  Open();
  fork_mutex.unlock();
}

void InChild() {
  for (int k = num_hooks; k > 0; --k) hooks[static_cast<size_t>(k - 1)].in_child();
  // Threads of the parent that were about to look whether they may enter had counted themselves.
  for (Place& place : places) place.inside.store(0, std::memory_order_relaxed);
  if (depth != 0) Mine().store(1, std::memory_order_relaxed);
  if (generation.fetch_add(1, std::memory_order_seq_cst) == UINT32_MAX) generation.store(1);
  Open();
  fork_mutex.unlock();
}

// When the library is loaded, and so before anything could be inside.
[[gnu::constructor]] void RegisterForkHandlers() {
  pthread_atfork(BeforeFork, InParent, InChild);
}

}  // namespace

void ForkGate::Enter() {
  if (depth++ != 0) return;
  std::atomic<int32_t>& mine = Mine();
  for (;;) {
    mine.fetch_add(1, std::memory_order_seq_cst);
    if (forking.load(std::memory_order_seq_cst) == 0) return;
    mine.fetch_sub(1, std::memory_order_seq_cst);
    left.fetch_add(1, std::memory_order_seq_cst);
    left.notify_all();
    forking.wait(1, std::memory_order_seq_cst);
  }
}

void ForkGate::Leave() {
  if (--depth != 0) return;
  Mine().fetch_sub(1, std::memory_order_seq_cst);
  if (forking.load(std::memory_order_seq_cst) == 0) return;
  left.fetch_add(1, std::memory_order_seq_cst);
  left.notify_all();
}

void ForkGate::Register(const Hooks& added) {
  const ForkGate section;
  const std::lock_guard lock(hooks_mutex);
  HOLOGRAM_CHECK(num_hooks < kMaxHooks);
  hooks[static_cast<size_t>(num_hooks++)] = added;
}

uint32_t ForkGate::Generation() {
  return generation.load(std::memory_order_relaxed);
}

void LongMutex::lock() {
  const uint32_t now = ForkGate::Generation();
  for (;;) {
    uint32_t holder = holder_.load(std::memory_order_relaxed);
    if (holder == now) {
      holder_.wait(holder, std::memory_order_relaxed);
    } else if (holder_.compare_exchange_weak(holder, now, std::memory_order_acquire)) {
      mine_ = now;
      return;
    }
  }
}

// A thread that has forked while it held the lock leaves alone what others hold in the child.
void LongMutex::unlock() {
  uint32_t expected = mine_;
  if (holder_.compare_exchange_strong(expected, 0, std::memory_order_release)) {
    holder_.notify_one();
  }
}

}  // namespace hologram
