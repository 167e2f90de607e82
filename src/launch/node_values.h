// The values of the nodes of a launch check in one launch, in 128 bits; nothing where a value does
// not fit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "launch/launch.h"

namespace hologram::launch {

using Wide = __int128;
using NodeValues = std::vector<std::optional<Wide>>;

// The least and the largest ids of a window: those of blocks, then global ones.
struct IdRanges {
  std::array<uint32_t, 6> low{};
  std::array<uint32_t, 6> high{};
};

// The value of a scalar argument of this type.
Wide ScalarOf(isa::Type type, uint64_t bits);

// `ids`: of a window; null: the nodes ask for none. REQUIRES: the launch has the buffers and the
// scalars of the program.
NodeValues ValuesOf(std::span<const verify::CheckNode> nodes, const isa::Program& program,
                    const Launch& launch, const IdRanges* ids = nullptr);

}  // namespace hologram::launch
