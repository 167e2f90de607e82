#include "driver/compile.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/observed_work.h"

namespace hologram::driver {

void Add(frontend::CompiledKernel kernel, bool through, Kernels& kernels) {
  if (!kernel.arguments.empty() && !through) {
    kernels.arguments[kernel.program.name] = std::move(kernel.arguments);
  }
  std::move(kernel.warnings.begin(), kernel.warnings.end(), std::back_inserter(kernels.warnings));
  kernels.programs.push_back(std::move(kernel.program));
  kernels.circuits.push_back(std::move(kernel.circuit));
  kernels.through.push_back(through);
}

Result<Kernels> FromJson(std::string_view json, const std::string& file, const std::string& entry,
                         Constants& constants) {
  HOLOGRAM_ASSIGN_OR_RETURN(
      std::vector<frontend::CompiledKernel> compiled,
      frontend::CompileJsonWithCircuits(json, file, entry, constants, frontend::Circuits::kNone));
  Kernels kernels;
  for (frontend::CompiledKernel& kernel : compiled) Add(std::move(kernel), false, kernels);
  return kernels;
}

Status CheckUsed(const Constants& constants) {
  const auto unused = std::find_if(constants.begin(), constants.end(),
                                   [](const auto& constant) { return !constant.used; });
  if (unused == constants.end()) return Success{};
  return Error(ErrorCode::kNotFound,
               "no kernel has a compile-time parameter or type variable '" + unused->name + "'");
}

Result<Compiled> Verify(Kernels kernels) {
  Compiled compiled;
  HOLOGRAM_ASSIGN_OR_RETURN(compiled.programs, runtime::VerifyAll(std::move(kernels.programs)));
  compiled.arguments = std::move(kernels.arguments);
  compiled.circuits = std::move(kernels.circuits);
  compiled.through = std::move(kernels.through);
  return compiled;
}

Result<std::vector<uint8_t>> VerifiedBundle(Kernels kernels) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Compiled compiled, Verify(std::move(kernels)));
  return runtime::BundleOf(compiled.programs, {}, {}, {}, compiled.arguments);
}

}  // namespace hologram::driver
