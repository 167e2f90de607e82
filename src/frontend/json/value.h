// JSON text -> value, with bounded nesting, without exceptions and without keys that are there
// twice. Tested by tests/frontend/bad_json_test.cc.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hologram::frontend {

using Json = nlohmann::json;

// An error names line and column of the JSON text.
Result<Json> ParseJson(std::string_view text, const std::string& file);

}  // namespace hologram::frontend
