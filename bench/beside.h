// The bundles of this program, as bytes: for groups that look behind the C++ API.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hologram::bench {

// The file of this name beside the program; empty if there is none.
std::vector<uint8_t> BundleBeside(const std::string& name);

}  // namespace hologram::bench
