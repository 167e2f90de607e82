// Where files of this installation are. Tested by tests/capi and tests/cli.
#pragma once

#include <string>

#include "base/result.h"

namespace hologram::runtime {

// The folder of the running program; empty: not known.
std::string ExecutableFolder();

// The folder of the library or program that this code is part of; empty: not known.
std::string OwnFolder();

// A path for a message: without "..".
std::string InWords(const std::string& path);

// stdlib.holo: what HOLOGRAM_STDLIB names, or in hologram/ beside the library (in ../lib/hologram
// as seen from a program in bin), or beside the program. Error: kNotFound, naming all places.
Result<std::string> FindStandardLibrary();

}  // namespace hologram::runtime
