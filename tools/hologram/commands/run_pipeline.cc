#include "commands/run_pipeline.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/quote.h"
#include "bundle/bundle.h"
#include "commands/bindings.h"
#include "commands/progress.h"
#include "commands/report.h"
#include "commands/timing.h"
#include "formats/array.h"
#include "observe/span.h"
#include "pipeline/file.h"
#include "runtime/executor.h"

namespace hologram::tool {
namespace {

constexpr std::string_view kOfKernels[] = {
    "--set", "--set-const", "--grid", "--block", "--budget", "--class-base", "--nondeterministic"};

Diagnostic WrongFile(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

// The files that the options name, by the names of arrays.
std::map<std::string, std::string> FilesOf(const Options& options, std::string_view option,
                                           Diagnostics& errors) {
  std::map<std::string, std::string> given;
  for (const std::string& text : options.all(option)) {
    const NameAndValue one = SplitAssignment(option, text, "NAME=FILE");
    if (given.emplace(one.name, one.value).second) continue;
    errors.push_back(WrongFile(std::string(option) + " " + one.name + " is given twice"));
  }
  return given;
}

void CheckPipelineNames(const pipeline::Pipeline& pipeline,
                        const std::map<std::string, std::string>& given, std::string_view option,
                        pipeline::Role role, Diagnostics& errors) {
  const auto arguments = pipeline.arguments();
  std::string known;
  for (const pipeline::Array& array : arguments) {
    if (array.role == role) known += (known.empty() ? "" : ", ") + array.name;
  }
  for (const auto& [name, file] : given) {
    const auto is_it = [&](const pipeline::Array& array) {
      return array.role == role && array.name == name;
    };
    if (std::any_of(arguments.begin(), arguments.end(), is_it)) continue;
    errors.push_back(WrongFile(std::string(option) + " " + Escape(name, false) + ": pipeline " +
                               Shown(pipeline.plan().name) + " has no such " +
                               std::string(NameOf(role)) + "; it has: " + known));
  }
}

Result<Array> ReadPipelineInput(const pipeline::Array& wanted, const std::string& file) {
  HOLOGRAM_ASSIGN_OR_RETURN(Array array, ReadArray(ParsePlace(file), wanted.name, wanted.type));
  const std::string who = "--in " + wanted.name + ": " + file + " has ";
  if (array.type != FileType(wanted.type)) {
    return WrongFile(who + std::string(isa::NameOf(array.type)) + ", expected " +
                     std::string(isa::NameOf(wanted.type)));
  }
  if (array.shape != wanted.extents) {
    return WrongFile(who + "the shape " + pipeline::ShapeText(array.shape) + ", expected " +
                     pipeline::ShapeText(wanted.extents));
  }
  return array;
}

struct PipelineArguments {
  std::vector<Array> arrays;
  std::vector<hologram_buffer_ref> buffers;
  std::vector<PlacedArray> outputs;
};

// Reads inputs and makes outputs; an output that no option names is computed and not written.
PipelineArguments BindFiles(const pipeline::Pipeline& pipeline, const Options& options) {
  Diagnostics errors;
  const auto inputs = FilesOf(options, "--in", errors);
  const auto outputs = FilesOf(options, "--out", errors);
  CheckPipelineNames(pipeline, inputs, "--in", pipeline::Role::kInput, errors);
  CheckPipelineNames(pipeline, outputs, "--out", pipeline::Role::kOutput, errors);
  PipelineArguments bound;
  bound.arrays.reserve(pipeline.arguments().size());
  for (const pipeline::Array& wanted : pipeline.arguments()) {
    const bool is_input = wanted.role == pipeline::Role::kInput;
    const auto file = inputs.find(wanted.name);
    if (is_input && file == inputs.end()) {
      errors.push_back(
          WrongFile("array '" + wanted.name + "' is missing; add --in " + wanted.name + "=FILE"));
      continue;
    }
    Result<Array> array =
        is_input ? ReadPipelineInput(wanted, file->second) : MakeArray(wanted.type, wanted.extents);
    if (!array.ok()) {
      errors.push_back(array.errors()[0]);
      continue;
    }
    Array& added = bound.arrays.emplace_back(std::move(array).value());
    bound.buffers.push_back({added.bytes.data(), added.bytes.size()});
    const auto output = outputs.find(wanted.name);
    if (is_input || output == outputs.end()) continue;
    ArrayPlace place = ParsePlace(output->second);
    if (IsNpz(place.path) && place.key.empty()) place.key = wanted.name;
    if (Status status = CheckArrayFile(place.path); !status.ok()) {
      errors.push_back(WrongFile("--out " + wanted.name + ": " + status.errors()[0].message));
    }
    for (const auto& [name, from] : inputs) {
      if (CheckNotInput(place.path, {ParsePlace(from).path}).ok()) continue;
      errors.push_back(WrongFile("--out " + wanted.name + ": " + place.path + " is read for --in " +
                                 name + " and would be replaced; write to another file"));
    }
    bound.outputs.push_back({place, &added});
  }
  if (!errors.empty()) throw Failure{errors};
  return bound;
}

}  // namespace

bool HasPipeline(const std::string& path) {
  const std::vector<uint8_t> bytes = OrFail(ReadProgramFile(path));
  const Result<bundle::BundleReader> reader = bundle::BundleReader::Open(bytes);
  // What is wrong with a file, its loader says.
  return reader.ok() && reader.value().ReadPipeline().ok() &&
         !reader.value().ReadPipeline().value().empty();
}

void RunPipeline(const std::string& path, const Options& options) {
  for (const std::string_view option : kOfKernels) {
    if (!options.has(option)) continue;
    throw UsageError{path + " is a pipeline, whose launches are fixed: option " +
                     std::string(option) + " is for kernels; --entry NAME runs one of the file"};
  }
  const std::string backend = options.one("--backend").value_or("auto");
  if (backend != "auto" && backend != "interpreter") {
    throw UsageError{path + " is a pipeline: option --backend expects auto or interpreter"};
  }
  runtime::Executor executor;
  if (const auto text = options.one("--threads")) {
    OrFail(executor.SetThreads(
        static_cast<uint32_t>(std::min<uint64_t>(ParseCount("--threads", *text), UINT32_MAX))));
  }
  StopWatch watch;
  const auto pipeline = OrFail(
      pipeline::LoadFile(path, {options.one("--expect"), backend == "auto"}, executor.settings()));
  const double loaded = watch.Lap();
  PipelineArguments bound = BindFiles(*pipeline, options);
  watch.Lap();
  {
    const Progress progress("running pipeline '" + pipeline->plan().name + "'");
    OrFail(pipeline->Run(bound.buffers));
  }
  const double ran = watch.Lap();
  WriteArrays(bound.outputs);
  if (!options.has("--time")) return;
  std::fprintf(stderr, "load %.3f ms, run %.3f ms, %zu launches, %zu of them by one call\n", loaded,
               ran, pipeline->plan().steps.size(), pipeline->num_direct());
}

}  // namespace hologram::tool
