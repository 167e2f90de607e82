// Kernel JSON -> typed kernel -> Program. YAML and TOML documents become JSON before
// (docs/kernel-json.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/raise/circuit.h"
#include "isa/program.h"

namespace hologram::frontend {

// The values of a compile-time parameter (`R: constexpr`), as text: one instance for each. Of a
// type variable: the types that are wanted.
struct CompileTimeValue {
  std::string name;
  std::vector<std::string> values;
  bool used = false;  // set when a kernel has such a parameter or variable
};

// A kernel as it is written, and the circuit that computes the same, or why there is none.
struct CompiledKernel {
  isa::Program program;
  KernelCircuit circuit;
  std::string arguments;  // what Python callers give; empty: the parameters (docs/kernel-json.md)
  std::string note;       // of its document; mostly empty
  Diagnostics warnings;   // what is right by the rules and hardly meant, with places
};

// Compiles every kernel of a JSON document (docs/kernel-json.md), or only `entry` if it is not
// empty: a kernel, in all its instances, or one instance. `source_file` is used in messages when
// the document names none. Collects several errors.
Result<std::vector<isa::Program>> CompileJson(std::string_view json, const std::string& source_file,
                                              const std::string& entry,
                                              std::vector<CompileTimeValue>& constants);
// The same, with circuits and notes; or with notes alone.
Result<std::vector<CompiledKernel>> CompileJsonWithCircuits(
    std::string_view json, const std::string& source_file, const std::string& entry,
    std::vector<CompileTimeValue>& constants, Circuits circuits = Circuits::kCanonical);
// The same without values.
Result<std::vector<isa::Program>> CompileJson(std::string_view json, const std::string& source_file,
                                              const std::string& entry);

}  // namespace hologram::frontend
