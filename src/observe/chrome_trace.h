// The format of trace files that Perfetto (ui.perfetto.dev), chrome://tracing and Speedscope read:
// JSON, an event for each span. Tested by tests/observe/trace_test.py against the format.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "observe/trace.h"

namespace hologram::observe {

class ChromeTrace {
 public:
  void Add(const TracedSpan& span);
  // The text of the file. `dropped`: spans for which there was no room.
  std::string Finish(uint64_t dropped);

 private:
  std::string events_;
  std::map<uint32_t, std::string> threads_;
};

}  // namespace hologram::observe
