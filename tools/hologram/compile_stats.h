// What --stats says about compiled kernels; the build prints it too.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/raise/circuit.h"
#include "verify/verified_program.h"

namespace hologram::tool {

// Verified programs of all files.
struct Compiled {
  std::vector<verify::VerifiedProgram> programs;
  std::vector<frontend::KernelCircuit> circuits;  // of each program
  std::vector<bool> through;                      // of each program: it was made of its circuit
  double frontend_ms = 0;
  double verify_us = 0;
};

// Of one program; 0 if it has no native code.
struct NativeSize {
  size_t v3 = 0;
  size_t v4 = 0;
};

// A line for each kernel, and their total. `sizes` is empty if nothing native was made.
void PrintStats(const Compiled& compiled, const std::vector<NativeSize>& sizes);

}  // namespace hologram::tool
