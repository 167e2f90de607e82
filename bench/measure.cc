#include "measure.h"

#include <algorithm>
#include <chrono>

namespace hologram::bench {
namespace {

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double TimeBatch(const std::function<void()>& work, int64_t calls) {
  const double start = NowNs();
  for (int64_t i = 0; i < calls; ++i) work();
  return (NowNs() - start) / static_cast<double>(calls);
}

}  // namespace

double NowNs() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

Comparison Compare(const std::vector<std::function<void()>>& candidates, int repetitions,
                   double batch_us) {
  const size_t count = candidates.size();
  std::vector<int64_t> calls(count, 1);
  for (size_t i = 0; i < count; ++i) {
    candidates[i]();
    double one = TimeBatch(candidates[i], 1);
    if (one < 10'000) one = TimeBatch(candidates[i], 64);
    calls[i] = std::clamp<int64_t>(static_cast<int64_t>(batch_us * 1e3 / std::max(one, 0.5)), 1,
                                   1'000'000);
  }
  std::vector<std::vector<double>> samples(count);
  std::vector<std::vector<double>> ratios(count);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (size_t i = 0; i < count; ++i) samples[i].push_back(TimeBatch(candidates[i], calls[i]));
    for (size_t i = 0; i < count; ++i) {
      ratios[i].push_back(samples[0].back() / samples[i].back());
    }
  }
  Comparison comparison;
  for (size_t i = 0; i < count; ++i) {
    const double minimum = *std::min_element(samples[i].begin(), samples[i].end());
    comparison.timings.push_back({Median(samples[i]), minimum});
    comparison.ratios.push_back(Median(ratios[i]));
  }
  return comparison;
}

}  // namespace hologram::bench
