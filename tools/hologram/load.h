// Kernel files of every kind, by the suffix of the name: .py .json .hasm .holo.
#pragma once

#include <string>
#include <vector>

#include "isa/program.h"

namespace hologram::tool {

enum class FileKind : uint8_t { kPython, kJson, kAssembly, kBundle };

// Fails for another suffix.
FileKind KindOf(const std::string& path);

// The programs of a file; with `entry`, only the one of that name. Not verified. Throws Failure or
// AlreadyReported.
std::vector<isa::Program> LoadPrograms(const std::string& path, const std::string& entry);

// The one of `names` that `entry` says, or the only one there is. Throws Failure.
std::string ChooseEntry(const std::vector<std::string>& names, const std::string& entry,
                        const std::string& path);

}  // namespace hologram::tool
