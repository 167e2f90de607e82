// Other programs: the Python front end, the linker.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace hologram::driver {

struct ChildResult {
  std::string output;  // what it wrote to standard output; standard error is ours
  int status = 0;      // exit code; -1: it was killed
};

// Runs a program of PATH to its end. Fails if it cannot be started; `advice` ends the message.
Result<ChildResult> RunChild(std::vector<std::string> command, const std::string& advice);

// The same of a program that has our terminal: what it reads and writes is ours, and so is Ctrl-C,
// which is not for us while it runs. Gives its exit code; -1: it was killed.
Result<int> RunForeground(std::vector<std::string> command, const std::string& advice);

}  // namespace hologram::driver
