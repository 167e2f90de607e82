// Kernel files for commands: what the driver reads (driver/source/source.h), with errors thrown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/options.h"
#include "driver/source/source.h"

namespace hologram::tool {

// Thrown when messages of the Python front end were written to standard error, and nothing else is
// to be said.
struct AlreadyReported {};

// Writes messages of the front end, then throws Failure or AlreadyReported if there are errors.
void ThrowErrors(const std::string& messages, const Diagnostics& errors);

template <class T>
T OrThrow(driver::FromSource<T> loaded) {
  if (!loaded.ok()) ThrowErrors(loaded.messages, loaded.errors);
  return std::move(loaded.value);
}

// `what` and the name, and one of the known names that is meant or where they are listed.
Diagnostic NoKernel(const std::string& what, const std::string& name,
                    const std::vector<std::string_view>& known);

// Given in place of a file: the name of a kernel, where it is not a path. The file is the bundle in
// which a program would find it (docs/registry.md), `entry` the name. Throws Failure.
struct KernelFile {
  std::string path;
  std::string entry;
};
KernelFile FileOrKernel(const std::string& given, const std::string& entry);

// The parameters of a kernel: "a: in f32[], n: u32".
std::string SignatureOf(const isa::Program& program);

// Throws Failure for a suffix of other files than kernels.
bool IsBundle(const std::string& path);

// The values of --set-const NAME=VALUE[,VALUE...]. Throws UsageError.
driver::Constants ConstantsOf(const Options& options);
// Throws Failure if a value belongs to no kernel that was loaded.
void RequireUsed(const driver::Constants& constants);

// Shows what takes long. Throws Failure or AlreadyReported.
driver::Kernels LoadKernels(driver::Request request, driver::Constants& constants);

// The programs of a file; with `entry`, only the one of that name, or the instances of the kernel
// of that name. Not verified. Throws Failure or AlreadyReported.
std::vector<isa::Program> LoadPrograms(const std::string& path, const std::string& entry,
                                       driver::Constants& constants);
std::vector<isa::Program> LoadPrograms(const std::string& path, const std::string& entry);

}  // namespace hologram::tool
