#include "driver/compile.h"

#include <utility>

#include "runtime/observed_work.h"

namespace hologram::driver {

Result<Compiled> Verify(Kernels kernels) {
  Compiled compiled;
  HOLOGRAM_ASSIGN_OR_RETURN(compiled.programs, runtime::VerifyAll(std::move(kernels.programs)));
  compiled.arguments = std::move(kernels.arguments);
  compiled.circuits = std::move(kernels.circuits);
  compiled.through = std::move(kernels.through);
  return compiled;
}

}  // namespace hologram::driver
