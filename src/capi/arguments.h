// Arguments of a launch, checked against the signature of the kernel.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "hologram/hologram.h"
#include "isa/program.h"

namespace hologram::capi {

struct BoundArguments {
  std::vector<hologram_buffer_ref> buffers;
  std::vector<uint64_t> scalars;
};

// `shapes` has one for each argument, or is null: then all arrays have one dimension. So has one
// whose shape is null. Scalars of another type are converted if the value is kept. Errors name the
// parameter, and all arguments that are wrong.
Result<BoundArguments> BindArguments(const isa::Program& program,
                                     std::span<const hologram_argument> arguments,
                                     const hologram_array_shape* const* shapes);

// Whether arguments of exactly these codes may be passed.
Status CheckCodes(const isa::Program& program, std::span<const uint32_t> codes);

}  // namespace hologram::capi
