// Bundles inside of shared libraries: `hologram compile --emit so` puts the programs into a section
// of the library, so that it can be inspected, verified and run as a bundle. Tested by
// tests/isa/bundle_test.cc and tests/cli.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"

namespace hologram::bundle {

inline constexpr char kBundleSection[] = ".hologram";

// Whether the bytes are those of an ELF file.
bool IsLibrary(std::span<const uint8_t> file);

// The bytes of its section. Errors: kInvalidBundle for a file that is not whole, not of 64 bits and
// little-endian, or has no such section. REQUIRES: IsLibrary(file)
Result<std::span<const uint8_t>> BundleInLibrary(std::span<const uint8_t> file);

}  // namespace hologram::bundle
