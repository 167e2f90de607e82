// The C++ header that is beside a bundle: its name and the hash by which the program that
// includes it trusts the file. Tested by tests/cli and tests/package.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace hologram::driver {

// Namespace NAME_kernels for a bundle in the file "NAME.holo". With `embed` also the bytes
// themselves, in static storage, and a list of their programs.
Result<std::string> BundleHeader(const std::string& bundle, std::span<const uint8_t> bytes,
                                 bool embed);

}  // namespace hologram::driver
