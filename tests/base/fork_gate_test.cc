#include "base/fork_gate.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace hologram {
namespace {

using std::chrono::milliseconds;

#if defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// The exit status of a child that does `work`; a child that hangs is ended by a signal.
template <class Work>
int InChild(const Work& work) {
  constexpr unsigned kSeconds = 20;
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(ForkGate, AForkWaitsForSectionsOfOtherThreads) {
  if (kSanitized) GTEST_SKIP() << "forks with threads are not for the thread sanitizer";
  std::atomic<bool> inside{false};
  std::atomic<bool> over{false};
  std::thread other([&] {
    const ForkGate section;
    const ForkGate nested;
    inside = true;
    std::this_thread::sleep_for(milliseconds(50));
    over = true;
  });
  while (!inside) std::this_thread::yield();
  EXPECT_EQ(InChild([&] { return over.load(); }), 0);
  other.join();
}

TEST(ForkGate, NoMutexIsHeldByAnotherThreadInAChild) {
  if (kSanitized) GTEST_SKIP() << "forks with threads are not for the thread sanitizer";
  Mutex outer;
  Mutex inner;
  LongMutex lasting;
  int64_t numbers[2] = {0, 0};  // equal whenever `inner` is free
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k) {
    threads.emplace_back([&] {
      while (!stop) {
        const std::lock_guard a(outer);
        const std::lock_guard b(inner);
        ++numbers[0];
        for (int spin = 0; spin < 100; ++spin) asm volatile("");
        ++numbers[1];
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop) {
      const std::lock_guard a(lasting);
      std::this_thread::sleep_for(milliseconds(1));
    }
  });
  for (int round = 0; round < 200; ++round) {
    ASSERT_EQ(InChild([&] {
                const std::lock_guard a(outer);
                const std::lock_guard b(inner);
                const std::lock_guard c(lasting);
                return numbers[0] == numbers[1];
              }),
              0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

// As from a signal handler.
TEST(ForkGate, AForkInASectionLeavesTheChildInIt) {
  const uint32_t before = ForkGate::Generation();
  const ForkGate section;
  EXPECT_EQ(InChild([&] {
              const bool is_new = ForkGate::Generation() != before;
              // A thread of the child may enter, and a fork of it works.
              std::thread([] { const ForkGate other; }).join();
              return is_new && InChild([] { return true; }) == 0;
            }),
            0);
  EXPECT_EQ(ForkGate::Generation(), before);
}

TEST(ForkGate, TwoThreadsForkAtOnce) {
  if (kSanitized) GTEST_SKIP() << "forks with threads are not for the thread sanitizer";
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k) {
    threads.emplace_back([] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_EQ(InChild([] {
                    const ForkGate section;
                    return true;
                  }),
                  0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(LongMutex, ExcludesAndWakes) {
  LongMutex mutex;
  int64_t count = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20000; ++round) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 80000);
}

TEST(LongMutex, IsFreeInAChildOfItsHolder) {
  LongMutex mutex;
  mutex.lock();
  EXPECT_EQ(InChild([&] {
              bool ok = false;
              std::thread([&] {
                const std::lock_guard lock(mutex);
                ok = true;
              }).join();
              mutex.unlock();  // of the parent's lock: nothing
              const std::lock_guard lock(mutex);
              return ok;
            }),
            0);
  mutex.unlock();
}

}  // namespace
}  // namespace hologram
