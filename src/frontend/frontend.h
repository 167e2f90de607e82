// Kernel JSON (and later its YAML and TOML twins) -> typed kernel -> Program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "isa/program.h"

namespace hologram::frontend {

// Compiles every kernel of a JSON document (docs/kernel-json.md), or only `entry` if it is not
// empty. `source_file` is used in messages when the document names none. Collects several errors.
Result<std::vector<isa::Program>> CompileJson(std::string_view json, const std::string& source_file,
                                              const std::string& entry);

}  // namespace hologram::frontend
