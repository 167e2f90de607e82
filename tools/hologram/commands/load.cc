#include "commands/load.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "base/quote.h"
#include "base/spelling.h"
#include "commands/progress.h"
#include "commands/report.h"
#include "driver/manifest.h"
#include "runtime/executor.h"

namespace hologram::tool {

void ThrowErrors(const std::string& messages, const Diagnostics& errors) {
  std::fwrite(messages.data(), 1, messages.size(), stderr);
  if (errors.empty()) throw AlreadyReported{};
  throw Failure{errors};
}

Diagnostic NoKernel(const std::string& what, const std::string& name,
                    const std::vector<std::string_view>& known) {
  const std::string meant = DidYouMean(name, known);
  return Error(ErrorCode::kNotFound,
               what + Shown(name) + (meant.empty() ? "; hologram kernels lists kernels" : meant));
}

KernelFile FileOrKernel(const std::string& given, const std::string& entry) {
  if (given.find_first_of("./") != std::string::npos) return {given, entry};
  runtime::Executor executor;
  executor.AddDefaultPlaces();
  const std::vector<runtime::ListedKernel> kernels = executor.List().kernels;
  std::vector<std::string_view> names;
  for (const runtime::ListedKernel& kernel : kernels) {
    if (!kernel.file.ends_with(".holo")) continue;
    if (kernel.name == given) return {kernel.file, given};
    names.push_back(kernel.name);
  }
  throw Failure{{NoKernel("there is neither a file nor a kernel ", given, names)}};
}

std::string SignatureOf(const isa::Program& program) {
  std::string text;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    text += (text.empty() ? "" : ", ") + parameter.name + ": ";
    if (parameter.is_buffer) text += std::string(driver::NameOf(parameter.direction)) + " ";
    text += isa::NameOf(parameter.type);
    if (!parameter.is_buffer) continue;
    text += "[" + std::string(parameter.rank == 0 ? 0 : parameter.rank - 1U, ',') + "]";
  }
  return text;
}

bool IsBundle(const std::string& path) {
  return OrFail(driver::KindOf(path)) == driver::FileKind::kBundle;
}

driver::Constants ConstantsOf(const Options& options) {
  constexpr const char* kShape = "NAME=VALUE or NAME=VALUE,VALUE";
  driver::Constants constants;
  for (const std::string& text : options.all("--set-const")) {
    const NameAndValue given = SplitAssignment("--set-const", text, kShape);
    const bool twice = std::any_of(constants.begin(), constants.end(), [&](const auto& constant) {
      return constant.name == given.name;
    });
    if (twice) throw UsageError{"option --set-const gives " + given.name + " twice"};
    constants.push_back({given.name, {}});
    for (size_t begin = 0, comma = 0; comma != std::string::npos; begin = comma + 1) {
      comma = given.value.find(',', begin);
      constants.back().values.push_back(given.value.substr(begin, comma - begin));
    }
  }
  return constants;
}

void RequireUsed(const driver::Constants& constants) {
  const Status used = driver::CheckUsed(constants);
  if (!used.ok()) Fail(ErrorCode::kNotFound, "--set-const: " + used.errors()[0].message);
}

driver::Kernels LoadKernels(driver::Request request, driver::Constants& constants) {
  std::optional<Progress> progress;
  request.on_step = [&](const std::string& step) {
    progress.reset();
    if (!step.empty()) progress.emplace(step);
  };
  driver::FromSource<driver::Kernels> loaded = driver::Load(request, constants);
  progress.reset();
  driver::Kernels kernels = OrThrow(std::move(loaded));
  for (const std::string& note : kernels.notes) PrintNote(Error(ErrorCode::kUnsupported, note));
  for (const Diagnostic& warning : kernels.warnings) PrintNote(warning);
  return kernels;
}

std::vector<isa::Program> LoadPrograms(const std::string& path, const std::string& entry,
                                       driver::Constants& constants) {
  driver::Request request;
  request.files = {path};
  request.source.entry = entry;
  return LoadKernels(std::move(request), constants).programs;
}

std::vector<isa::Program> LoadPrograms(const std::string& path, const std::string& entry) {
  driver::Constants constants;
  return LoadPrograms(path, entry, constants);
}

}  // namespace hologram::tool
