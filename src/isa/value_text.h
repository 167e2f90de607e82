// A value of an element type as text: for what kernels print and for messages about faults.
#pragma once

#include <cstdint>
#include <string>

#include "isa/type.h"

namespace hologram::isa {

// "498", "-0.5". `bits` are the low bits of a register. A float is the shortest decimal number that
// is read back as the same value of its type, written as Python and NumPy write it: "1.0", "0.1",
// "1e+16", "1e-05", "inf", "nan". Tested by tests/isa/value_text_test.cc.
std::string ValueText(Type type, uint64_t bits);

}  // namespace hologram::isa
