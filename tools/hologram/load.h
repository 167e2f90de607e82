// Kernel files of every kind, by the suffix of the name: .py .json .yaml .yml .toml .circuit .hasm
// .holo.
#pragma once

#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "isa/program.h"
#include "options.h"
#include "python_frontend.h"

namespace hologram::tool {

enum class FileKind : uint8_t { kPython, kJson, kYaml, kToml, kCircuit, kAssembly, kBundle };

// Fails for another suffix.
FileKind KindOf(const std::string& path);

// The kernel JSON of a .py, .json, .yaml or .toml file. Throws Failure or AlreadyReported; for
// another file a Failure.
std::string KernelJson(const std::string& path, const std::string& entry);

// The values of --set-const NAME=VALUE[,VALUE...], for LoadPrograms. Throws UsageError.
std::vector<frontend::CompileTimeValue> CompileTimeValuesOf(const Options& options);
// Throws Failure if a value belongs to no kernel that was loaded.
void RequireUsed(const std::vector<frontend::CompileTimeValue>& constants);

// Compares every section of a .holo file with its hash and decodes its programs. Throws Failure
// with an error for each section that is damaged.
void CheckBundle(const std::string& path);

// What `run` says of native code in a .holo file that this process would not use even where its
// owner vouches for it: it is damaged, or was compiled for another version of the native ABI.
std::vector<std::string> NotesOfNativeCode(const std::string& path, const std::string& kernel);

// The programs of a file; with `entry`, only the one of that name, or the instances of the kernel
// of that name. Not verified. Throws Failure or AlreadyReported.
std::vector<isa::Program> LoadPrograms(const std::string& path, const std::string& entry,
                                       std::vector<frontend::CompileTimeValue>& constants);
std::vector<isa::Program> LoadPrograms(const std::string& path, const std::string& entry);

// The same with the circuits of kernels that have one. Assembly and bundles have none.
std::vector<frontend::CompiledKernel> LoadKernels(
    const std::string& path, const std::string& entry,
    std::vector<frontend::CompileTimeValue>& constants);

// The same of several files. Python files are read ahead.
class KernelFiles {
 public:
  KernelFiles(std::vector<std::string> paths, const std::string& entry);
  const std::string& path(size_t k) const { return paths_[k]; }
  // Of paths[k]; once for each k, from one thread, in order. Throws Failure or AlreadyReported.
  std::vector<frontend::CompiledKernel> Load(size_t k,
                                             std::vector<frontend::CompileTimeValue>& constants);

 private:
  const std::vector<std::string> paths_;
  const std::string entry_;
  PythonFiles python_;
};

// The program of a .circuit file that works on class memory. Throws Failure, also for other files.
isa::Program InClassMemory(const std::string& path);

// The one of `names` that `entry` says, or the only one there is. Throws Failure.
std::string ChooseEntry(const std::vector<std::string>& names, const std::string& entry,
                        const std::string& path);

}  // namespace hologram::tool
