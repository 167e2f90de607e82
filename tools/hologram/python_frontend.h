// The Python front end as a child process: reads a kernel file, gives the kernel JSON.
#pragma once

#include <string>

#include "base/result.h"

namespace hologram::tool {

// What a child that has already written its own messages to standard error ended with.
struct AlreadyReported {
  std::string rest;  // the JSON of kernels in which it found nothing wrong; empty: there are none
};

// The JSON for `path`, or for one kernel of it if `entry` is not empty. HOLOGRAM_PYTHON names the
// interpreter, python3 otherwise. Throws AlreadyReported, or Failure when Python cannot be run.
std::string CompilePython(const std::string& path, const std::string& entry);

}  // namespace hologram::tool
