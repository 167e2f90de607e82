// The key in the code cache of an object of the compiler plugin.
#pragma once

#include <string>

#include "base/blake3.h"
#include "runtime/compiler_plugin.h"
#include "verify/verified_program.h"

namespace hologram::runtime {

// Cache key of an object: the program with its lines, the target, the compiler, and which of its
// objects it is (kObject or kCheckedObject).
Hash CodeKey(const verify::VerifiedProgram& program, Target target, const std::string& compiler,
             CompileOutput object = CompileOutput::kObject);

}  // namespace hologram::runtime
