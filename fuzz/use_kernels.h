// What fuzzers of kernel source do with the JSON that they have or made.
#pragma once

#include <string>

#include "base/result.h"

namespace hologram::fuzz {

inline constexpr char kSourceFile[] = "fuzz.kernel";

// Compiles a kernel document and uses its programs; returns the errors.
// Promises: every error is one line; programs are as use_program.h says; the circuit of a kernel
// survives printing.
Diagnostics CompileAndUse(const std::string& json);

}  // namespace hologram::fuzz
