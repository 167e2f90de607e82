#include "commands/trace_file.h"

#include <utility>

#include "base/files.h"
#include "base/quote.h"
#include "commands/report.h"
#include "observe/trace.h"

namespace hologram::tool {
namespace {

void NoteDropped(const std::string& path, const observe::TraceSummary& summary) {
  if (summary.dropped == 0) return;
  Diagnostic note =
      Error(ErrorCode::kResourceLimit, Counted(summary.dropped, "span") + " of " +
                                           std::to_string(summary.spans + summary.dropped) +
                                           " found no room and are not in the trace");
  note.where.file = path;
  PrintNote(note);
}

}  // namespace

TraceFile::TraceFile(std::optional<std::string> path, const std::vector<std::string>& inputs) {
  if (!path) return;
  OrFail(CheckNotInput(*path, inputs));
  OrFail(observe::StartTrace(*path));
  path_ = std::move(path);
}

TraceFile::~TraceFile() {
  if (!path_) return;
  const Result<observe::TraceSummary> stopped = observe::StopTrace();
  if (stopped.ok()) {
    NoteDropped(*path_, stopped.value());
  } else {
    PrintErrors(stopped.errors());
  }
}

void TraceFile::Finish() {
  if (!path_) return;
  const std::string path = *std::exchange(path_, std::nullopt);
  NoteDropped(path, OrFail(observe::StopTrace()));
}

}  // namespace hologram::tool
