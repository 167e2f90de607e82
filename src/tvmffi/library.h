// Writes the shared library of `hologram compile --emit tvm-ffi`: a copy of the runtime
// (tvmffi/call.cc) with a bundle and a symbol __tvm_ffi_NAME for each of its kernels. Neither a
// compiler nor a linker takes part. Tested by tests/tvmffi.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace hologram::tvmffi {

// One segment is added behind the runtime:
//   entries   machine code, 32 bytes for each kernel: they pass on programs and number to the
//             ELF entry of the runtime
//   tables    dynamic symbols, their names, hashes and versions, of the runtime with the new ones
//             behind them
//   programs  Programs, the names of the kernels, the bundle (64-byte aligned), which is the
//             section that bundle::BundleInLibrary finds
// and a table of sections for tools. Errors: a bundle that cannot be read or has no kernels
// (kInvalidBundle), a kernel with a name that tvm-ffi has for itself (kInvalidArgument), more code
// than a jump reaches (kResourceLimit), a runtime that is not as src/tvmffi/CMakeLists.txt links it
// (kInternal). The same input gives the same bytes.
Result<std::vector<uint8_t>> WriteLibrary(std::span<const uint8_t> runtime,
                                          std::span<const uint8_t> bundle);

}  // namespace hologram::tvmffi
