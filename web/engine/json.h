// The answers of the module to the page, as JSON.
#pragma once

#include <string>

#include "base/result.h"
#include "launch/launch.h"
#include "launch/way.h"

namespace hologram::web {

// [{"code": 6, "message": ..., "text": "blur.py:12:18: error: ...", "file": "blur.py", "line": 12,
// "column": 18}]; the fields are those of hologram_error (hologram.h).
std::string ErrorsJson(const Diagnostics& errors);
// {"grid": [3, 1, 1], "block": [256, 1, 1], "proved": true}
std::string DecisionJson(const hologram_launch_shape& shape, bool proved);
// {"engine": "interpreter", "reason": ..., "condition": ..., "checked": false, "grid": [3, 1, 1],
// "block": [256, 1, 1], "prints": ...}, as hologram_last_launch.
std::string LaunchJson(const launch::Way& way, const hologram_launch_shape& shape,
                       const std::string& prints);

}  // namespace hologram::web
