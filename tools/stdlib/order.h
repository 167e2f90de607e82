// The order of programs in stdlib.holo: those with similar bytes follow each other. Wheels are
// compressed with a window of 32 KiB, in which the next operation of the same form or the next type
// of the same operation is a copy with changes (sizes: docs/release.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hologram::tool {

// The numbers of `programs`, each the bytes of one, in the order in which to write them. Equal
// input gives the same order.
std::vector<size_t> OrderBySimilarity(const std::vector<std::vector<uint8_t>>& programs);

}  // namespace hologram::tool
