// Native code for the programs of a bundle, made side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/bundle.h"
#include "verify/verified_program.h"

namespace hologram::tool {

// Of one program, by level; or why there is none.
struct NativeForms {
  std::vector<uint8_t> v3;
  std::vector<uint8_t> v4;
  Diagnostics errors;
};

// One for each program, in their order, made by as many threads as the process may use. With
// `cache`, a folder, what was compiled before is taken from there and what is new is kept there.
// Throws Failure if the folder cannot be used.
std::vector<NativeForms> MakeNativeCode(const std::vector<verify::VerifiedProgram>& programs,
                                        const std::optional<std::string>& cache);

}  // namespace hologram::tool
