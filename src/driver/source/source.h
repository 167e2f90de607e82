// Kernel files of every kind, by the suffix of the name: .py .json .yaml .yml .toml .circuit .hasm
// .holo .so. Tested by tests/driver and tests/cli.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/source/python.h"
#include "frontend/frontend.h"
#include "isa/program.h"

namespace hologram::driver {

enum class FileKind : uint8_t { kPython, kJson, kYaml, kToml, kCircuit, kAssembly, kBundle };

// Fails for another suffix.
Result<FileKind> KindOf(const std::string& path);

// Result of loading a file, or the errors. The Python front end writes its errors as
// text, each with its source line; they come before `errors`.
template <class T>
struct FromSource {
  T value{};
  std::string messages = {};  // of the Python front end; empty if it found nothing wrong
  Diagnostics errors = {};
  bool ok() const { return messages.empty() && errors.empty(); }
};

// The kernel JSON of a .py, .json, .yaml or .toml file; other files have none.
FromSource<std::string> KernelJson(const std::string& path, const std::string& entry);

struct SourceOptions {
  // Only the kernel of this name, or the instances of the kernel of that name; empty: all.
  std::string entry = {};
  // Kernels of .py, .json, .yaml and .toml files are raised to circuits. That costs more than the
  // rest of the front end, so only who writes circuits asks for it.
  bool circuits = false;
};

using LoadedKernels = FromSource<std::vector<frontend::CompiledKernel>>;

// Kernels of several files. Python files are read ahead.
class KernelFiles {
 public:
  // Fails if HOLOGRAM_NUM_THREADS is not a number of threads.
  static Result<KernelFiles> Open(std::vector<std::string> paths, SourceOptions options);

  const std::string& path(size_t k) const { return paths_[k]; }
  // The kernels of paths[k], well-formed and not verified; once for each k, from one thread, in
  // order. Without `circuits`, and of assembly and bundles, circuits are obstacles. Sets `used` of
  // constants.
  LoadedKernels Load(size_t k, Constants& constants);

 private:
  KernelFiles(std::vector<std::string> paths, SourceOptions options, PythonFiles python);

  std::vector<std::string> paths_;
  SourceOptions options_;
  PythonFiles python_;
};

// Which programs Load() makes of the kernels of several files.
struct Request {
  std::vector<std::string> files;
  SourceOptions source;
  bool canonical = false;     // by way of their circuits, where there are any
  bool class_memory = false;  // of .circuit files: on class memory instead of buffers
  // Called with "reading FILE" before something that may take long, and with "" after it.
  std::function<void(const std::string&)> on_step = nullptr;
};
FromSource<Kernels> Load(const Request& request, Constants& constants);

// Compares every section of a .holo file with its hash and decodes its programs. One error for each
// section that is damaged.
Status CheckBundle(const std::string& path);

// Why native code in a .holo file would not be used by this process even where its owner vouches
// for it: it is damaged, or was compiled for another version of the native ABI.
Result<std::vector<std::string>> NotesOfNativeCode(const std::string& path,
                                                   const std::string& kernel);

// The one of `names` that `entry` names, or the only one there is.
Result<std::string> ChooseEntry(const std::vector<std::string>& names, const std::string& entry,
                                const std::string& path);

}  // namespace hologram::driver
