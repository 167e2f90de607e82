// A fork while other threads are inside this library: the child has only the thread that forked, so
// a lock that another one held stays held for ever, and what it guards may be half written. So a
// fork waits until no thread is inside a section that this file knows, and those that want to enter
// one meanwhile wait for the fork.
//
//   Mutex      the lock of what launches share: a section while it is held
//   LongMutex  one that is held while kernels run or a callback of the application does: no
//              section, a fork does not wait for it; in the child it is free. The guarded data is
//              written in a section of its own, or may be half written
//   ForkGate   a section without a lock: around code that has locks of its own, as the compiler
//              plugin, the loader and the first use of an object with static storage
//
// A section may hold others, and compile; it calls no code of the application, and does not wait
// for a thread that may enter one. Locks that only one launch knows need none of it.
// Tested by tests/base/fork_gate_test.cc and tests/capi/fork_test.c.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace hologram {

class ForkGate {
 public:
  static void Enter();
  static void Leave();

  // Another number in a child than in its parent; never 0.
  static uint32_t Generation();

  // For state that a fork must find at rest, or that a child makes anew. `before` runs when all
  // sections are over, in the order of registration; it may take a mutex inside of which no thread
  // enters a section. `in_parent` and `in_child` run before sections begin again. At most
  // kMaxHooks; REQUIRES: never called twice for one thing.
  struct Hooks {
    void (*before)();
    void (*in_parent)();
    void (*in_child)();
  };
  static constexpr int kMaxHooks = 8;
  static void Register(const Hooks& added);

  ForkGate() { Enter(); }
  ~ForkGate() { Leave(); }
  ForkGate(const ForkGate&) = delete;
  ForkGate& operator=(const ForkGate&) = delete;
};

// A std::mutex that no other thread holds in a child.
class Mutex {
 public:
  void lock() {
    ForkGate::Enter();
    mutex_.lock();
  }
  void unlock() {
    mutex_.unlock();
    ForkGate::Leave();
  }

 private:
  std::mutex mutex_;
};

// A lock that is free in a child, whichever thread held it in the parent.
class LongMutex {
 public:
  void lock();
  void unlock();

 private:
  std::atomic<uint32_t> holder_{0};  // the generation of the process that holds it; 0: free
  uint32_t mine_ = 0;                // the same, for who holds it
};

}  // namespace hologram
