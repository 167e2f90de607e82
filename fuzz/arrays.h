// Shared by the fuzzers of array files.
#pragma once

#include "formats/array.h"

namespace hologram::fuzz {

// The limits of an array that was read, and all of its bytes.
// Promise: it has the memory that type and shape need.
void CheckArray(const tool::Array& array);

// The same type, shape and bytes.
bool Same(const tool::Array& a, const tool::Array& b);

}  // namespace hologram::fuzz
