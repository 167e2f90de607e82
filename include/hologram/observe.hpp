// What the library has done in this process: counts (docs/seeing.md). The C interface is observe.h.
//
//   for (const hologram::Metric& metric : hologram::metrics())
//     std::cout << metric.name << ' ' << metric.engine << ' ' << metric.value << '\n';
//
// Each thread counts for itself; reading adds up what there is, and resets nothing: who wants the
// counts of a part of a program reads twice and subtracts. Launches that are inlined (hologram.hpp)
// are among them, but their elements and bytes are not: a second and third count would cost as much
// again. Nothing here is slower for launches than the count itself, a load and a store in memory of
// the thread.
//
// Later versions may add counts: look for names, not for positions. None is ever taken away, nor
// does one go back, within a process.
#ifndef HOLOGRAM_OBSERVE_HPP_
#define HOLOGRAM_OBSERVE_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "error.hpp"
#include "observe.h"

namespace hologram {

// One count, as a plain value; observe.h says which there are.
struct Metric {
  // "launches", "elements", "cache_hits"
  std::string name;
  // Of launches: "cpu", "interpreter", "library", "opencl".
  std::string engine;
  // Of "launches_by_reason": as hologram_last_launch says it.
  std::string reason;
  std::uint64_t value;
};

// The counts up to now, of all threads, since the library was loaded; a forked child goes on from
// those of its parent. Launches that other threads make meanwhile may be in them or not. Throws
// RESOURCE_LIMIT alone. Any thread.
inline std::vector<Metric> metrics() {
  hologram_metrics* read = nullptr;
  detail::check(hologram_metrics_read(&read));
  const std::unique_ptr<hologram_metrics, void (*)(hologram_metrics*)> owner(
      read, hologram_metrics_destroy);
  std::vector<Metric> all;
  for (std::size_t k = 0; k < hologram_metrics_size(read); ++k) {
    const hologram_metric& metric = *hologram_metrics_at(read, k);
    all.push_back({metric.name, metric.engine, metric.reason, metric.value});
  }
  return all;
}

}  // namespace hologram

#endif  // HOLOGRAM_OBSERVE_HPP_
