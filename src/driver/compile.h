// Programs on their way from a front end to a file: verified once, then written as a bundle
// (runtime/native_bundle.h).
// Where they come from is in driver/source/source.h. Tested by tests/driver, tests/cli and
// tests/hardening.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/frontend.h"
#include "isa/program.h"
#include "runtime/native_bundle.h"
#include "verify/verified_program.h"

namespace hologram::driver {

using Constants = std::vector<frontend::CompileTimeValue>;

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

// A kernel of the front end becomes one of `kernels`, with what was said about it. `through`: its
// program was made of its circuit, and has parameters of its own.
void Add(frontend::CompiledKernel kernel, bool through, Kernels& kernels);
// Those of a JSON document, or of `entry` alone (frontend::CompileJson); circuits are not made.
// Sets `used` of constants.
Result<Kernels> FromJson(std::string_view json, const std::string& file, const std::string& entry,
                         Constants& constants);
// Errors: a constant that no kernel has used.
Status CheckUsed(const Constants& constants);

// Errors: those of all programs.
Result<Compiled> Verify(Kernels kernels);
// The same, and a bundle without native code.
Result<std::vector<uint8_t>> VerifiedBundle(Kernels kernels);

}  // namespace hologram::driver
