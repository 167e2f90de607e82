// hologram run: one kernel, or a pipeline, on arrays from files.
#include <algorithm>
#include <array>
#include <optional>

#include "commands/bindings.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/launching.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "commands/report.h"
#include "commands/run_pipeline.h"
#include "commands/run_stream.h"
#include "commands/timing.h"
#include "commands/trace_file.h"
#include "launch/way.h"
#include "observe/span.h"
#include "runtime/compiler_plugin.h"

namespace hologram::tool {
namespace {

// Why the launch went another way than most, and the condition that decided; mostly empty.
std::string ReasonOf(const launch::Way& way) {
  if (way.reason.empty()) return "";
  const bool known = way.unproved && !way.unproved->condition.empty();
  return (way.native() ? "" : "interpreted: ") + way.reason +
         (known ? ": " + way.unproved->condition : "");
}

}  // namespace

int RunCommand(const Arguments& arguments) {
  const Options options = ReadOptions("run", arguments);
  if (options.positional().size() != 1) {
    throw UsageError{"expected one file, found " + std::to_string(options.positional().size())};
  }
  const auto [path, entry] =
      FileOrKernel(options.positional()[0], options.one("--entry").value_or(""));
  const bool timed = options.has("--time");
  TraceFile trace(options.one("--trace"), {path});
  if (IsBundle(path) && !options.one("--entry") && HasPipeline(path)) {
    RunPipeline(path, options);
    trace.Finish();
    return 0;
  }
  const runtime::LaunchConfig config = ConfigFrom(options);
  const bool allow_native = config.engine != launch::Engine::kInterpreter;
  StepTimes times;
  const bool streams = options.has("--stream");
  if (!streams && options.one("--window")) throw UsageError{"option --window: only with --stream"};
  const auto kernel =
      Prepare(path, entry, options.one("--expect"), allow_native, ConstantsOf(options), times);
  if (streams) {
    RunStream(kernel, options, config, timed);
    trace.Finish();
    return 0;
  }
  Bindings bindings = [&] {
    const Progress progress("reading arrays");
    const observe::Span span("user", "reading arrays");
    return Bindings(kernel->verified(), path, options);
  }();
  if (timed) bindings.KeepInitial(kernel->program());
  const launch::Way outcome = [&] {
    const Progress progress("running kernel '" + kernel->name() + "'");
    StopWatch watch;
    Result<launch::Way> result = kernel->Launch(bindings.buffers(), bindings.scalars(), config);
    times.launch = watch.Lap();
    return OrFail(std::move(result));
  }();
  {
    const Progress progress("writing arrays");
    const observe::Span span("user", "writing arrays");
    bindings.WriteOutputs();
  }
  // A machine without the plugin is no news; a kernel that the plugin does not compile is.
  if (allow_native && kernel->native() == nullptr && runtime::HasCompiler()) {
    PrintNote(Error(ErrorCode::kUnsupported, "kernel '" + kernel->name() +
                                                 "' was interpreted: " + kernel->why_not_native()));
  }
  if (allow_native && IsBundle(path)) {
    for (const std::string& note : OrFail(driver::NotesOfNativeCode(path, kernel->name()))) {
      Diagnostic said = Error(ErrorCode::kUnsupported, note);
      said.where.file = path;
      PrintNote(said);
    }
  }
  if (outcome.guarded()) PrintNote(kernel->GuardedNote(outcome));
  if (const auto note = kernel->default_launch().MissingLanes(config.shape, bindings.buffers(),
                                                              bindings.scalars())) {
    PrintNote(Error(ErrorCode::kUnsupported, *note));
  }
  if (timed) {
    PrintTimes(times, RepeatLaunch(*kernel, bindings, config),
               BytesMoved(kernel->program(), bindings.buffers()),
               (outcome.native() ? kernel->path() : "interpreter") +
                   (outcome.threads > 1 ? ", " + std::to_string(outcome.threads) + " threads" : ""),
               ReasonOf(outcome), IsBundle(path));
  }
  trace.Finish();
  return 0;
}

}  // namespace hologram::tool
