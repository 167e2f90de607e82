// Kernel files of this folder -> programs, through the Python front end.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "isa/program.h"

namespace hologram::frontend {

// The JSON that `python3 -m hologram.frontend FILE` prints in this folder's `directory`; the
// interpreter is $HOLOGRAM_PYTHON if that is set. Fails the test when Python refuses the file.
std::string JsonOf(const std::string& directory, const std::string& file);

std::string ReadFile(const std::string& path);

}  // namespace hologram::frontend
