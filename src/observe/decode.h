// Spans as they were before SpanRecord (observe/span.h) put them into bytes. Tested by
// tests/observe.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "observe/trace.h"

namespace hologram::observe {

// The memory of one span at a time.
class DecodedSpan {
 public:
  static constexpr size_t kMostArguments = 64;

  // Of the bytes of a record; its times are left. It lives until the next one, and as long as
  // `bytes`.
  TracedSpan Read(const char* bytes, size_t size);

 private:
  std::array<TracedArgument, kMostArguments> arguments_;
  std::array<std::string, kMostArguments> texts_;  // of counts
};

}  // namespace hologram::observe
