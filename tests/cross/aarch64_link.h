// An object of the code generator for AArch64, linked by lld to run where the driver has it.
#pragma once

#include <vector>

#include "emulator.h"

namespace hologram::tests::cross {

Result<Image> Link(const std::vector<uint8_t>& object);

}  // namespace hologram::tests::cross
