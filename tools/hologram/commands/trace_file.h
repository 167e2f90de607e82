// The option --trace: a trace of a command, written when it is over, also if it failed.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hologram::tool {

class TraceFile {
 public:
  // Starts one; without a path there is none. Throws Failure: the file cannot be written, or is one
  // of `inputs`.
  TraceFile(std::optional<std::string> path, const std::vector<std::string>& inputs);
  // Of a command that failed; what goes wrong here is printed.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  // Of one that succeeded. Throws Failure: the file cannot be written.
  void Finish();

 private:
  std::optional<std::string> path_;
};

}  // namespace hologram::tool
