// Counts and traces of the library's work in this process (docs/seeing.md). The C interface is
// observe.h.
//
//   for (const hologram::Metric& metric : hologram::metrics())
//     std::cout << metric.name << ' ' << metric.engine << ' ' << metric.value << '\n';
//
//   hologram::Trace trace("t.json");  // for ui.perfetto.dev
//   {
//     const hologram::Span step("step");
//     scale(2.0f, x, y, n);
//   }
//   trace.stop();
//
// A trace has spans of loading, verifying and compiling, of launches with their engine, grid and
// bytes, of the chunks that threads run, and of the program. Data of arrays and values of scalars
// are never in it. Each thread writes its spans into 8 MiB of its own, without a lock; a span that
// finds no room is dropped and counted. While a trace runs, launches are not inlined; without one,
// an inlined launch does nothing for it. A child of fork has no trace.
//
// Each thread counts for itself; reading adds up what there is, and resets nothing: who wants the
// counts of a part of a program reads twice and subtracts. Launches that are inlined (hologram.hpp)
// are among them, but their elements and bytes are not: a second and third count would cost as much
// again. Later versions may add counts: look for names, not for positions.
#ifndef HOLOGRAM_OBSERVE_HPP_
#define HOLOGRAM_OBSERVE_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"
#include "observe.h"

namespace hologram {

// One count, as a plain value; observe.h lists them.
struct Metric {
  // "launches", "elements", "cache_hits"
  std::string name;
  // Of launches: "cpu", "interpreter", "library", "opencl", "cuda".
  std::string engine;
  // Of "launches_by_reason": in the words of hologram_last_launch.
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

// A trace from here until stop(), or until it is destroyed; one runs at a time. It does not move:
// a callback of it is called by address. Any thread may stop it, but not two.
class Trace {
 public:
  using Take = std::function<void(const hologram_span&)>;

  // For a file that Perfetto, Chrome and Speedscope read. An empty trace is written there at once,
  // so that a path that cannot be written throws here; and so does a trace that runs already.
  explicit Trace(const std::string& path) { detail::check(hologram_trace_start(path.c_str())); }
  // For a program that sends spans elsewhere: `take` gets them when the trace is flushed or
  // stopped, on that thread. It must not throw, nor use traces.
  explicit Trace(Take take) : take_(std::move(take)) {
    const auto call = [](void* self, const hologram_span* span) {
      static_cast<Trace*>(self)->take_(*span);
    };
    detail::check(hologram_trace_start_callback(call, this));
  }
  // Stops it; errors are lost, which stop() throws.
  ~Trace() {
    if (runs_) hologram_error_destroy(hologram_trace_stop(nullptr));
  }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Gives `take` the spans up to now, which makes room for others: a program that runs long calls
  // it now and then. A trace for a file does nothing then. Throws if it was stopped.
  void flush() { detail::check(hologram_trace_flush()); }
  // Ends the trace. Writes the file, or gives `take` the rest, on this thread; then all handles of
  // kernels inline their launches again. Throws if the file cannot be written; the trace is
  // over then too. The result has the numbers of spans, and of those that found no room.
  hologram_trace_summary stop() {
    runs_ = false;
    hologram_trace_summary summary{};
    detail::check(hologram_trace_stop(&summary));
    return summary;
  }

 private:
  Take take_;
  bool runs_ = true;
};

// A span of the program from here to the end of the scope, among those of the library; nothing
// without a trace. `name` lives as long as the span, and is copied when that ends, up to 200 bytes.
// Spans of one thread nest, as scopes do. hologram_span_end takes named facts, too: numbers and
// texts of the program, which the library does not know.
class Span {
 public:
  explicit Span(const char* name) : name_(name), begun_(hologram_span_begin()) {}
  // Calls nothing without a trace.
  ~Span() {
    if (begun_ != 0) hologram_span_end(begun_, name_, nullptr, 0);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  const char* name_;
  std::uint64_t begun_;
};

}  // namespace hologram

#endif  // HOLOGRAM_OBSERVE_HPP_
