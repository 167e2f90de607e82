// Other programs: the Python front end, the linker.
#pragma once

#include <string>
#include <vector>

namespace hologram::tool {

struct ChildResult {
  std::string output;  // what it wrote to standard output; standard error is ours
  int status = 0;      // exit code; -1: it was killed
};

// Runs a program of PATH to its end. Throws Failure if it cannot be started; `advice` ends the
// message.
ChildResult RunChild(std::vector<std::string> command, const std::string& advice);

}  // namespace hologram::tool
