#include "stream/run.h"

#include <pthread.h>

#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "launch/fault_text.h"
#include "observe/counters.h"
#include "observe/span.h"
#include "stream/runner.h"

namespace hologram::stream {
namespace {

// As spans and threads are called.
const char* NameOf(Hand hand) {
  return hand == Hand::kReads ? "read" : hand == Hand::kComputes ? "compute" : "write";
}

}  // namespace

Result<Streamed> Runner::Run() {
  observe::Span span("stream", kernel_ == nullptr ? "function" : kernel_->name());
  HOLOGRAM_RETURN_IF_ERROR(Prepare());
  Line line(plan_.count, depth_);
  Work(line);
  const Streamed done = Now();
  observe::Count(observe::Counter::kStreams);
  observe::Count(observe::Counter::kWindows, done.windows);
  observe::Count(observe::Counter::kStreamedBytes, done.bytes_read + done.bytes_written);
  span.Number("windows", done.windows);
  span.Number("read", done.bytes_read);
  span.Number("written", done.bytes_written);
  span.Number("pool", done.pool_bytes);
  if (line.errors()) return *line.errors();
  HOLOGRAM_RETURN_IF_ERROR(Complete());
  return Now();
}

// The computing thread also reads, unless a source may block: the window is then in its cache, and
// two threads are as fast as three.
void Runner::Work(Line& line) {
  if (depth_ == 1 || plan_.count <= 1) return InTurn(line);
  const auto work = [&](Hand hand) {
    pthread_setname_np(pthread_self(), (std::string("hologram-") + NameOf(hand)).c_str());
    for (uint64_t k = 0; line.Begin(hand, k); ++k) Hold(line, hand, k);
  };
  const bool reads_apart = waits_ || !writes_;
  std::thread reader;
  std::thread writer;
  try {
    if (reads_apart) reader = std::thread(work, Hand::kReads);
    if (writes_) writer = std::thread(work, Hand::kWrites);
  } catch (const std::exception& error) {
    line.Fail(Hand::kReads, 0, {Error(ErrorCode::kResourceLimit, error.what())});
  }
  const auto idle = [this] { return Report(); };
  for (uint64_t k = 0;; ++k) {
    if (!reads_apart) {
      if (!line.Begin(Hand::kReads, k, idle)) break;
      Hold(line, Hand::kReads, k);
    }
    if (!line.Begin(Hand::kComputes, k, idle)) break;
    Hold(line, Hand::kComputes, k);
    if (!writes_) line.End(Hand::kWrites, k);
  }
  if (reader.joinable()) reader.join();
  if (writer.joinable()) writer.join();
}

// All on this thread.
void Runner::InTurn(Line& line) {
  for (uint64_t k = 0;; ++k) {
    for (const Hand hand : {Hand::kReads, Hand::kComputes, Hand::kWrites}) {
      if (!line.Begin(hand, k)) return;
      Hold(line, hand, k);
    }
  }
}

void Runner::Hold(Line& line, Hand hand, uint64_t k) {
  const Status status = Work(line, hand, k);
  if (!status.ok()) return line.Fail(hand, k, status.errors());
  line.End(hand, k);
}

// Its span is over before the next hand begins.
Status Runner::Work(Line& line, Hand hand, uint64_t k) {
  observe::Span span("stream", NameOf(hand));
  span.Number("window", k);
  try {
    return hand == Hand::kReads      ? Read(line, k)
           : hand == Hand::kComputes ? Compute(k)
                                     : Write(line, k);
  } catch (const std::exception& error) {
    return Error(ErrorCode::kResourceLimit, error.what());
  }
}

// What no window has written; then files appear.
Status Runner::Complete() {
  const std::atomic<bool> never{false};
  for (size_t b = 0; b < arrays_.size(); ++b) {
    if (!arrays_[b].writes || arrays_[b].extent == kUnknown) continue;
    HOLOGRAM_RETURN_IF_ERROR(WriteZeros(b, arrays_[b].extent, never));
  }
  for (const Flow& flow : request_.flows) {
    if (flow.sink != nullptr) HOLOGRAM_RETURN_IF_ERROR(flow.sink->Finish());
  }
  return Success{};
}

Streamed Runner::Now() const {
  Streamed now;
  now.elements = counters_.elements;
  now.windows = counters_.windows;
  now.bytes_read = counters_.bytes_read;
  now.bytes_written = counters_.bytes_written;
  now.pool_bytes = plan_.slot_bytes * depth_;
  now.seconds = Since(start_);
  now.reading = counters_.reading;
  now.computing = counters_.computing;
  now.writing = counters_.writing;
  return now;
}

Status Runner::Report() {
  if (kernel_ != nullptr && kernel_->cancel() != nullptr &&
      kernel_->cancel()->word()->load() != 0) {
    return launch::CancelledError(kernel_->verified());
  }
  reported_ = Clock::now();
  return request_.progress ? request_.progress(Now()) : Success{};
}

Status Runner::ReportNowAndThen() {
  constexpr double kBetween = 0.1;
  return Since(reported_) < kBetween ? Status(Success{}) : Report();
}

Result<Streamed> Run(Request request) {
  if (request.kernel != nullptr && request.flows.size() != request.kernel->num_buffers()) {
    return Error(ErrorCode::kInvalidArgument, "kernel '" + request.kernel->name() + "' expects " +
                                                  std::to_string(request.kernel->num_buffers()) +
                                                  " arrays, found " +
                                                  std::to_string(request.flows.size()));
  }
  return Runner(request).Run();
}

}  // namespace hologram::stream
