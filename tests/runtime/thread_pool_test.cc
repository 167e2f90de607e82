#include "runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "sanitized.h"

namespace hologram::runtime {
namespace {

// Runs `work(i)` for each chunk and returns how often each was run.
template <class F>
std::vector<uint32_t> RunAll(engines::Workers& pool, uint32_t chunks, uint32_t threads, F work) {
  struct Context {
    std::vector<uint32_t> runs;  // not atomic: no chunk may run twice at once
    F* work;
  } context{std::vector<uint32_t>(chunks, 0), &work};
  pool.Run(
      chunks, threads,
      [](void* data, uint32_t chunk) {
        auto& mine = *static_cast<Context*>(data);
        (*mine.work)(chunk);
        ++mine.runs[chunk];
      },
      &context);
  return context.runs;
}

void SpinFor(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(ThreadPool, StartsNoThreadBeforeItIsNeeded) {
  ThreadPool pool;
  const auto nothing = [](uint32_t) {};
  EXPECT_EQ(pool.workers(), 0u);
  EXPECT_EQ(RunAll(pool, 8, 1, nothing), std::vector<uint32_t>(8, 1));
  EXPECT_EQ(RunAll(pool, 1, 8, nothing), std::vector<uint32_t>(1, 1));
  EXPECT_EQ(RunAll(pool, 0, 8, nothing), std::vector<uint32_t>());
  EXPECT_EQ(pool.workers(), 0u);
  EXPECT_EQ(RunAll(pool, 8, 3, nothing), std::vector<uint32_t>(8, 1));
  EXPECT_EQ(pool.workers(), 2u);
  EXPECT_EQ(RunAll(pool, 3, 100, nothing), std::vector<uint32_t>(3, 1));
  EXPECT_EQ(pool.workers(), 2u);  // no more than there are chunks for
}

TEST(ThreadPool, RunsEveryChunkOnceAndShowsItsWrites) {
  ThreadPool pool;
  for (uint32_t round = 0; round < 2000; ++round) {
    const uint32_t chunks = round % 37;
    std::vector<uint64_t> written(chunks, 0);
    const auto runs =
        RunAll(pool, chunks, 1 + round % 5, [&](uint32_t i) { written[i] = round * 1000ULL + i; });
    ASSERT_EQ(runs, std::vector<uint32_t>(chunks, 1));
    for (uint32_t i = 0; i < chunks; ++i) ASSERT_EQ(written[i], round * 1000ULL + i);
  }
}

TEST(ThreadPool, UsesSeveralThreadsButNoMoreThanAsked) {
  ThreadPool pool;
  const auto nothing = [](uint32_t) {};
  RunAll(pool, 8, 8, nothing);  // starts 7
  std::set<std::thread::id> seen;
  std::mutex mutex;
  // Until two threads were seen: on a busy machine a worker may come late.
  for (int attempt = 0; attempt < 1000 && seen.size() < 2; ++attempt) {
    RunAll(pool, 16, 2, [&](uint32_t) {
      SpinFor(std::chrono::microseconds(200));
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
  }
  EXPECT_GE(seen.size(), 2u);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  for (int attempt = 0; attempt < 50; ++attempt) {
    RunAll(pool, 32, 3, [&](uint32_t) {
      const int now = inside.fetch_add(1) + 1;
      int before = most.load();
      while (before < now && !most.compare_exchange_weak(before, now)) {
      }
      SpinFor(std::chrono::microseconds(20));
      inside.fetch_sub(1);
    });
  }
  EXPECT_LE(most.load(), 3);
}

TEST(ThreadPool, UnevenChunksAreBalanced) {
  ThreadPool pool;
  // One chunk waits until all others have run: whoever is in it, somebody else does the rest, or
  // the caller did the rest before it came to it.
  for (const uint32_t slow : {0u, 31u}) {
    std::atomic<uint32_t> others{0};
    std::atomic<bool> waited_in_vain{false};
    const auto runs = RunAll(pool, 32, 4, [&](uint32_t i) {
      if (i != slow) {
        others.fetch_add(1);
        return;
      }
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (others.load() < 31) {
        if (std::chrono::steady_clock::now() > end) {
          waited_in_vain = true;
          return;
        }
        std::this_thread::yield();
      }
    });
    EXPECT_EQ(runs, std::vector<uint32_t>(32, 1));
    EXPECT_FALSE(waited_in_vain);
  }
}

// Two callers that may have two threads each are two threads together: a worker leaves jobs, and
// does not come, while the callers are as many as a job has threads.
TEST(ThreadPool, CallersAreCounted) {
  constexpr uint32_t kLast = 100;
  ThreadPool pool;
  RunAll(pool, 8, 2, [](uint32_t) {});  // starts the worker
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  std::set<std::thread::id> seen;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int caller = 0; caller < 2; ++caller) {
    threads.emplace_back([&] {
      RunAll(pool, kLast + 1, 2, [&](uint32_t chunk) {
        if (chunk == 0) begun.fetch_add(1);
        while (begun.load() < 2) std::this_thread::yield();
        if (chunk >=
            3) {  // a worker had at most one chunk, of the first two, before both were here
          const std::lock_guard lock(mutex);
          seen.insert(std::this_thread::get_id());
        }
        if (chunk == kLast) ended.fetch_add(1);
        while (chunk == kLast && ended.load() < 2) std::this_thread::yield();
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(RunAll(pool, 8, 2, [](uint32_t) {}), std::vector<uint32_t>(8, 1));
}

TEST(ThreadPool, SeveralCallersAtOnce) {
  ThreadPool pool;
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (uint32_t round = 0; round < 500; ++round) {
        const uint32_t chunks = 2 + (round * 7 + static_cast<uint32_t>(caller)) % 20;
        std::vector<uint32_t> written(chunks, 0);
        const auto runs = RunAll(pool, chunks, 3, [&](uint32_t i) { written[i] = i + 1; });
        if (runs != std::vector<uint32_t>(chunks, 1)) ++wrong;
        for (uint32_t i = 0; i < chunks; ++i) wrong += written[i] != i + 1 ? 1 : 0;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, ChunksMayRunJobsOfTheirOwn) {
  ThreadPool pool;
  std::atomic<uint32_t> inner{0};
  const auto runs = RunAll(pool, 6, 3, [&](uint32_t) {
    const auto nested = RunAll(pool, 5, 3, [&](uint32_t) { inner.fetch_add(1); });
    EXPECT_EQ(nested, std::vector<uint32_t>(5, 1));
  });
  EXPECT_EQ(runs, std::vector<uint32_t>(6, 1));
  EXPECT_EQ(inner, 30u);
}

TEST(ThreadPool, WorkersHaveDefaultFloatingPointAndNoSignals) {
  ThreadPool pool;
  const auto main_thread = std::this_thread::get_id();
  std::fesetround(FE_UPWARD);
  std::atomic<int> rounding{-1};
  std::atomic<int> blocked{-1};
  for (int attempt = 0; attempt < 1000 && rounding < 0; ++attempt) {
    RunAll(pool, 8, 2, [&](uint32_t) {
      SpinFor(std::chrono::microseconds(200));
      if (std::this_thread::get_id() == main_thread) return;
      rounding = std::fegetround();
      sigset_t mask;
      pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      blocked = sigismember(&mask, SIGINT);
    });
  }
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(rounding, FE_TONEAREST);
  EXPECT_EQ(blocked, 1);
  sigset_t mine;
  pthread_sigmask(SIG_SETMASK, nullptr, &mine);
  EXPECT_EQ(sigismember(&mine, SIGINT), 0);
}

TEST(ThreadPool, AfterStopTheCallerDoesEverything) {
  ThreadPool pool;
  RunAll(pool, 8, 4, [](uint32_t) {});
  pool.Stop();
  EXPECT_EQ(pool.workers(), 0u);
  const auto main_thread = std::this_thread::get_id();
  const auto runs =
      RunAll(pool, 8, 4, [&](uint32_t) { EXPECT_EQ(std::this_thread::get_id(), main_thread); });
  EXPECT_EQ(runs, std::vector<uint32_t>(8, 1));
  pool.Stop();
}

TEST(ThreadPool, StopsWhileOthersRun) {
  for (int round = 0; round < 20; ++round) {
    ThreadPool pool;
    std::atomic<bool> started{false};
    std::thread caller([&] {
      for (int job = 0; job < 50; ++job) {
        const auto runs = RunAll(pool, 16, 3, [&](uint32_t) { started = true; });
        ASSERT_EQ(runs, std::vector<uint32_t>(16, 1));
      }
    });
    while (!started) std::this_thread::yield();
    pool.Stop();
    caller.join();
  }
}

// Exit code of a child that runs `work`, or -1.
template <class F>
int InChild(F work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::_Exit(work() ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST(ThreadPool, AForkedChildStartsItsOwnWorkers) {
  ThreadPool& pool = ThreadPool::Shared();
  RunAll(pool, 8, 3, [](uint32_t) {});
  const size_t before = pool.workers();
  EXPECT_GE(before, 2u);
  if (kSanitized) GTEST_SKIP() << "threads of a forked child are not for the thread sanitizer";
  // Others run jobs while this thread forks: what they hold must not stay held in the child.
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) RunAll(pool, 8, 3, [](uint32_t) {});
  });
  for (int round = 0; round < 50; ++round) {
    const int code = InChild([&] {
      if (pool.workers() != 0) return false;
      for (int job = 0; job < 20; ++job) {
        if (RunAll(pool, 16, 3, [](uint32_t) {}) != std::vector<uint32_t>(16, 1)) return false;
      }
      return pool.workers() == 2;
    });
    ASSERT_EQ(code, 0);
  }
  stop = true;
  other.join();
  EXPECT_EQ(pool.workers(), before);
  EXPECT_EQ(RunAll(pool, 16, 3, [](uint32_t) {}), std::vector<uint32_t>(16, 1));
}

// In a process of its own: in this one, stacks of threads that have ended would be used again.
TEST(ThreadPoolDeathTest, WithoutThreadsTheCallerDoesEverything) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need the address space";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto finish = [] {
    ThreadPool pool;
    // Room for some heap, but for no stack of a thread.
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = 1 << 20;
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
    const auto runs = RunAll(pool, 16, 4, [](uint32_t) {});
    if (pool.workers() != 0) return 3;
    return runs == std::vector<uint32_t>(16, 1) ? 0 : 4;
  };
  EXPECT_EXIT(std::_Exit(finish()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hologram::runtime
