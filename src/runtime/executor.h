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
  // error nothing was added. With `expect`, what is wrong with one program is found by Find.
  Status LoadBundle(std::vector<uint8_t> bytes, const LoadOptions& options);
  Status LoadFile(const std::string& path, const LoadOptions& options);
  // Adds a program that comes from no bundle. Verifies it.
  Status Add(isa::Program program, bool allow_native);

  // The kernel with everything it needs to run. Errors: no such name (kNotFound, with the names
  // there are), native code that cannot be loaded.
  Result<std::shared_ptr<const Kernel>> Find(const std::string& name);
  std::vector<std::string> Names() const;

  // How many threads launches of kernels that are found from now on for the first time may use; 0,
  // as at first: DefaultThreads(). Errors: more than kMaxThreads.
  Status SetThreads(uint32_t threads);

  // ---- What launches of its kernels leave to each other. Waits for launches that use it.
  uint32_t phase() const;
  void AdvancePhase(uint64_t delta);
  // Errors: no such class, a fraction that is not canonical, a sum that does not fit.
  Result<isa::Ratio> ResonanceOf(uint32_t class_index) const;
  Status SetResonance(uint32_t class_index, isa::Ratio ratio);
  Status AddResonance(uint32_t class_index, isa::Ratio ratio);
  void ResetResonance();
  // `offset` counts from the first byte of class 0; the bytes must lie in one class.
  Status ReadClassMemory(uint64_t offset, void* data, size_t size) const;
  Status WriteClassMemory(uint64_t offset, const void* data, size_t size);

 private:
  std::string NamesLike(const std::string& name) const;
  struct Entry;
  Result<std::shared_ptr<const Kernel>> Prepare(Entry& entry);

  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
  std::shared_ptr<SharedStream> stream_;
  uint32_t threads_ = 0;
};

}  // namespace hologram::runtime
