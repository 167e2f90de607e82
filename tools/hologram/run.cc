// hologram run: one kernel on arrays from files.
#include "backends/backend.h"
#include "base/quote.h"
#include "bindings.h"
#include "command_table.h"
#include "commands.h"
#include "load.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "runtime/compiler_plugin.h"
#include "runtime/executor.h"
#include "timing.h"

namespace hologram::tool {
namespace {

runtime::LaunchConfig ConfigFrom(const Options& options) {
  runtime::LaunchConfig config;
  if (const auto text = options.one("--grid")) config.shape.grid = ParseTriple("--grid", *text);
  if (const auto text = options.one("--block")) config.shape.block = ParseTriple("--block", *text);
  if (const auto text = options.one("--budget")) config.budget = ParseCount("--budget", *text);
  config.deterministic = !options.has("--nondeterministic");
  const std::string backend = options.one("--backend").value_or("auto");
  if (backend == "auto") return config;
  config.backend = backends::FindBackend(backend);
  if (config.backend == nullptr) {
    Fail(ErrorCode::kInvalidArgument,
         "unknown backend " + Shown(backend) + "; there are: auto, interpreter, cpu, cuda");
  }
  OrFail(config.backend->Available());
  return config;
}

// Loads the file and gets the kernel ready.
std::shared_ptr<const runtime::Kernel> Prepare(const std::string& path, const std::string& entry,
                                               const std::string& expect, bool allow_native,
                                               std::vector<frontend::CompileTimeValue> constants,
                                               StepTimes& times) {
  runtime::Executor executor;
  StopWatch watch;
  std::string name = entry;
  if (KindOf(path) == FileKind::kBundle) {
    OrFail(executor.LoadFile(path, {expect, allow_native}));
    times.front_end = watch.Lap();
    name = ChooseEntry(executor.Names(), entry, path);
  } else {
    if (!expect.empty()) {
      Fail(ErrorCode::kInvalidArgument, "--expect is for .holo files, " + path + " is none");
    }
    std::vector<isa::Program> programs = LoadPrograms(path, entry, constants);
    times.front_end = watch.Lap();
    std::vector<std::string> names;
    for (const isa::Program& program : programs) names.push_back(program.name);
    // Of a generic kernel these are its instances; one of them may be meant by the kernel's name.
    name = ChooseEntry(names, names.size() == 1 ? names[0] : "", path);
    for (isa::Program& program : programs) {
      if (program.name == name) OrFail(executor.Add(std::move(program), allow_native));
    }
    times.verify = watch.Lap();
  }
  RequireUsed(constants);
  const Progress progress("compiling kernel '" + name + "'");
  auto kernel = OrFail(executor.Find(name));
  times.compile = watch.Lap();
  return kernel;
}

}  // namespace

int RunCommand(const Arguments& arguments) {
  const Options options = ReadOptions("run", arguments);
  if (options.positional().size() != 1) {
    throw UsageError{"expected one file, found " + std::to_string(options.positional().size())};
  }
  const std::string& path = options.positional()[0];
  const bool timed = options.has("--time");
  const runtime::LaunchConfig config = ConfigFrom(options);
  const bool allow_native = config.backend != &backends::Interpreter();
  StepTimes times;
  const auto kernel =
      Prepare(path, options.one("--entry").value_or(""), options.one("--expect").value_or(""),
              allow_native, CompileTimeValuesOf(options), times);
  Bindings bindings = [&] {
    const Progress progress("reading arrays");
    return Bindings(kernel->verified(), path, options);
  }();
  if (timed) bindings.KeepInitial(kernel->program());
  const backends::Outcome outcome = [&] {
    const Progress progress("running kernel '" + kernel->name() + "'");
    StopWatch watch;
    Result<backends::Outcome> result =
        kernel->Launch(bindings.buffers(), bindings.scalars(), config);
    times.launch = watch.Lap();
    return OrFail(std::move(result));
  }();
  {
    const Progress progress("writing arrays");
    bindings.WriteOutputs();
  }
  // A machine without the plugin is no news; a kernel that the plugin does not compile is.
  if (allow_native && kernel->native() == nullptr && runtime::HasCompiler()) {
    PrintNote(Error(ErrorCode::kUnsupported, "kernel '" + kernel->name() +
                                                 "' was interpreted: " + kernel->why_not_native()));
  }
  if (outcome.guarded) PrintNote(kernel->GuardedNote(outcome));
  if (timed) {
    PrintTimes(times, RepeatLaunch(*kernel, bindings, config),
               BytesMoved(kernel->program(), bindings),
               outcome.native ? kernel->path() : "interpreter", KindOf(path) == FileKind::kBundle);
  }
  return 0;
}

}  // namespace hologram::tool
