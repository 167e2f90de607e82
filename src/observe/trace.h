// A trace of this process: the spans of all threads between a start and a stop, for a file that
// Perfetto and Chrome read (observe/chrome_trace.h) or for a callback. One runs at a time; a child
// of fork has none. Tested by tests/observe.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hologram::observe {

struct TracedArgument {
  std::string_view name;
  std::string_view text;  // of a number: nothing
  uint64_t number = 0;
  bool is_text = false;
};

// Lives as long as the call that gets it.
struct TracedSpan {
  std::string_view category;  // "launch"
  std::string_view name;
  uint64_t begin_ns = 0;  // since the trace was started
  uint64_t duration_ns = 0;
  uint32_t thread = 0;  // as the system numbers them
  std::string_view thread_name;
  std::span<const TracedArgument> arguments;
};

struct TraceSummary {
  uint64_t spans = 0;
  uint64_t dropped = 0;
};

// Starts and stops what is to know whether there is a trace: `changed(true)` before the first span
// can be written, `changed(false)` after the last. Set once, before any trace.
void OnTracing(void (*changed)(bool tracing));

// Errors: a trace runs already; a file that cannot be written, found now: an empty trace is written
// there, which StopTrace() replaces.
Status StartTrace(const std::string& path);
Status StartTrace(std::function<void(const TracedSpan&)> take);
// Gives the callback what there is, on this thread; of a trace for a file nothing. Spans that are
// taken make room for others.
Status FlushTrace();
// Errors: none runs; the file cannot be written.
Result<TraceSummary> StopTrace();

// Starts the trace that HOLOGRAM_TRACE asks for, once in a process; it is written when the process
// ends. Errors as StartTrace, again in each call.
Status StartTraceOfEnvironment();

}  // namespace hologram::observe
