#include "observe/clock.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace hologram::observe {
namespace {

std::atomic<ClockSource> current{ClockSource::kSystem};

#if defined(__x86_64__)
constexpr std::string_view kCounterName = "tsc";

// Its rate is that of time, whatever the frequency and sleep of the core.
bool CounterIsInvariant() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
}

// The instruction may run before those in front of it, but not before a fence.
uint64_t ReadCounter() {
  _mm_lfence();
  return __rdtsc();
}
#elif defined(__aarch64__)
constexpr std::string_view kCounterName = "arch_sys_counter";

// By the architecture.
bool CounterIsInvariant() {
  return true;
}

uint64_t ReadCounter() {
  uint64_t ticks = 0;
  asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
  return ticks;
}
#else
constexpr std::string_view kCounterName = "";

bool CounterIsInvariant() {
  return false;
}

uint64_t ReadCounter() {
  return Now();
}
#endif

}  // namespace

// Apart from Ticks(), which has no frame then.
[[gnu::noinline]] uint64_t Now() {
  timespec time{};
  clock_gettime(Source() == ClockSource::kCounter ? CLOCK_BOOTTIME : CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

uint64_t Ticks() {
  if (current.load(std::memory_order_relaxed) == ClockSource::kCounter) [[likely]] {
    return ReadCounter();
  }
  return Now();
}

ClockSource SourceFor(std::string_view current_clocksource) {
  const bool is_counter = !kCounterName.empty() && current_clocksource == kCounterName;
  return is_counter && CounterIsInvariant() ? ClockSource::kCounter : ClockSource::kSystem;
}

ClockSource HostSource() {
  static const ClockSource found = [] {
    char name[64] = {};
    std::FILE* file =
        std::fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (file == nullptr) return ClockSource::kSystem;
    const size_t size = std::fread(name, 1, sizeof(name), file);
    std::fclose(file);
    const std::string_view text(name, size);
    return SourceFor(text.substr(0, text.find('\n')));
  }();
  return found;
}

void SetSource(ClockSource source) {
  current.store(source, std::memory_order_relaxed);
}

ClockSource Source() {
  return current.load(std::memory_order_relaxed);
}

Timeline::Reading Timeline::Read() {
  if (Source() == ClockSource::kSystem) {
    const uint64_t now = Now();
    return {now, now};
  }
  // The one of which both clocks were read at nearly the same time: no interrupt came between.
  constexpr int kTries = 8;
  Reading best{};
  uint64_t least = UINT64_MAX;
  for (int k = 0; k < kTries; ++k) {
    const uint64_t before = Ticks();
    const uint64_t ns = Now();
    const uint64_t apart = Ticks() - before;
    if (apart >= least) continue;
    least = apart;
    best = {before + apart / 2, ns};
  }
  return best;
}

void Timeline::Add(Reading reading) {
  if (reading.ticks <= last().ticks) return;
  if (readings_.size() == kMostReadings) {
    // Every second one of the first half.
    size_t kept = 0;
    for (size_t k = 0; k < readings_.size(); ++k) {
      if (k < kMostReadings / 2 && k % 2 == 1) continue;
      readings_[kept++] = readings_[k];
    }
    readings_.resize(kept);
  }
  readings_.push_back(reading);
}

uint64_t Timeline::Since(uint64_t ticks) const {
  const auto next = std::upper_bound(
      readings_.begin(), readings_.end(), ticks,
      [](uint64_t wanted, const Reading& reading) { return wanted < reading.ticks; });
  if (next == readings_.begin()) return 0;
  const Reading& before = *(next - 1);
  const uint64_t base = before.ns - start().ns;
  if (next == readings_.end()) return base;
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(ticks - before.ticks) * (next->ns - before.ns);
  return base + static_cast<uint64_t>(product / (next->ticks - before.ticks));
}

}  // namespace hologram::observe
