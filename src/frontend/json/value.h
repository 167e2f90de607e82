// JSON text -> value, with bounded nesting, without exceptions and without keys that are there
// twice. Tested by tests/frontend/bad_json_test.cc.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hologram::frontend {

using Json = nlohmann::json;

// Far above the JSON of any kernel file; values in memory take some twenty times as much.
inline constexpr size_t kMaxJsonBytes = size_t{32} << 20;

// An error names line and column of the JSON text, or the limit that it exceeds.
Result<Json> ParseJson(std::string_view text, const std::string& file);

}  // namespace hologram::frontend
