#include "runtime/observed_launch.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "observe/counters.h"

namespace hologram::runtime {
namespace {

using observe::Count;
using observe::Counter;

Counter CounterOf(const launch::Way& way) {
  switch (way.form) {
    case launch::Form::kNothing:
      return Counter::kEmpty;
    case launch::Form::kEntry:
    case launch::Form::kParts:
      return Counter::kCpu;
    case launch::Form::kSplit:
      return Counter::kCpuThreads;
    case launch::Form::kInterpreted:
      return Counter::kInterpreter;
    case launch::Form::kGuarded:
      return Counter::kInterpreterChecked;
    case launch::Form::kChecked:
      return Counter::kCpuChecked;
    case launch::Form::kCall:
      return Counter::kLibrary;
    case launch::Form::kDevice:
      if (way.engine == launch::Engine::kCuda) return Counter::kCuda;
      return launch::IsRegistered(way.engine) ? Counter::kRegistered : Counter::kOpenCl;
  }
  return Counter::kCpu;
}

void CountLaunch(const isa::Program& signature, std::span<const hologram_buffer_ref> buffers,
                 const launch::Way& way, const Status& status) {
  const ErrorCode code = status.ok() ? ErrorCode::kInternal : status.errors()[0].code;
  const bool faulted = !status.ok() && code == ErrorCode::kFault;
  const bool cancelled = !status.ok() && code == ErrorCode::kCancelled;
  if (faulted) Count(Counter::kFaults);
  if (cancelled) Count(Counter::kCancelled);
  if (!status.ok() && !faulted && !cancelled) return Count(Counter::kRefused);
  // One that was stopped before it began went no way, nor did one that was refused, of which a
  // search for the reason found a fault.
  if (!status.ok() && way.form == launch::Form::kNothing) return;
  Count(CounterOf(way));
  CountSizes(signature, buffers);
  if (!way.reason.empty()) observe::CountReason(launch::NameOf(way.engine), way.reason);
}

std::string_view EndOf(const launch::Way& way, const Status& status) {
  if (status.ok()) return "done";
  switch (status.errors()[0].code) {
    case ErrorCode::kFault:
      return "fault";
    case ErrorCode::kCancelled:
      return "cancelled";
    default:
      return way.form == launch::Form::kNothing ? "refused" : "failed";
  }
}

}  // namespace

void CountSizes(const isa::Program& signature, std::span<const hologram_buffer_ref> buffers) {
  uint64_t bytes = 0;
  uint64_t elements = 0;
  size_t k = 0;
  for (const isa::Parameter& parameter : signature.parameters) {
    if (!parameter.is_buffer) continue;
    const uint64_t size = buffers[k++].bytes;
    bytes += size;
    elements = std::max(elements, size >> std::countr_zero(isa::SizeOf(parameter.type)));
  }
  Count(Counter::kBytes, bytes);
  Count(Counter::kElements, elements);
}

void ObservedLaunch::End(const launch::Way& way, const hologram_launch_shape& shape,
                         const Status& status) const {
  CountLaunch(signature_, buffers_, way, status);
  if (begun_ != 0) [[unlikely]] {
    WriteSpan(way, shape, status);
  }
}

// Names, sizes and ways alone: no values of arguments, which messages of errors have.
void ObservedLaunch::WriteSpan(const launch::Way& way, const hologram_launch_shape& shape,
                               const Status& status) const {
  const uint64_t ended = observe::Ticks();
  observe::SpanRecord record;
  record.Begin("launch", signature_.name);
  const bool ran = way.form != launch::Form::kNothing;
  if (ran) {
    record.Text("engine", way.form == launch::Form::kCall ? "library" : launch::NameOf(way.engine));
    if (way.checked()) record.Text("checked", "every access");
    if (way.streaming) record.Text("stores", "streaming");
    record.Number("threads", way.threads);
  }
  if (!way.reason.empty()) record.Text("reason", way.reason);
  if (shape.block[0] != 0) {
    record.Counts("grid", shape.grid);
    record.Counts("block", shape.block);
  }
  uint64_t bytes = 0;
  for (const hologram_buffer_ref& buffer : buffers_) bytes += buffer.bytes;
  record.Number("bytes", bytes);
  const std::string_view end = EndOf(way, status);
  if (end != "done") record.Text("end", end);
  observe::TakeCaller(record);
  observe::Write(record, begun_, ended);
}

void CountInlineFault(bool cancelled) {
  Count(Counter::kCpu);
  Count(cancelled ? Counter::kCancelled : Counter::kFaults);
}

}  // namespace hologram::runtime
