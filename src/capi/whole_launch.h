// The arguments of a launch on whole arrays, of which only a part is in memory: for windows and
// streams.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "capi/arguments.h"
#include "capi/kernel_handle.h"
#include "runtime/kernel.h"

namespace hologram::capi {

struct WholeLaunch {
  const runtime::Kernel* program = nullptr;
  runtime::LaunchConfig config;
  std::vector<hologram_argument> arguments;
  BoundArguments bound;                     // its buffers have no memory
  std::vector<hologram_buffer_ref> memory;  // as it was given, by buffer
};

// The bytes of an element by the code of an argument; 1 for types that there are not.
uint64_t SizeOfElement(uint32_t code);

// Lengths are those of `extent`, which has one for each buffer among the arguments, whatever bytes
// these have. Errors: kUnsupported for a library, and those of BindArguments.
Status BindWhole(const hologram_kernel& kernel, const hologram_argument* arguments,
                 const hologram_array_shape* const* shapes, size_t count,
                 const hologram_launch_config* config, const uint64_t* extent, WholeLaunch& whole);

// Of memory that counts: an address, if it has bytes.
Status CheckMemory(const isa::Parameter& parameter, const isa::Program& program,
                   const hologram_buffer_ref& memory);
Status CheckMemory(const runtime::Kernel& kernel, std::span<const hologram_buffer_ref> memory);

}  // namespace hologram::capi
