// Spans of the application. Without a trace each call is a load or a test, and a branch. Tested by
// tests/observe.
#include "capi/guard.h"
#include "hologram/observe.h"
#include "observe/span.h"

namespace observe = hologram::observe;

uint64_t hologram_span_begin(void) {
  return observe::Tracing() ? observe::Ticks() : 0;
}

namespace {

// Apart from its caller, which has no frame then.
[[gnu::noinline]] void EndSpan(uint64_t begun, const char* name,
                               const hologram_span_argument* arguments, size_t count) {
  const uint64_t ended = observe::Ticks();
  observe::SpanRecord record;
  record.Begin("user", name);
  for (size_t k = 0; k < count; ++k) {
    if (arguments[k].name == nullptr) continue;
    if (arguments[k].text != nullptr) {
      record.Text(arguments[k].name, arguments[k].text);
    } else {
      record.Number(arguments[k].name, arguments[k].number);
    }
  }
  observe::Write(record, begun, ended);
}

}  // namespace

void hologram_span_end(uint64_t begun, const char* name, const hologram_span_argument* arguments,
                       size_t count) try {
  if (begun == 0 || name == nullptr || (arguments == nullptr && count != 0)) return;
  EndSpan(begun, name, arguments, count);
} catch (...) {
  hologram::capi::DropException();
}
