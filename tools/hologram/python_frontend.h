// The Python front end as a child process: reads a kernel file, gives the kernel JSON.
#pragma once

#include <cstddef>
#include <future>
#include <string>
#include <vector>

#include "base/result.h"

namespace hologram::tool {

// What a child that has already written its own messages to standard error ended with.
struct AlreadyReported {
  std::string rest;  // the JSON of kernels in which it found nothing wrong; empty: there are none
};

// The JSON for `path`, or for one kernel of it if `entry` is not empty. HOLOGRAM_PYTHON names the
// interpreter, python3 otherwise. Throws AlreadyReported, or Failure when Python cannot be run.
std::string CompilePython(const std::string& path, const std::string& entry);

// The same for several files at once: side by side on the processors there are, in one process
// each, since most of the time of a file is Python's start.
class PythonFiles {
 public:
  // Those of `paths` that end with ".py"; the others are not looked at.
  PythonFiles(const std::vector<std::string>& paths, const std::string& entry);

  // CompilePython of paths[k], once for each k. Messages of the front end are written here, so that
  // they stand in the order of the files.
  std::string Take(size_t k);

 private:
  struct Answer {
    int status = 0;
    std::string json;
    std::string messages;
  };
  using Answers = std::vector<Answer>;
  static Answers Run(const std::vector<std::string>& paths, const std::string& entry);

  struct Place {
    size_t batch = 0;
    size_t number = 0;
  };
  std::vector<Place> places_;  // of each path
  std::vector<std::future<Answers>> batches_;
  std::vector<Answers> answers_;  // of batches that were waited for, in order
};

}  // namespace hologram::tool
