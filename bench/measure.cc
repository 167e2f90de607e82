#include "measure.h"

namespace hologram::bench {

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Timing Summarise(const std::vector<double>& samples) {
  return {Median(samples), *std::min_element(samples.begin(), samples.end())};
}

}  // namespace hologram::bench
