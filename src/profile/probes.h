// The limits of the machine, measured in a few tenths of a second: the roofs that a launch is
// compared with. On one thread. Tested by tests/profile.
#pragma once

#include <cstdint>

namespace hologram::profile {

// Bytes a second of c[i] = a[i] + b[i] in f32 with plain stores, the three arrays being `bytes`
// together (at most 192 MiB are used): median of several runs after a warm one. 0: no memory.
double ProbeBandwidth(uint64_t bytes);

// Operations a second on floats of 32 or 64 bits: a fused multiply-add, which counts as two, of the
// widest vectors of the machine; where it has none a product and a sum.
double ProbeArithmetic(uint32_t bits);

}  // namespace hologram::profile
