#include "observe/trace.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "base/files.h"
#include "base/fork_gate.h"
#include "observe/chrome_trace.h"
#include "observe/rings.h"
#include "observe/span.h"

namespace hologram::observe {

std::atomic<bool> is_tracing{false};

namespace {

struct Session {
  std::string path;  // as it was said, for messages; empty: for `take`
  std::string file;  // the same wherever the process goes
  std::function<void(const TracedSpan&)> take;
  Timeline timeline;
  pid_t process = 0;
  TraceSummary summary;
};

LongMutex mutex;  // a callback of the application runs while it is held
std::optional<Session> session;
void (*changed)(bool) = nullptr;

void Switch(bool on) {
  is_tracing.store(on, std::memory_order_seq_cst);
  if (changed != nullptr) changed(on);
}

Diagnostic NoTrace() {
  return Error(ErrorCode::kInvalidArgument, "no trace runs");
}

// With the mutex held. In a child of fork there is none, whatever its parent had.
bool IsRunning() {
  return session && session->process == getpid();
}

Status Start(Session made) {
  const std::lock_guard lock(mutex);
  if (IsRunning()) {
    return Error(ErrorCode::kInvalidArgument, session->path.empty()
                                                  ? "a trace runs already"
                                                  : "a trace runs already, for " + session->path);
  }
  if (!made.path.empty()) {
    HOLOGRAM_RETURN_IF_ERROR(WriteFile(made.file, BytesOf(ChromeTrace().Finish(0))));
  }
  ForgetSpans();
  made.process = getpid();
  [[maybe_unused]] static const bool chosen = (SetSource(HostSource()), true);
  made.timeline = Timeline(Timeline::Read());
  session = std::move(made);
  Switch(true);
  return Success{};
}

}  // namespace

void OnTracing(void (*function)(bool)) {
  changed = function;
}

Status StartTrace(const std::string& path) {
  if (path.empty()) return Error(ErrorCode::kInvalidArgument, "the name of the trace is empty");
  Session made;
  made.path = path;
  std::error_code failed;  // without a folder to be in, the name as it is
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  made.file = failed ? path : absolute.string();
  return Start(std::move(made));
}

Status StartTrace(std::function<void(const TracedSpan&)> take) {
  Session made;
  made.take = std::move(take);
  return Start(std::move(made));
}

namespace {

// With the mutex held. `over`: no more spans come.
void GiveOut(bool over, const std::function<void(const TracedSpan&)>& take) {
  session->timeline.Add(Timeline::Read());
  session->summary.dropped += TakeSpans(session->timeline, !over, [&](const TracedSpan& span) {
    ++session->summary.spans;
    take(span);
  });
}

}  // namespace

Status FlushTrace() {
  const std::lock_guard lock(mutex);
  if (!IsRunning()) return NoTrace();
  if (session->path.empty()) GiveOut(false, session->take);
  return Success{};
}

Result<TraceSummary> StopTrace() {
  const std::lock_guard lock(mutex);
  if (!IsRunning()) return NoTrace();
  Switch(false);
  // What is thrown meanwhile must not leave a trace that runs and is not written.
  struct Clear {
    ~Clear() { session.reset(); }
  } clear;
  if (session->path.empty()) {
    GiveOut(true, session->take);
    return session->summary;
  }
  ChromeTrace file;
  GiveOut(true, [&](const TracedSpan& span) { file.Add(span); });
  const std::string text = file.Finish(session->summary.dropped);
  HOLOGRAM_RETURN_IF_ERROR(WriteFile(session->file, BytesOf(text)));
  return session->summary;
}

namespace {

// Of the trace that the environment asked for: nobody is left to take an error.
void StopAtExit() {
  try {
    const Result<TraceSummary> stopped = StopTrace();
    if (stopped.ok()) return;
    const Diagnostic& error = stopped.errors()[0];
    if (error.message == NoTrace().message) return;  // stopped before, or a child of fork
    std::fprintf(stderr, "hologram: error: %s\n", error.message.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hologram: error: the trace is not written: %s\n", error.what());
  }
}

}  // namespace

Status StartTraceOfEnvironment() {
  static const Status started = []() -> Status {
    const char* path = ReadNonEmpty(Variable::kTrace);
    if (path == nullptr) return Success{};
    HOLOGRAM_RETURN_IF_ERROR(StartTrace(path));
    std::atexit(StopAtExit);
    return Success{};
  }();
  return started;
}

}  // namespace hologram::observe
