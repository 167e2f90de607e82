// Programs on their way from a front end to a file: verified once, then written as a bundle
// (runtime/native_bundle.h).
// Where they come from is in driver/source/source.h. Tested by tests/driver, tests/cli and
// tests/hardening.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "frontend/raise/circuit.h"
#include "isa/program.h"
#include "runtime/native_bundle.h"
#include "verify/verified_program.h"

namespace hologram::driver {

// Programs that are not verified yet.
struct Kernels {
  std::vector<isa::Program> programs;
  runtime::ArgumentTexts arguments;               // of those that have more than parameters
  std::vector<std::string> notes;                 // of their files, each once
  Diagnostics warnings;                           // with places
  std::vector<frontend::KernelCircuit> circuits;  // of each program
  std::vector<bool> through;                      // of each program: it was made of its circuit
};

// Verified programs of all files.
struct Compiled {
  std::vector<verify::VerifiedProgram> programs;
  runtime::ArgumentTexts arguments;               // as above
  std::vector<frontend::KernelCircuit> circuits;  // of each program
  std::vector<bool> through;                      // of each program: it was made of its circuit
};

// Errors: those of all programs.
Result<Compiled> Verify(Kernels kernels);

}  // namespace hologram::driver
