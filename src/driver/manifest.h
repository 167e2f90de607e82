// Contents of a bundle as JSON: `hologram inspect --json` and the manifest of `hologram compile`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "driver/signature_json.h"
#include "isa/program.h"
#include "plan/plan.h"

namespace hologram::driver {

// {"trust_hash":...,"programs":[{"name":...,"id":...,...}],"pipeline":{...}}. `programs`: all of
// the bundle; `plan`: its pipeline, if it has one.
std::string BundleJson(const bundle::BundleReader& reader,
                       const std::vector<isa::Program>& programs,
                       const std::optional<pipeline::Plan>& plan = std::nullopt);

}  // namespace hologram::driver
