#include "driver/compile.h"

#include <utility>

#include "runtime/observed_work.h"

namespace hologram::driver {

Result<std::vector<verify::VerifiedProgram>> VerifyAll(std::vector<isa::Program> programs) {
  std::vector<verify::VerifiedProgram> all;
  Diagnostics errors;
  for (isa::Program& program : programs) {
    Result<verify::VerifiedProgram> verified = runtime::VerifySeen(std::move(program));
    if (verified.ok()) {
      all.push_back(std::move(verified).value());
    } else {
      errors.insert(errors.end(), verified.errors().begin(), verified.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  return all;
}

Result<Compiled> Verify(Kernels kernels) {
  Compiled compiled;
  HOLOGRAM_ASSIGN_OR_RETURN(compiled.programs, VerifyAll(std::move(kernels.programs)));
  compiled.circuits = std::move(kernels.circuits);
  compiled.through = std::move(kernels.through);
  return compiled;
}

}  // namespace hologram::driver
