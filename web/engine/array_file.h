// Arrays in files that the user gives to the page, by the readers of the command
// (tools/hologram/formats).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/array.h"

namespace hologram::web {

// The array of a .npy or .csv file, by the suffix of `name`; numbers of a .csv become elements of
// `type`. Everything in the file is untrusted.
Result<tool::Array> ReadArrayFile(std::span<const uint8_t> file, const std::string& name,
                                  std::string_view type);

// {"type": "f32", "shape": [2, 3]}
std::string ArrayJson(const tool::Array& array);

}  // namespace hologram::web
