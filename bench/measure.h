// Timing of two sides in one process, interleaved: each repetition times a batch of calls of either
// side in turn, so that clock steps and noisy neighbours hit both alike. The timing loop is
// compiled with the work, so that a call of a few nanoseconds is not measured through a function
// pointer.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace hologram::bench {

struct Timing {
  double median_ns = 0;  // of one call
  double min_ns = 0;
};

struct Comparison {
  Timing ours;
  Timing peer;
  double ratio = 0;  // median over the repetitions of ours / peer, of neighbouring batches
};

inline double NowNs() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

// Keeps the compiler from removing or hoisting work on memory.
inline void Clobber(const void* pointer) {
  asm volatile("" : : "r"(pointer) : "memory");
}

double Median(std::vector<double> values);
Timing Summarise(const std::vector<double>& samples);

template <class Work>
double TimeBatch(Work& work, int64_t calls) {
  const double start = NowNs();
  for (int64_t i = 0; i < calls; ++i) work();
  return (NowNs() - start) / static_cast<double>(calls);
}

// How many calls fill about 100 microseconds. Warms up on the way.
template <class Work>
int64_t CallsPerBatch(Work& work) {
  constexpr double kBatchNs = 100e3;
  double one = TimeBatch(work, 1);
  one = TimeBatch(work, 1);
  if (one < 10e3) one = TimeBatch(work, 256);
  return std::clamp<int64_t>(static_cast<int64_t>(kBatchNs / std::max(one, 0.5)), 1, 1'000'000);
}

// So many that a comparison of long calls ends within about a second.
inline int Repetitions(double batch_ns) {
  return std::clamp(static_cast<int>(1e9 / std::max(batch_ns, 1.0)), 7, 101);
}

template <class Ours, class Peer>
Comparison Compare(Ours ours, Peer peer) {
  const int64_t our_calls = CallsPerBatch(ours);
  const int64_t peer_calls = CallsPerBatch(peer);
  const int repetitions =
      Repetitions(TimeBatch(ours, our_calls) * static_cast<double>(our_calls) +
                  TimeBatch(peer, peer_calls) * static_cast<double>(peer_calls));
  std::vector<double> our_samples;
  std::vector<double> peer_samples;
  std::vector<double> ratios;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    our_samples.push_back(TimeBatch(ours, our_calls));
    peer_samples.push_back(TimeBatch(peer, peer_calls));
    ratios.push_back(our_samples.back() / peer_samples.back());
  }
  return {Summarise(our_samples), Summarise(peer_samples), Median(ratios)};
}

template <class Work>
Timing Measure(Work work, int repetitions = 101) {
  const int64_t calls = CallsPerBatch(work);
  std::vector<double> samples;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    samples.push_back(TimeBatch(work, calls));
  }
  return Summarise(samples);
}

}  // namespace hologram::bench
