// The clock of spans: which one is taken, what becomes of its ticks, and times of several threads.
#include "observe/clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "observe/rings.h"
#include "observe/span.h"
#include "observe/trace.h"

namespace hologram::observe {
namespace {

struct Timed {
  std::string name;
  uint32_t thread;
  uint64_t begin;
  uint64_t end;
};

std::vector<ClockSource> Sources() {
  std::vector<ClockSource> sources{ClockSource::kSystem};
  if (HostSource() == ClockSource::kCounter) sources.push_back(ClockSource::kCounter);
  return sources;
}

// A trace with each clock that there is here, in which `work` is done.
template <class Work>
std::vector<Timed> TracedBy(ClockSource source, Work work) {
  std::vector<Timed> taken;
  const auto take = [&](const TracedSpan& span) {
    taken.push_back(
        {std::string(span.name), span.thread, span.begin_ns, span.begin_ns + span.duration_ns});
  };
  // The first trace of the process takes the clock of the host.
  EXPECT_TRUE(StartTrace([](const TracedSpan&) {}).ok());
  EXPECT_TRUE(StopTrace().ok());
  SetSource(source);
  EXPECT_TRUE(StartTrace(take).ok());
  work();
  EXPECT_TRUE(StopTrace().ok());
  SetSource(HostSource());
  return taken;
}

TEST(Clock, CounterIsTakenWhereTheSystemTrustsIt) {
  for (const char* name :
       {"", "hpet", "acpi_pm", "kvm-clock", "hyperv_clocksource_tsc_page", "tsc2"}) {
    EXPECT_EQ(SourceFor(name), ClockSource::kSystem) << name;
  }
#if defined(__x86_64__)
  EXPECT_EQ(SourceFor("arch_sys_counter"), ClockSource::kSystem);
#elif defined(__aarch64__)
  EXPECT_EQ(SourceFor("arch_sys_counter"), ClockSource::kCounter);
  EXPECT_EQ(SourceFor("tsc"), ClockSource::kSystem);
#endif
}

TEST(Clock, TicksOfAThreadDoNotRunBackwards) {
  for (const ClockSource source : Sources()) {
    SetSource(source);
    uint64_t last = 0;
    for (int k = 0; k < 1'000'000; ++k) {
      const uint64_t now = Ticks();
      ASSERT_GE(now, last);
      ASSERT_NE(now, 0u);
      last = now;
    }
  }
  SetSource(HostSource());
}

TEST(Timeline, IsALineBetweenReadings) {
  Timeline timeline({1000, 500});
  EXPECT_EQ(timeline.Since(1000), 0u);
  EXPECT_EQ(timeline.Since(4000), 0u) << "nothing is known behind the last reading";
  timeline.Add({4000, 2000});
  timeline.Add({5000, 2100});
  EXPECT_EQ(timeline.Since(999), 0u);
  EXPECT_EQ(timeline.Since(1001), 0u);
  EXPECT_EQ(timeline.Since(1002), 1u);
  EXPECT_EQ(timeline.Since(2500), 750u);
  EXPECT_EQ(timeline.Since(4000), 1500u);
  EXPECT_EQ(timeline.Since(4100), 1510u);
  EXPECT_EQ(timeline.Since(5000), 1600u);
  EXPECT_EQ(timeline.Since(6000), 1600u);
  EXPECT_EQ(timeline.SinceOfSystem(2100), 1600u);
  timeline.Add({5000, 3000});
  EXPECT_EQ(timeline.size(), 3u) << "a counter that stands still";
  timeline.Add({4999, 3000});
  EXPECT_EQ(timeline.size(), 3u) << "a counter that began anew";
}

TEST(Timeline, HoldsYears) {
  constexpr uint64_t kYears = 100;
  constexpr uint64_t kNs = kYears * 365 * 24 * 3600 * 1'000'000'000;
  Timeline timeline({UINT64_MAX - 5 * kNs, 0});
  timeline.Add({UINT64_MAX, kNs});
  EXPECT_EQ(timeline.Since(UINT64_MAX), kNs);
  EXPECT_EQ(timeline.Since(UINT64_MAX - 5), kNs - 1);
}

// A clock that is slewed to and fro, and more readings than are kept.
TEST(Timeline, IsThinnedWithoutRunningBackwards) {
  Timeline timeline({0, 0});
  uint64_t ticks = 0;
  uint64_t ns = 0;
  uint64_t last = 0;
  for (uint64_t k = 1; k < 10 * Timeline::kMostReadings; ++k) {
    ticks += 3000;
    ns += k % 3 == 0 ? 999 : 1001;
    timeline.Add({ticks, ns});
    ASSERT_LE(timeline.size(), Timeline::kMostReadings);
    const uint64_t since = timeline.Since(ticks - 1500);
    ASSERT_GE(since, last);
    ASSERT_EQ(timeline.Since(ticks), ns);
    last = since;
  }
  for (uint64_t at = 0, before = 0; at <= ticks; at += 9999) {
    const uint64_t since = timeline.Since(at);
    ASSERT_GE(since, before);
    ASSERT_NEAR(static_cast<double>(since), static_cast<double>(at) / 3,
                0.002 * static_cast<double>(at) + 2000);
    before = since;
  }
}

// Between two looks at the system's clock, each span is where they say.
TEST(Clock, SpansAreWhereTheSystemsClockIs) {
  constexpr size_t kSpans = 20;
  constexpr uint64_t kSlack = 100'000;  // an interrupt between two readings of both clocks
  for (const ClockSource source : Sources()) {
    std::vector<uint64_t> before(kSpans);
    std::vector<uint64_t> after(kSpans);
    const std::vector<Timed> taken = TracedBy(source, [&] {
      for (size_t k = 0; k < kSpans; ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (k == kSpans / 2) {
          EXPECT_TRUE(FlushTrace().ok());
        }
        before[k] = Now();
        {
          const Span span("test", "step");
        }
        after[k] = Now();
      }
    });
    ASSERT_EQ(taken.size(), kSpans);
    for (size_t k = 1; k < kSpans; ++k) {
      const uint64_t apart = taken[k].begin - taken[0].begin;
      EXPECT_GE(apart + kSlack, before[k] - after[0]) << k;
      EXPECT_LE(apart, after[k] - before[0] + kSlack) << k;
    }
  }
}

// A span that another thread has seen the end of is over before those of that thread begin.
TEST(Clock, ThreadsHaveOneTime) {
  constexpr int kTurns = 20'000;
  for (const ClockSource source : Sources()) {
    const std::vector<Timed> taken = TracedBy(source, [] {
      std::atomic<int> turn{0};
      const auto play = [&](int parity) {
        for (int k = parity; k < kTurns; k += 2) {
          while (turn.load(std::memory_order_acquire) != k) std::this_thread::yield();
          {
            const Span span("test", std::to_string(k));
          }
          turn.store(k + 1, std::memory_order_release);
        }
      };
      std::thread other(play, 1);
      play(0);
      other.join();
    });
    ASSERT_EQ(taken.size(), static_cast<size_t>(kTurns));
    std::vector<Timed> turns(kTurns);
    for (const Timed& span : taken) turns[std::stoul(span.name)] = span;
    for (size_t k = 1; k < turns.size(); ++k) ASSERT_GE(turns[k].begin, turns[k - 1].end) << k;
  }
}

// While threads write, each flush takes what is over, and nothing twice or in another order.
TEST(Clock, FlushesWhileThreadsWrite) {
  constexpr int kSpans = 20'000;
  for (const ClockSource source : Sources()) {
    const std::vector<Timed> taken = TracedBy(source, [] {
      std::atomic<int> running{2};
      const auto work = [&] {
        for (int k = 0; k < kSpans; ++k) {
          const Span outer("test", "outer " + std::to_string(k));
          const Span inner("test", "inner " + std::to_string(k));
        }
        running.fetch_sub(1);
      };
      std::thread first(work);
      std::thread second(work);
      while (running.load() != 0) EXPECT_TRUE(FlushTrace().ok());
      first.join();
      second.join();
    });
    ASSERT_EQ(taken.size(), static_cast<size_t>(2 * 2 * kSpans));
    std::map<uint32_t, std::vector<Timed>> threads;
    for (const Timed& span : taken) threads[span.thread].push_back(span);
    ASSERT_EQ(threads.size(), 2u);
    for (const auto& [thread, spans] : threads) {
      uint64_t last = 0;
      for (size_t k = 0; k < spans.size(); k += 2) {
        const Timed& inner = spans[k];
        const Timed& outer = spans[k + 1];
        ASSERT_EQ(inner.name, "inner " + std::to_string(k / 2));
        ASSERT_EQ(outer.name, "outer " + std::to_string(k / 2));
        ASSERT_GE(outer.begin, last);
        ASSERT_GE(inner.begin, outer.begin);
        ASSERT_GE(outer.end, inner.end);
        last = outer.end;
      }
    }
  }
}

}  // namespace
}  // namespace hologram::observe
