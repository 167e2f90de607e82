// Executor: the kernels that an application has loaded, by name. Bundles are read and their
// programs verified at once; native code is loaded, or made by the plugin, when a kernel is asked
// for. Tested by tests/runtime/executor_test.cc.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/kernel.h"

namespace hologram::runtime {

struct LoadOptions {
  std::string expect;        // trust hash in hex; empty: nobody vouches for the file
  bool allow_native = true;  // false: interpreter only
};

class Executor {
 public:
  Executor();
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Errors name what is wrong with the file; a hash that differs from `expect` is one. After an
  // error nothing was added.
  Status LoadBundle(std::vector<uint8_t> bytes, const LoadOptions& options);
  Status LoadFile(const std::string& path, const LoadOptions& options);
  // Adds a program that comes from no bundle. Verifies it.
  Status Add(isa::Program program, bool allow_native);

  // The kernel with everything it needs to run. Errors: no such name (kNotFound, with the names
  // there are), native code that cannot be loaded.
  Result<std::shared_ptr<const Kernel>> Find(const std::string& name);
  std::vector<std::string> Names() const;

 private:
  struct Entry;
  Result<std::shared_ptr<const Kernel>> Prepare(Entry& entry);

  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
};

// The folder of the running executable, without a slash at its end; empty if it is not known.
std::string ExecutableFolder();

}  // namespace hologram::runtime
