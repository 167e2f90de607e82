// Bundles as the executor takes them: read into private memory, their programs verified.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/loaded_kernel.h"

namespace hologram::runtime {

struct LoadOptions {
  // Trust hash in hex; without one the file is not trusted. An empty text is an error.
  std::optional<std::string> expect = {};
  bool allow_native = true;  // false: interpreter only
  // Trust hashes of files that may come under any name: one that has such a hash is vouched for.
  std::vector<Hash> trusted = {};
  // Programs of an untrusted file, too, are read and verified when they are asked for.
  bool lazy = false;
};

// Contents of a file. No vector, which zeroes its bytes first: half of the time that a library of
// some megabytes takes.
struct FileBytes {
  std::unique_ptr<uint8_t[]> data;
  size_t size = 0;
  std::span<const uint8_t> span() const { return {data.get(), size}; }
};

// Errors: kNotFound; not a regular file, more than 1 GiB, errors of the system.
Result<FileBytes> ReadWholeFile(const std::string& path);

// The kernels of a bundle. Of one that is vouched for, programs are read and verified when their
// kernel is first asked for: a library of a thousand kernels must not cost a program that uses
// three of them more than three. Errors say what is wrong with the file; a hash that differs from
// `expect` is one.
Result<LoadedKernels> ReadKernels(FileBytes bytes, const LoadOptions& options);
Result<LoadedKernels> ReadKernels(std::vector<uint8_t> bytes, const LoadOptions& options);
// The same of memory that is not copied: it stays as it is until the process ends.
Result<LoadedKernels> ReadStaticKernels(std::span<const uint8_t> bytes, const LoadOptions& options);

// The same of the standard library: mapped, so that only what is asked for is read, and copied
// before it is hashed. Who cuts the file off in place ends the process, as with a shared library.
Result<LoadedKernels> ReadLibraryFile(const std::string& path, const LoadOptions& options);

// With `path` as the place of those that have none.
Diagnostics WithPath(Diagnostics errors, const std::string& path);

}  // namespace hologram::runtime
