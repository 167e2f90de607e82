// The type behind hologram_bundle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/targets.h"
#include "hologram/hologram.h"

struct hologram_bundle {
  std::vector<uint8_t> bytes;
  std::string trust_hash;
};

namespace hologram::capi {

// The processors that "v3,v4" names; null: the usual ones, "none": none.
Result<std::vector<Target>> TargetsOf(const char* levels);
// A bundle as a handle.
hologram_error* GiveBundle(Result<std::vector<uint8_t>> made, hologram_bundle** bundle);

}  // namespace hologram::capi
