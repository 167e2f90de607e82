// The Python front end as a child process: reads a kernel file, gives the kernel JSON.
#pragma once

#include <cstddef>
#include <future>
#include <string>
#include <vector>

#include "base/result.h"

namespace hologram::driver {

// Result of the front end for one file.
struct PythonAnswer {
  std::string json;      // of the kernels in which it found nothing wrong; empty: there are none
  std::string messages;  // what is wrong with the others: each error with its source line
  bool ok() const { return messages.empty(); }
};

// HOLOGRAM_PYTHON, else python3.
std::string PythonInterpreter();
// A file of the Python package, "/hologram/frontend/__main__.py". Errors: it is not there.
Result<std::string> PackageFile(const std::string& name);

// Of `path`, or of one kernel of it if `entry` is not empty. HOLOGRAM_PYTHON names the interpreter,
// python3 otherwise. Fails when Python cannot be run.
Result<PythonAnswer> CompilePython(const std::string& path, const std::string& entry);

// The same for several files at once: side by side on the processors there are, in one process
// each, since most of the time of a file is Python's start.
class PythonFiles {
 public:
  // Those of `paths` that end with ".py"; the others are not looked at.
  // Fails if HOLOGRAM_NUM_THREADS is not a number of threads.
  static Result<PythonFiles> Start(const std::vector<std::string>& paths, const std::string& entry);

  // CompilePython of paths[k], once for each k. REQUIRES: paths[k] ends with ".py".
  Result<PythonAnswer> Take(size_t k);

 private:
  using Answers = Result<std::vector<PythonAnswer>>;

  PythonFiles() = default;
  static Answers Run(const std::vector<std::string>& paths, const std::string& entry);

  struct Place {
    size_t batch = 0;
    size_t number = 0;
  };
  std::vector<Place> places_;  // of each path
  std::vector<std::future<Answers>> batches_;
  std::vector<Answers> answers_;  // of batches that were waited for, in order
};

}  // namespace hologram::driver
