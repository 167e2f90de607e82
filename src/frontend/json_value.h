// JSON text -> value, with bounded nesting and without exceptions.
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
