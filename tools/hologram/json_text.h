// A string as JSON writes it.
#pragma once

#include <string>
#include <string_view>

namespace hologram::tool {

// With quotes. Bytes that are not valid UTF-8 become U+FFFD, so that the result is always JSON.
std::string JsonString(std::string_view text);

}  // namespace hologram::tool
