// The command `hologram` in the module of a wheel, which has most of its code anyhow: a program of
// its own would be a third of the wheel. Other builds have bin/hologram. Tested by
// scripts/fresh_wheels.sh.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

namespace hologram::python {

// Gives the exit code. With the interpreter's lock: the process does nothing else.
int RunCommandLine(const std::vector<nanobind::bytes>& arguments);

}  // namespace hologram::python
