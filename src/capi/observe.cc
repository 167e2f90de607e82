// observe.h implemented: what the process has counted. Tested by tests/observe and tests/capi.
#include "hologram/observe.h"

#include <memory>
#include <string>
#include <vector>

#include "capi/guard.h"
#include "observe/counters.h"

using hologram::capi::DropException;
using hologram::capi::FromException;

namespace observe = hologram::observe;

__thread hologram_inline_counts hologram_inline_counts_of_thread = {UINT64_MAX, 0, 0};

struct hologram_metrics {
  observe::Totals totals;
  std::vector<hologram_metric> list;  // its texts are literals, and those of `totals`
};

namespace {

using Counter = observe::Counter;

struct Row {
  const char* name;
  const char* engine;
  std::vector<Counter> sum;
};

std::vector<Row> Rows() {
  return {
      {"launches", "cpu", {Counter::kCpu, Counter::kCpuThreads, Counter::kCpuChecked}},
      {"launches", "interpreter", {Counter::kInterpreter, Counter::kInterpreterChecked}},
      {"launches", "library", {Counter::kLibrary}},
      {"launches", "opencl", {Counter::kOpenCl}},
      {"launches_on_threads", "", {Counter::kCpuThreads}},
      {"launches_checked", "", {Counter::kCpuChecked, Counter::kInterpreterChecked}},
      {"launches_empty", "", {Counter::kEmpty}},
      {"launches_refused", "", {Counter::kRefused}},
      {"faults", "", {Counter::kFaults}},
      {"cancelled", "", {Counter::kCancelled}},
      {"elements", "", {Counter::kElements}},
      {"bytes", "", {Counter::kBytes}},
      {"chunks", "", {Counter::kChunks}},
      {"bundles_loaded", "", {Counter::kBundlesLoaded}},
      {"programs_verified", "", {Counter::kProgramsVerified}},
      {"compiles", "", {Counter::kCompiles}},
      {"compile_errors", "", {Counter::kCompileErrors}},
      {"compile_nanoseconds", "", {Counter::kCompileNanoseconds}},
      {"cache_hits", "", {Counter::kCacheHits}},
      {"cache_misses", "", {Counter::kCacheMisses}},
  };
}

}  // namespace

hologram_error* hologram_metrics_read(hologram_metrics** metrics) try {
  HOLOGRAM_NOT_NULL(metrics);
  auto made = std::make_unique<hologram_metrics>();
  made->totals = observe::ReadTotals();
  for (const Row& row : Rows()) {
    uint64_t sum = 0;
    for (const Counter counter : row.sum) sum += made->totals.of(counter);
    made->list.push_back({row.name, row.engine, "", sum});
  }
  for (const observe::Reason& reason : made->totals.reasons) {
    made->list.push_back(
        {"launches_by_reason", reason.engine.c_str(), reason.text.c_str(), reason.launches});
  }
  *metrics = made.release();
  return nullptr;
} catch (...) {
  return FromException();
}

size_t hologram_metrics_size(const hologram_metrics* metrics) {
  return metrics == nullptr ? 0 : metrics->list.size();
}

const hologram_metric* hologram_metrics_at(const hologram_metrics* metrics, size_t index) {
  if (metrics == nullptr || index >= metrics->list.size()) return nullptr;
  return &metrics->list[index];
}

void hologram_metrics_destroy(hologram_metrics* metrics) {
  delete metrics;
}

void hologram_metrics_join(void) try {
  observe::Join(&hologram_inline_counts_of_thread);
} catch (...) {
  DropException();
}
