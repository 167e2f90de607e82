// The parameters of a kernel library (hologram/kernel_library.h), which cannot be derived from
// its code: read from the text that it exports, and used to check and pack the arguments of a
// launch. Tested by tests/runtime/kernel_library_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hologram/native_abi.h"
#include "isa/program.h"

namespace hologram::runtime {

// A number times scalars.
struct ExtentTerm {
  uint64_t factor = 1;
  std::vector<size_t> scalars;  // numbers of parameters
};

struct LibrarySignature {
  isa::Program program;                          // its name and parameters; no code
  std::vector<std::vector<ExtentTerm>> extents;  // of each parameter; empty: a scalar
};

// Reads "a: f32, x: in f32[n], y: out f32[2*n+1], n: u32". Errors give the column.
Result<LibrarySignature> ParseLibrarySignature(const std::string& name, std::string_view text);

// Arguments of execute: values in the order of the parameters, each at a multiple of its size.
// REQUIRES here and below: counts of buffers and scalars fit the signature.
std::vector<uint8_t> PackParameters(const LibrarySignature& signature,
                                    std::span<const hologram_buffer_ref> buffers,
                                    std::span<const uint64_t> scalars);

// Sizes and alignment of the buffers; none that is written may overlap another one.
Status CheckBuffers(const LibrarySignature& signature, std::span<const hologram_buffer_ref> buffers,
                    std::span<const uint64_t> scalars);

}  // namespace hologram::runtime
