// The signature of a kernel for JavaScript: what web/hologram.js knows of a kernel, interpreted or
// compiled.
#pragma once

#include <string>

#include "isa/program.h"

namespace hologram::driver {

const char* NameOf(isa::Direction direction);

// {"name": "blur", "id": ..., "block": 256, "parameters": [{"name": "src", "buffer": true, "type":
// "f32", "code": 10, "direction": "in", "rank": 0}]}: the arguments of a launch. `code` is that of
// hologram_argument, less the two flags.
std::string SignatureJson(const isa::Program& program);

}  // namespace hologram::driver
