// What the parts of the code generator that read the word of a launch agree about (cancel.cc).
#pragma once

#include <cstdint>

namespace hologram::codegen {

// A loop that goes round at most so often, with the loops inside it, reads no word of its own.
inline constexpr uint64_t kShortRounds = 4096;

}  // namespace hologram::codegen
