// Objects of the code generator made ready for a linker. Each defines the one symbol
// `hologram_info`, which suits a loader of single kernels; in a program that links several, each
// needs a name of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace hologram::driver {

// The object with `hologram_info` called `name` instead. Errors: kInvalidBundle for bytes that are
// no ELF object with that symbol.
Result<std::vector<uint8_t>> RenameInfo(std::vector<uint8_t> object, const std::string& name);

enum class LinkKind : uint8_t { kObject, kShared };

// One object or shared library of several objects, made by the program that CC names, or cc; with
// `bundle`, if that is not empty, in the section where bundle::BundleInLibrary finds it. Fails
// if the linker does, which gives the reason on standard error.
Result<std::vector<uint8_t>> Link(const std::vector<std::vector<uint8_t>>& objects, LinkKind kind,
                                  const std::vector<uint8_t>& bundle);

}  // namespace hologram::driver
