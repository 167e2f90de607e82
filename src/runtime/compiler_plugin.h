// The optional compiler: libhologram_jit.so, named by HOLOGRAM_JIT or found beside this library,
// loaded on first use and then kept. Everything that needs LLVM is behind it. Tested by
// tests/runtime and tests/cli.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/targets.h"
#include "verify/verified_program.h"

namespace hologram::runtime {

// codegen::Output, and two more objects: of the checked form (verify/checked_form.h), which has no
// bytes if that leaves nothing to the code; and an instrumented one, which counts (BlockCounters)
// and is in no cache and no bundle.
enum class CompileOutput : uint8_t {
  kObject,
  kAssembly,
  kLlvm,
  kRemarks,
  kCheckedObject,
  kInstrumentedObject
};

// Identity of the compiler's file (device, inode, size, time), part of cache keys: found without
// loading it, once. Empty if there is no such file.
const std::string& CompilerIdentity();

// True if there is a compiler. Loads it.
bool HasCompiler();
// Why there is none: the paths that were tried, or what the loader said. Empty if there is one.
const std::string& WhyNoCompiler();

// Errors: kUnsupported if there is no compiler, saying where it was looked for; what the compiler
// itself has to say. For kSm80 and kSm90 an object is PTX text. `checks`: kLeftOut makes code that
// is only right where no guarded access leaves its array, to measure what checks cost. `lines`:
// kLeftOut makes code without the lines that profilers and debuggers show, which are half of its
// size; faults are still reported by those of the program. Thread-safe.
//
// The plugin gets bytes and verifies them again: it is another library, which may come from another
// build (HOLOGRAM_JIT names any file), so no C++ object passes between them, and it makes code only
// of what it has verified itself. It does so once for all targets of a call.
enum class Checks : uint8_t { kKept, kLeftOut };
enum class DebugLines : uint8_t { kKept, kLeftOut };
Result<std::vector<uint8_t>> Compile(const verify::VerifiedProgram& program, Target target,
                                     CompileOutput output, Checks checks = Checks::kKept,
                                     DebugLines lines = DebugLines::kKept);
// The same for several targets: an output for each, in their order, or an error of the first that
// has one.
Result<std::vector<std::vector<uint8_t>>> CompileFor(const verify::VerifiedProgram& program,
                                                     std::span<const Target> targets,
                                                     CompileOutput output,
                                                     Checks checks = Checks::kKept,
                                                     DebugLines lines = DebugLines::kKept);

// The bundle, without native code, of a circuit with a header (docs/sigmatics.md) as a kernel
// called `name`. Errors as above, and those of the circuit with line and column. Thread-safe.
Result<std::vector<uint8_t>> CompileCircuit(std::string_view text, std::string_view name);

// A shared library with a function of tvm-ffi for each kernel of the bundle (docs/scale.md).
// Errors as above, and of the bundle. Thread-safe.
Result<std::vector<uint8_t>> TvmFfiLibrary(std::span<const uint8_t> bundle);

// The bundle, without native code, of the pipeline of this one in fewer launches; empty: none can
// be merged. Errors: the bundle has no pipeline, or one that is damaged. Thread-safe. REQUIRES:
// HasCompiler()
Result<std::vector<uint8_t>> MergeLaunches(std::span<const uint8_t> bundle);

// The bundle, without native code, of all kernels of a kernel JSON document (docs/kernel-json.md).
// `file` is its name in messages. Errors as above; several of the document. Thread-safe.
Result<std::vector<uint8_t>> CompileJson(std::string_view json, std::string_view file);

}  // namespace hologram::runtime
