// Values of tvm-ffi as the arguments of a launch. Tested by tests/tvmffi.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hologram/hologram.h"
#include "tvmffi/abi.h"

namespace hologram::tvmffi {

// Why a call cannot be made. `kind` is the name of an exception of Python.
struct Refusal {
  const char* kind;
  std::string message;
};

// The arguments of a launch, in parameter order; and buffers and scalars by themselves, for the
// entry of its plan.
struct Arguments {
  std::array<hologram_argument, HOLOGRAM_MAX_PARAMETERS> values;
  std::array<hologram_array_shape, HOLOGRAM_MAX_PARAMETERS> shapes;
  std::array<const hologram_array_shape*, HOLOGRAM_MAX_PARAMETERS> shape_of;
  std::array<hologram_buffer_ref, HOLOGRAM_MAX_PARAMETERS> buffers;
  std::array<uint64_t, HOLOGRAM_MAX_PARAMETERS> scalars;
  // All have the types of the plan, and one dimension.
  bool is_plain = true;
};

// Reads no memory but that which the values describe. The launch checks the rest: the range of a
// number, the dimensions of an array.
std::optional<Refusal> ReadArguments(const hologram_kernel* kernel, std::span<const Any> given,
                                     Arguments& read);

}  // namespace hologram::tvmffi
