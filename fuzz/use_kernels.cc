#include "use_kernels.h"

#include <vector>

#include "base/check.h"
#include "frontend/frontend.h"
#include "sigmatics/circuit.h"
#include "use_program.h"

namespace hologram::fuzz {

Diagnostics CompileAndUse(const std::string& json) {
  // What --set-const would give to generic kernels of these names.
  std::vector<frontend::CompileTimeValue> constants = {{"R", {"2"}}, {"T", {"f32"}}};
  const Result<std::vector<frontend::CompiledKernel>> kernels =
      frontend::CompileJsonWithCircuits(json, kSourceFile, "", constants);
  for (const Diagnostic& error : kernels.errors()) {
    HOLOGRAM_CHECK(!error.message.empty());
    HOLOGRAM_CHECK(error.message.find('\n') == std::string::npos);
  }
  if (!kernels.ok()) return kernels.errors();
  for (const frontend::CompiledKernel& kernel : kernels.value()) {
    UseProgram(kernel.program);
    if (kernel.circuit.obstacle) continue;
    const sigmatics::Circuit& circuit = kernel.circuit.form.circuit;
    const auto again = sigmatics::Parse(sigmatics::Print(circuit));
    HOLOGRAM_CHECK(again.ok() && again.value() == circuit);
  }
  return {};
}

}  // namespace hologram::fuzz
