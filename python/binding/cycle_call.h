// The cycle model (src/cycle768), for hologram.cycle768.
#pragma once

#include <nanobind/nanobind.h>

namespace hologram::python {

void AddCycle(nanobind::module_& module);

}  // namespace hologram::python
