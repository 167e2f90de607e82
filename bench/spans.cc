// What a trace costs (docs/seeing.md): a span of the application, and one that the library writes
// around a launch. A trace that does not run is looked at by tests/codegen/launch_path_test.py.
#include "hologram/observe.h"
#include "peers.h"
#include "workbench.h"

namespace hologram::bench {
namespace {

// What a call costs more while a trace runs, for a callback that throws its spans away, and with
// room for all of them. Each batch is next to one without a trace, so that both meet the same clock
// of the processor and the same neighbours.
template <class Work>
double CostOfTrace(Work work) {
  constexpr int64_t kCalls = 2000;
  std::vector<double> samples;
  for (int k = 0; k < 201; ++k) {
    const double without = TimeBatch(work, kCalls);
    hologram_error_destroy(
        hologram_trace_start_callback([](void*, const hologram_span*) {}, nullptr));
    const double with = TimeBatch(work, kCalls);
    hologram_error_destroy(hologram_trace_stop(nullptr));
    samples.push_back(with - without);
  }
  return Summarise(samples).median_ns;
}

}  // namespace

void Spans(Executor& executor, Report& report) {
  constexpr const char* kName = "span of a trace";
  if (!report.Wants(kName)) return;
  const auto span = [] { hologram_span_end(hologram_span_begin(), "step", nullptr, 0); };
  report.AtMost(kName, "of the application, no trace runs", Measure(span).median_ns, 10, "ns");
  report.AtMost(kName, "of the application", CostOfTrace(span), 100, "ns");
  const hologram_span_argument facts[] = {{"number", nullptr, 3}, {"phase", "training", 0}};
  const auto with_facts = [&] { hologram_span_end(hologram_span_begin(), "step", facts, 2); };
  report.AtMost(kName, "of the application, two facts", CostOfTrace(with_facts), 100, "ns");
  const Kernel add = Native(executor, "vector_add");
  Floats a(16), b(16), c(16);
  const LaunchConfig config{.grid = {1}, .block = {256}};
  const auto launch = [&] { add.launch(config, a, b, c, 16U); };
  report.AtMost(kName, "of a launch", CostOfTrace(launch), 100, "ns");
}

}  // namespace hologram::bench
