// The use of kernel JSON by the fuzzers that read or make it.
#pragma once

#include <string>

#include "base/result.h"

namespace hologram::fuzz {

inline constexpr char kSourceFile[] = "fuzz.kernel";

// Compiles a kernel document and uses its programs; returns the errors.
// Promises: every error is one line; programs keep the promises of use_program.h; the circuit of a
// kernel survives printing.
Diagnostics CompileAndUse(const std::string& json);

}  // namespace hologram::fuzz
