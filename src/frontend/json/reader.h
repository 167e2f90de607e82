// Kernel JSON -> syntax tree. Strict: an unknown node, a missing field or a value of the wrong kind
// is an error that names its JSON path. Any bytes may come in: nesting, sizes and numbers are
// bounded. Accepts versions 1.1 and 1.0 (docs/kernel-json.md). Tested by tests/frontend.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/ast.h"

namespace hologram::frontend {

Result<std::vector<Document>> ReadJson(std::string_view json, const std::string& source_file);

}  // namespace hologram::frontend
