// One number of an element type, from text and to text. Tested by tests/cli/csv_test.cc and the
// golden tests.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "isa/type.h"

namespace hologram::tool {

// The bits of a scalar of type `type`: decimal or 0x for integers; decimal, inf or nan for floats,
// rounded once to the type. Errors name the range.
Result<uint64_t> ParseScalar(isa::Type type, const std::string& text);

// Appends the shortest decimal text that is the same value in the type, for 16-bit floats in f32.
// Every NaN is "nan".
void AppendScalar(std::string& text, isa::Type type, uint64_t bits);

}  // namespace hologram::tool
