// Contents of a bundle as JSON: `hologram inspect --json` and the manifest of `hologram compile`.
#pragma once

#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "isa/program.h"

namespace hologram::driver {

const char* NameOf(isa::Direction direction);

// {"trust_hash":...,"programs":[{"name":...,"id":...,...}]}. `programs`: all of the bundle.
std::string BundleJson(const bundle::BundleReader& reader,
                       const std::vector<isa::Program>& programs);

}  // namespace hologram::driver
