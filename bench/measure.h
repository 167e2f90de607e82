// Timing of several candidates in one process, interleaved: each repetition times a batch of calls
// of every candidate in turn, so that clock steps and noisy neighbours hit all of them alike.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace hologram::bench {

struct Timing {
  double median_ns = 0;  // of one call
  double min_ns = 0;
};

struct Comparison {
  std::vector<Timing> timings;  // one per candidate, in order
  // Median over the repetitions of candidate 0 / candidate i, of neighbouring batches.
  std::vector<double> ratios;
};

// Runs `repetitions` rounds; a batch lasts about `batch_us`. Candidates are called once before.
Comparison Compare(const std::vector<std::function<void()>>& candidates, int repetitions = 101,
                   double batch_us = 100.0);

double NowNs();

// Keeps the compiler from removing or hoisting work on memory.
inline void Clobber(void* pointer) {
  asm volatile("" : : "r"(pointer) : "memory");
}

}  // namespace hologram::bench
