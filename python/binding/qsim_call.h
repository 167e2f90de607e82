// Quantum circuits (src/statevector), for hologram.qsim.
#pragma once

#include <nanobind/nanobind.h>

#include "base/result.h"

namespace hologram::python {

void AddQsim(nanobind::module_& module);

// hologram.errors.make of everything that there is to say, raised (module.cc).
[[noreturn]] void Throw(const Diagnostics& errors);

}  // namespace hologram::python
