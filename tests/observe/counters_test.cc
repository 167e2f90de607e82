// Counts of threads that live, that have ended, and of a forked child.
#include "observe/counters.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hologram::observe {
namespace {

uint64_t Read(Counter counter) {
  return ReadTotals().of(counter);
}

TEST(Counters, AddUpOverThreads) {
  const uint64_t before = Read(Counter::kElements);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 10000; ++i) Count(Counter::kElements, 3);
    });
  }
  Count(Counter::kElements, 5);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Read(Counter::kElements) - before, 8 * 10000 * 3 + 5u);
}

TEST(Counters, HaveTheInlineLaunchesOfAThread) {
  const uint64_t before = Read(Counter::kCpu);
  std::thread([] {
    static __thread hologram_inline_counts counts = {UINT64_MAX, 0, 0};
    ++counts.launches;
    Join(&counts);
    counts.launches += 6;
    EXPECT_GE(Read(Counter::kCpu), 7u);
  }).join();
  EXPECT_EQ(Read(Counter::kCpu) - before, 7u);
}

TEST(Counters, GoOnInAChild) {
  Count(Counter::kChunks, 2);
  // This thread lives in the parent alone, with counts in memory that the child may use again.
  bool counted = false;
  bool end = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread other([&] {
    static __thread hologram_inline_counts counts = {4, 100, 0};
    Join(&counts);
    std::unique_lock lock(mutex);
    counted = true;
    changed.notify_all();
    changed.wait(lock, [&] { return end; });
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return counted; });
  }
  const Totals before = ReadTotals();
  const pid_t child = fork();
  if (child == 0) {
    Count(Counter::kChunks);
    std::thread([] { Count(Counter::kChunks); }).join();
    const Totals now = ReadTotals();
    const bool right = now.of(Counter::kChunks) == before.of(Counter::kChunks) + 2 &&
                       now.of(Counter::kCpu) == before.of(Counter::kCpu) &&
                       now.of(Counter::kBytes) == before.of(Counter::kBytes);
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  {
    const std::lock_guard lock(mutex);
    end = true;
    changed.notify_all();
  }
  other.join();
  EXPECT_EQ(ReadTotals().of(Counter::kBytes), before.of(Counter::kBytes));
}

TEST(Counters, KeepReasonsApartUpToALimit) {
  CountReason("cpu", "first");
  CountReason("cpu", "first");
  CountReason("interpreter", "first");
  for (int k = 0; k < 100; ++k) CountReason("interpreter", "reason " + std::to_string(k));
  const Totals totals = ReadTotals();
  ASSERT_EQ(totals.reasons.size(), kMostReasons);
  EXPECT_EQ(totals.reasons[0].engine, "cpu");
  EXPECT_EQ(totals.reasons[0].text, "first");
  EXPECT_EQ(totals.reasons[0].launches, 2u);
  EXPECT_EQ(totals.reasons[1].engine, "interpreter");
  EXPECT_EQ(totals.reasons[1].launches, 1u);
  EXPECT_EQ(totals.reasons.back().text, "others");
  EXPECT_EQ(totals.reasons.back().launches, 100 - (kMostReasons - 3));
  const std::string longer(1000, 'x');
  CountReason("cpu", longer);
  EXPECT_EQ(ReadTotals().reasons.back().launches, 101 - (kMostReasons - 3));
}

}  // namespace
}  // namespace hologram::observe
