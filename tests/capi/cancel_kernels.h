// The kernels of cancel_test.cc, made without the public headers, whose names are others.
#pragma once

#include <cstdint>
#include <vector>

namespace hologram::test {

// A bundle of spin, data, meet, tree and wide, each with parameters x, out, m and n.
std::vector<uint8_t> CancelBundle();

}  // namespace hologram::test
