// hologram draw: a kernel, a circuit or a pipeline as a picture.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/quote.h"
#include "bundle/bundle.h"
#include "commands/bindings.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/launching.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "commands/report.h"
#include "commands/run_pipeline.h"
#include "drawing/drawing.h"
#include "pipeline/file.h"
#include "profile/profile.h"

namespace hologram::tool {
namespace {

enum class Form : uint8_t { kFlow, kWalk, kCircuit, kPipeline };

// As --as says; else what the file is.
Form FormOf(const std::string& path, const Options& options) {
  if (const auto as = options.one("--as")) {
    if (*as == "flow") return Form::kFlow;
    if (*as == "walk") return Form::kWalk;
    if (*as == "circuit") return Form::kCircuit;
    if (*as == "pipeline") return Form::kPipeline;
    Fail(ErrorCode::kInvalidArgument,
         "--as: expected flow, walk, circuit or pipeline, found " + Shown(*as));
  }
  if (path.ends_with(".circuit")) return Form::kCircuit;
  const bool pipeline = IsBundle(path) && !options.one("--entry") && HasPipeline(path);
  return pipeline ? Form::kPipeline : Form::kFlow;
}

// A launch on these arguments.
launch::Launch LaunchOf(const runtime::Kernel& kernel, const Bindings& bindings,
                        const Options& options) {
  const runtime::LaunchConfig config = ConfigFrom(options);
  launch::Launch launch;
  launch.buffers = bindings.buffers();
  launch.scalars = bindings.scalars();
  launch.shape =
      OrFail(kernel.default_launch().Resolve(config.shape, bindings.buffers(), bindings.scalars()));
  const launch::LaunchTier tier = OrFail(launch::CheckLaunch(kernel.verified(), launch));
  launch.guarded = tier != launch::LaunchTier::kProved;
  return launch;
}

// Counts of a launch, where arguments of one are given.
std::optional<profile::LaunchCounts> CountsOf(const runtime::Kernel& kernel,
                                              const std::string& path, const Options& options) {
  if (options.all("--in").empty() && options.all("--out").empty()) return std::nullopt;
  const Bindings bindings(kernel.verified(), path, options);
  const launch::Launch launch = LaunchOf(kernel, bindings, options);
  const Progress progress("counting kernel '" + kernel.name() + "'");
  return OrFail(profile::CountLaunch(kernel.verified(), launch));
}

std::string Flow(const std::string& path, const std::string& entry, const Options& options) {
  StepTimes times;
  const auto kernel = Prepare(path, entry, {}, false, ConstantsOf(options), times);
  const auto counts = CountsOf(*kernel, path, options);
  profile::Sources sources;
  return OrFail(drawing::DrawFlow(kernel->verified(), sources, counts ? &*counts : nullptr));
}

std::string Walk(const std::string& path, const std::string& entry, const Options& options) {
  StepTimes times;
  const auto kernel = Prepare(path, entry, {}, false, ConstantsOf(options), times);
  const Bindings bindings(kernel->verified(), path, options);
  std::vector<std::vector<uint64_t>> shapes;
  for (size_t k = 0; k < bindings.buffers().size(); ++k) shapes.push_back(bindings.array(k).shape);
  const launch::Launch launch = LaunchOf(*kernel, bindings, options);
  const Progress progress("walking through kernel '" + kernel->name() + "'");
  return OrFail(drawing::DrawWalk(kernel->verified(), launch, shapes));
}

// A circuit file needs no header for this.
std::string CircuitOfFile(const std::string& path) {
  const std::vector<uint8_t> bytes = OrFail(ReadFile(path, kMaxSourceBytes));
  const auto parsed =
      sigmatics::Parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  const auto failed = [&](const sigmatics::CircuitError& error) {
    Fail(ErrorCode::kInvalidText, path + ":" + std::to_string(error.column) + ": " +
                                      std::string(sigmatics::NameOf(error.kind)) + ": " +
                                      error.message);
  };
  if (!parsed.ok()) failed(parsed.error());
  const auto canonical = sigmatics::CanonicalForm(parsed.value(), sigmatics::Mode::kMemory);
  if (!canonical.ok()) failed(canonical.error());
  return OrFail(drawing::DrawCircuit(canonical.value(), path));
}

std::string CircuitOf(const std::string& path, const std::string& entry, const Options& options) {
  if (path.ends_with(".circuit")) return CircuitOfFile(path);
  driver::Constants constants = ConstantsOf(options);
  driver::Request request;
  request.files = {path};
  request.source.entry = entry;
  request.source.circuits = true;
  const driver::Kernels kernels = LoadKernels(std::move(request), constants);
  RequireUsed(constants);
  std::vector<std::string> names;
  for (const isa::Program& program : kernels.programs) names.push_back(program.name);
  const std::string name =
      OrFail(driver::ChooseEntry(names, names.size() == 1 ? names[0] : "", path));
  for (const frontend::KernelCircuit& circuit : kernels.circuits) {
    if (circuit.name == name) return OrFail(drawing::DrawCircuit(circuit));
  }
  Fail(ErrorCode::kNotFound, path + ": no circuit of kernel '" + name + "'");
}

std::string PipelineOf(const std::string& path) {
  OrFail(driver::CheckBundle(path));
  const std::vector<isa::Program> programs = LoadPrograms(path, "");
  const std::vector<uint8_t> bytes = OrFail(ReadProgramFile(path));
  const bundle::BundleReader reader = OrFail(bundle::BundleReader::Open(bytes));
  const std::optional<pipeline::Plan> plan = OrFail(pipeline::ReadPlan(reader));
  if (!plan) Fail(ErrorCode::kNotFound, path + " has no pipeline");
  std::vector<const isa::Program*> kernels;
  for (const isa::Program& program : programs) kernels.push_back(&program);
  OrFail(pipeline::CheckFlow(*plan, kernels));
  return OrFail(drawing::DrawPipeline(*plan, kernels));
}

}  // namespace

int DrawCommand(const Arguments& arguments) {
  const Options options = ReadOptions("draw", arguments);
  if (options.positional().size() != 1) {
    throw UsageError{"expected one file, found " + std::to_string(options.positional().size())};
  }
  const auto [path, entry] =
      FileOrKernel(options.positional()[0], options.one("--entry").value_or(""));
  const std::optional<std::string> output = options.one("-o");
  if (output) {
    OrFail(CheckNotInput(*output, {path}));
    if (!output->ends_with(".svg")) {
      throw UsageError{"option -o: expected a name that ends with .svg, found " + Shown(*output)};
    }
  }
  std::string svg;
  switch (FormOf(path, options)) {
    case Form::kFlow:
      svg = Flow(path, entry, options);
      break;
    case Form::kWalk:
      svg = Walk(path, entry, options);
      break;
    case Form::kCircuit:
      svg = CircuitOf(path, entry, options);
      break;
    case Form::kPipeline:
      svg = PipelineOf(path);
      break;
  }
  if (output) {
    OrFail(WriteFile(*output, BytesOf(svg)));
  } else {
    std::fputs(svg.c_str(), stdout);
  }
  return 0;
}

}  // namespace hologram::tool
