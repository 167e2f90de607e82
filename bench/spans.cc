// What a trace costs (docs/seeing.md): a span of the application, and one that the library writes
// around a launch. A trace that does not run is looked at by tests/codegen/launch_path_test.py.
#include "hologram/observe.h"
#include "peers.h"
#include "workbench.h"

namespace hologram::bench {
namespace {

// With the callback of a trace that throws its spans away, and room for all of them.
template <class Work>
double Traced(Work work) {
  hologram_error_destroy(
      hologram_trace_start_callback([](void*, const hologram_span*) {}, nullptr));
  std::vector<double> samples;
  for (int k = 0; k < 101; ++k) {
    samples.push_back(TimeBatch(work, 5000));
    hologram_error_destroy(hologram_trace_flush());
  }
  hologram_error_destroy(hologram_trace_stop(nullptr));
  return Summarise(samples).median_ns;
}

}  // namespace

void Spans(Executor& executor, Report& report) {
  if (!report.Wants("span of a trace")) return;
  const auto span = [] { hologram_span_end(hologram_span_begin(), "step", nullptr, 0); };
  report.AtMost("span of a trace", "of the application, no trace runs", Measure(span).median_ns, 10,
                "ns");
  report.AtMost("span of a trace", "of the application", Traced(span), 100, "ns");
  const Kernel add = Native(executor, "vector_add");
  Floats a(16), b(16), c(16);
  const LaunchConfig config{.grid = {1}, .block = {256}};
  const auto launch = [&] { add.launch(config, a, b, c, 16U); };
  const double without = Measure(launch).median_ns;
  report.AtMost("span of a trace", "of a launch", Traced(launch) - without, 100, "ns");
}

}  // namespace hologram::bench
