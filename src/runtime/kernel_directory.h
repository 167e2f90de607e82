// A folder into which kernels are dropped: every *.holo in it and, if native code is allowed in it,
// every *.so; read again when it changes. Nothing
// watches the folder; Refresh() compares what is there with what was read. A file that cannot be
// read, or not yet because it is still being copied, is an error with its name; the others are
// there. Not thread-safe: the executor locks. Tested by tests/runtime/registry_test.cc.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/blake3.h"
#include "base/result.h"
#include "runtime/loaded_kernel.h"

namespace hologram::runtime {

// Identity of a version of a file, found without reading it.
struct FileStamp {
  dev_t device = 0;
  ino_t number = 0;
  off_t size = 0;
  timespec modified{};
  timespec changed{};
};

struct DirectoryFile {
  std::string path;
  LoadedKernels kernels;
  Diagnostics errors;  // if there are any, no kernels
  // Of a file with errors: the kernels that it had before.
  std::vector<std::string> lost;

  FileStamp stamp;
  // It was written so shortly before it was read that it may have changed without a new stamp.
  bool may_have_changed = false;
  Hash content;
};

struct DirectoryOptions {
  bool optional = false;      // a missing folder is not an error
  bool allow_native = false;  // kernel libraries, which are not verified, are loaded
};

class KernelDirectory {
 public:
  explicit KernelDirectory(std::string path, DirectoryOptions options = {})
      : path_(std::move(path)), options_(options) {}

  const std::string& path() const { return path_; }

  // Reads what is new or has changed, forgets what is gone. Native code of bundles is used from
  // those whose trust hash is in `trusted`.
  void Refresh(const std::vector<Hash>& trusted);
  // The next Refresh() reads everything again.
  void Forget() { files_.clear(); }

  // In the order of their names, in which they also win over each other.
  const std::map<std::string, DirectoryFile>& files() const { return files_; }
  // Error of the folder itself.
  const Diagnostics& errors() const { return errors_; }

 private:
  std::string path_;
  DirectoryOptions options_;
  std::map<std::string, DirectoryFile> files_;  // by name in the folder
  Diagnostics errors_;
};

}  // namespace hologram::runtime
