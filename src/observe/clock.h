// The clock of spans. A thread notes ticks: of the counter of the processor where that counts time
// alike on all cores, whatever they do; else nanoseconds of the system's clock, which takes longer
// to read. Ticks become nanoseconds when spans are taken. Tested by tests/observe/clock_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hologram::observe {

// Nanoseconds of the system's clock: with the time that the machine sleeps, which the counter
// counts too, or without it for kSystem.
uint64_t Now();
// Not before anything that this thread has done or seen of others; never 0.
uint64_t Ticks();

enum class ClockSource : uint8_t { kSystem, kCounter };

// By the name of the clock source of Linux, which has compared the counters of the cores before it
// counts by them. kSystem for an empty name, where there is no such file.
ClockSource SourceFor(std::string_view current_clocksource);
// Of this machine, looked at once.
ClockSource HostSource();
// For Ticks(), from here on; with no trace. REQUIRES: kCounter where HostSource() is.
void SetSource(ClockSource source);
ClockSource Source();

// Ticks as nanoseconds since the start of a trace. Both clocks are read together at the start, and
// whenever spans are taken; between two such readings time is a line through them. So it never runs
// backwards, and where spans are taken it is the system's clock, to within a reading of both.
class Timeline {
 public:
  // Beyond that every second reading of the older half is left out.
  static constexpr size_t kMostReadings = 4096;

  struct Reading {
    uint64_t ticks;
    uint64_t ns;
  };
  static Reading Read();

  Timeline() = default;
  explicit Timeline(Reading start) : readings_{start} {}
  // REQUIRES: not before the last one.
  void Add(Reading reading);
  // REQUIRES: a start. Before it, 0; behind the last reading, the time of that.
  uint64_t Since(uint64_t ticks) const;
  uint64_t SinceOfSystem(uint64_t ns) const { return ns - readings_.front().ns; }
  const Reading& start() const { return readings_.front(); }
  const Reading& last() const { return readings_.back(); }
  size_t size() const { return readings_.size(); }

 private:
  std::vector<Reading> readings_;
};

}  // namespace hologram::observe
