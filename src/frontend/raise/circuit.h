// A checked kernel -> the circuit that computes the same, if there is one (docs/sigmatics.md
// describes which kernels those are). Found in the body, never by the kernel's name: each lane
// computes the element of its number, guarded by the number of elements, from the elements of that
// number of the arrays and from scalars, or the lanes of a block fold rows (kernel_rows.h). Locals,
// helpers, branches and loops of a known count dissolve into values. Tested by
// tests/kernels/circuits.py, row_kernels.py and equal_test.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "frontend/ast.h"
#include "frontend/check/checker.h"
#include "isa/program.h"
#include "sigmatics/canonical.h"

namespace hologram::frontend {

// Operations of a kernel when its loops are unrolled and its helpers written in place.
inline constexpr size_t kMaxCircuitOperations = 4096;
// Statements then, each side of a condition that may return up to the end of the function.
inline constexpr size_t kMaxCircuitStatements = 65536;
inline constexpr int kMaxCircuitConditions = 256;  // around a statement

struct KernelCircuit {
  std::string name;
  std::string source_file;
  // Why the kernel is not a circuit, and where; what follows is empty then.
  std::optional<Diagnostic> obstacle;
  sigmatics::Canonical form;
  std::vector<isa::Parameter> parameters;  // of the kernel, in its order
  // Parameter k of the circuit (its inputs, its outputs that are not inputs, its size) is
  // parameters[order[k]].
  std::vector<size_t> order;
  uint32_t default_block = 0;
  // Of rows: a block of another number of lanes is a fault. Kernels in Python do not check it.
  bool checks_lanes = false;
};

// Which circuits are made: none, canonical ones, or those that have every operation as it is
// written, which are there to be read.
enum class Circuits : uint8_t { kNone, kCanonical, kAsWritten };

// REQUIRES: the kernel was checked without errors, and `circuits` are not none.
KernelCircuit CircuitOfKernel(const Kernel& kernel, const CheckedKernel& checked,
                              const std::string& file, Circuits circuits = Circuits::kCanonical);

// The program of the canonical circuit under the kernel's signature: the same parameters in the
// same order. Equal circuits and signatures give equal programs. REQUIRES: no obstacle.
Result<isa::Program> CompileKernelCircuit(const KernelCircuit& circuit);

}  // namespace hologram::frontend
