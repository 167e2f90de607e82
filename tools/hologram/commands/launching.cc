#include "commands/launching.h"

#include "base/quote.h"
#include "commands/load.h"
#include "commands/progress.h"
#include "commands/report.h"
#include "engines/engine.h"
#include "isa/atlas.h"
#include "runtime/executor.h"

namespace hologram::tool {

uint32_t ThreadsFrom(const std::string& text) {
  const uint64_t threads = ParseCount("--threads", text);
  if (threads < 1 || threads > runtime::kMaxThreads) {
    Fail(ErrorCode::kInvalidArgument,
         "--threads: expected 1 to " + std::to_string(runtime::kMaxThreads) + ", found " + text);
  }
  return static_cast<uint32_t>(threads);
}

runtime::LaunchConfig ConfigFrom(const Options& options) {
  runtime::LaunchConfig config;
  config.shape.caller = launch::Caller::kCommand;
  if (const auto text = options.one("--grid")) config.shape.grid = ParseTriple("--grid", *text);
  if (const auto text = options.one("--block")) config.shape.block = ParseTriple("--block", *text);
  if (const auto text = options.one("--budget")) config.budget = ParseCount("--budget", *text);
  if (const auto text = options.one("--threads")) config.threads = ThreadsFrom(*text);
  if (const auto text = options.one("--class-base")) {
    const uint64_t base = ParseCount("--class-base", *text);
    if (base >= isa::kNumClasses) {
      Fail(ErrorCode::kInvalidArgument, "--class-base: expected 0 to " +
                                            std::to_string(isa::kNumClasses - 1) + ", found " +
                                            *text);
    }
    config.class_base = static_cast<uint32_t>(base);
  }
  config.deterministic = !options.has("--nondeterministic");
  const std::string backend = options.one("--backend").value_or("auto");
  const std::optional<launch::Engine> engine = launch::FindEngine(backend);
  if (!engine) {
    Fail(ErrorCode::kInvalidArgument,
         "unknown backend " + Shown(backend) + "; there are: auto, interpreter, cpu, cuda, opencl");
  }
  config.engine = *engine;
  OrFail(engines::CheckAvailable(config.engine));
  return config;
}

std::shared_ptr<const runtime::Kernel> Prepare(const std::string& path, const std::string& entry,
                                               const std::optional<std::string>& expect,
                                               bool allow_native, driver::Constants constants,
                                               StepTimes& times) {
  runtime::Executor executor;
  StopWatch watch;
  std::string name = entry;
  if (IsBundle(path)) {
    OrFail(executor.LoadFile(path, {expect, allow_native}));
    times.front_end = watch.Lap();
    name = OrFail(driver::ChooseEntry(executor.Names(), entry, path));
  } else {
    if (expect) {
      Fail(ErrorCode::kInvalidArgument, "--expect is for .holo files, " + path + " is none");
    }
    std::vector<isa::Program> programs = LoadPrograms(path, entry, constants);
    times.front_end = watch.Lap();
    std::vector<std::string> names;
    for (const isa::Program& program : programs) names.push_back(program.name);
    // Of a generic kernel these are its instances; one of them may be meant by the kernel's name.
    name = OrFail(driver::ChooseEntry(names, names.size() == 1 ? names[0] : "", path));
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

std::shared_ptr<const runtime::Kernel> PrepareProgram(isa::Program program, bool allow_native) {
  runtime::Executor executor;
  const std::string name = program.name;
  const Progress progress("compiling kernel '" + name + "'");
  OrFail(executor.Add(std::move(program), allow_native));
  return OrFail(executor.Find(name));
}

}  // namespace hologram::tool
