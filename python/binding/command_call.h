// The command `hologram` in the module of a wheel, which has most of its code anyhow: a program of
// its own would be a third of the wheel. Other builds have bin/hologram. Tested by
// scripts/fresh_wheels.sh.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace hologram::python {

// Gives the exit code. `own`: variables of the environment that no user has set. With the
// interpreter's lock: the process does nothing else.
int RunCommandLine(const std::vector<nanobind::bytes>& arguments,
                   const std::vector<std::string>& own);

}  // namespace hologram::python
