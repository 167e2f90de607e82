// A kernel that was written by hand, in a shared library (hologram/kernel_library.h). Nothing
// verifies such code: the executor loads it only from folders that were named for it. Tested by
// tests/runtime/kernel_library_test.cc.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "hologram/kernel_library.h"
#include "hologram/native_abi.h"
#include "runtime/launchable.h"
#include "runtime/library_signature.h"

namespace hologram::runtime {

// The system's loader maps what the headers promise and does not look whether the file has it; this
// does. Errors: no shared library of 64 bits, or one that is cut off.
Status CheckLibraryFile(std::span<const uint8_t> bytes);

class KernelLibrary final : public Launchable {
 public:
  // Loads a copy of the file, so that what becomes of the file changes nothing; its id is their
  // hash. Errors name what is missing or wrong: no library for this machine, cut off, another
  // version of the interface, a symbol, a name, parameters.
  static Result<std::shared_ptr<const KernelLibrary>> Load(std::span<const uint8_t> bytes);

  ~KernelLibrary() override;
  KernelLibrary(const KernelLibrary&) = delete;
  KernelLibrary& operator=(const KernelLibrary&) = delete;

  const std::string& name() const { return signature_.program.name; }
  const std::string& id() const override { return id_; }
  // The name and the parameters, without code.
  const isa::Program& signature() const override { return signature_.program; }

  // Checks sizes, alignment and overlap, then calls the library on this thread. Without a grid, as
  // many blocks (of 256 lanes if the caller does not say) as cover the largest output; nothing runs
  // if that is empty. Errors: another backend than the processor; kFault, with what the library
  // reports, if it fails. Thread-safe for launches on disjoint memory.
  Status Launch(std::span<const hologram_buffer_ref> buffers, std::span<const uint64_t> scalars,
                const LaunchConfig& config, launch::Way& way) const override;
  uint64_t launches() const { return launches_.load(); }  // that succeeded
  LaunchCounts counts() const override { return {launches(), 0, 0}; }

  const Kernel* program_kernel() const override { return nullptr; }
  const std::string& path() const override { return path_; }
  const std::string& note() const override { return note_; }
  uint32_t threads() const override { return 1; }

 private:
  KernelLibrary() = default;
  // Launch() without those who look on.
  Status RunLaunch(std::span<const hologram_buffer_ref> buffers, std::span<const uint64_t> scalars,
                   const LaunchConfig& config) const;

  void* handle_ = nullptr;
  int file_ = -1;  // open as long as the library: debuggers read it by its path
  std::string id_;
  const std::string path_ = "library";
  const std::string note_;
  LibrarySignature signature_;
  uint32_t (*execute_)(const atlas_launch_config*, const uint8_t*, size_t, const char**) = nullptr;
  mutable std::atomic<uint64_t> launches_{0};
};

}  // namespace hologram::runtime
