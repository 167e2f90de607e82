// VerifiedProgram -> native code. No LLVM type appears here; LLVM headers stay in this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/targets.h"
#include "verify/verified_program.h"

namespace hologram::codegen {

using Level = hologram::Target;

struct Options {
  Level level = Level::kX86V4;
  bool debug_lines =
      true;  // DWARF line tables with the kernel's source lines; .text does not change
  bool unchecked = false;     // for tests of cost only: guarded accesses without their checks
  bool instrumented = false;  // every lane comes to every block that it runs, and each is counted
                              // (hologram_jit_counts in plugin/code.h)
};

// The output: a relocatable object (for kSm80/kSm90: PTX text), assembly text, LLVM IR text, or
// remarks (plugin.h).
enum class Output : uint8_t { kObject, kAssembly, kLlvm, kRemarks };

// Deterministic: equal programs and options give equal bytes. Thread-safe.
Result<std::vector<uint8_t>> Compile(const verify::VerifiedProgram& program, const Options& options,
                                     Output output);

}  // namespace hologram::codegen
