// observe.h implemented, but for spans of the application (capi/spans.cc). Tested by tests/observe
// and tests/capi.
#include "hologram/observe.h"

#include <memory>
#include <string>
#include <vector>

#include "capi/error.h"
#include "capi/guard.h"
#include "capi/kernel_handle.h"
#include "capi/watch.h"
#include "observe/counters.h"
#include "observe/span.h"
#include "observe/trace.h"

using hologram::capi::DropException;
using hologram::capi::FromException;
using hologram::capi::FromStatus;
using hologram::capi::MakeError;

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
      {"launches", "cuda", {Counter::kCuda}},
      {"launches", "registered", {Counter::kRegistered}},
      {"launches_on_threads", "", {Counter::kCpuThreads}},
      {"launches_checked", "", {Counter::kCpuChecked, Counter::kInterpreterChecked}},
      {"launches_empty", "", {Counter::kEmpty}},
      {"launches_refused", "", {Counter::kRefused}},
      {"faults", "", {Counter::kFaults}},
      {"cancelled", "", {Counter::kCancelled}},
      {"elements", "", {Counter::kElements}},
      {"bytes", "", {Counter::kBytes}},
      {"chunks", "", {Counter::kChunks}},
      {"streams", "", {Counter::kStreams}},
      {"stream_windows", "", {Counter::kWindows}},
      {"stream_bytes", "", {Counter::kStreamedBytes}},
      {"pools", "", {Counter::kPools}},
      {"pool_bytes", "", {Counter::kPoolBytes}},
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

// ---- Traces

namespace {

// Texts of a span with the zero bytes that C wants.
struct SpanInC {
  void Give(const observe::TracedSpan& span, hologram_span_function take, void* context) {
    texts.clear();
    arguments.clear();
    texts.reserve(3 + 2 * span.arguments.size());  // so that none moves
    const auto keep = [&](std::string_view text) { return texts.emplace_back(text).c_str(); };
    for (const observe::TracedArgument& argument : span.arguments) {
      arguments.push_back(
          {keep(argument.name), argument.is_text ? keep(argument.text) : nullptr, argument.number});
    }
    const hologram_span given = {keep(span.name),  keep(span.category), keep(span.thread_name),
                                 span.begin_ns,    span.duration_ns,    span.thread,
                                 arguments.size(), arguments.data()};
    take(context, &given);
  }

  std::vector<std::string> texts;
  std::vector<hologram_span_argument> arguments;
};

}  // namespace

hologram::Status hologram::capi::StartTraceOfEnvironment() {
  observe::OnTracing(SwitchPlans);
  return observe::StartTraceOfEnvironment();
}

hologram_error* hologram_trace_start(const char* path) try {
  HOLOGRAM_NOT_NULL(path);
  observe::OnTracing(hologram::capi::SwitchPlans);
  return FromStatus(observe::StartTrace(path));
} catch (...) {
  return FromException();
}

hologram_error* hologram_trace_start_callback(hologram_span_function take, void* context) try {
  HOLOGRAM_NOT_NULL(take);
  observe::OnTracing(hologram::capi::SwitchPlans);
  auto span = std::make_shared<SpanInC>();
  return FromStatus(observe::StartTrace([take, context, span](const observe::TracedSpan& traced) {
    span->Give(traced, take, context);
  }));
} catch (...) {
  return FromException();
}

hologram_error* hologram_trace_flush(void) try {
  return FromStatus(observe::FlushTrace());
} catch (...) {
  return FromException();
}

hologram_error* hologram_trace_stop(hologram_trace_summary* summary) try {
  const hologram::Result<observe::TraceSummary> stopped = observe::StopTrace();
  if (!stopped.ok()) return MakeError(stopped.errors());
  if (summary != nullptr) *summary = {stopped.value().spans, stopped.value().dropped};
  return nullptr;
} catch (...) {
  return FromException();
}

int32_t hologram_trace_is_on(void) {
  return observe::Tracing() ? 1 : 0;
}

void hologram_trace_caller(const char* file, uint32_t line) try {
  if (file != nullptr && line != 0 && observe::Tracing()) observe::SetCaller(file, line);
} catch (...) {
  DropException();
}
