// Kernels as one WebAssembly file, for web/hologram.js (docs/webassembly.md): the code, the same
// with fused multiply-adds of the host, the programs as a bundle, and a description of both.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "verify/verified_program.h"

namespace hologram::driver {

struct WasmFile {
  std::vector<uint8_t> bytes;
  Diagnostics notes;  // why a kernel of the file has no code
};

// `done`, which may be null, counts programs that are compiled. Errors: kUnsupported without a
// compiler plugin, or if no kernel has code.
Result<WasmFile> MakeWasm(std::span<const verify::VerifiedProgram> programs,
                          std::atomic<uint64_t>* done);

}  // namespace hologram::driver
