// Executor: the kernels of an application, by name. They come from three places; a kernel of the
// user beats one of the same name that the application brings, and that beats the standard library
// (docs/registry.md). Bundles are read and their programs verified at once; native code is loaded,
// or made by the plugin, when a kernel is asked for. Thread-safe; no lock is held while a kernel
// runs. Tested by tests/runtime/registry_test.cc and kernel_test.cc.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/fork_gate.h"
#include "base/result.h"
#include "runtime/bundle_file.h"
#include "runtime/class_buffer.h"
#include "runtime/kernel.h"
#include "runtime/kernel_directory.h"
#include "runtime/loaded_kernel.h"

namespace hologram::runtime {

// Where a kernel comes from; a later one wins.
enum class Origin : uint8_t { kBuiltIn, kBundled, kUser };
std::string_view NameOf(Origin origin);  // "built-in"

struct ListedKernel {
  std::string name;
  std::string id;
  Origin origin = Origin::kBundled;
  std::string file;  // empty: it came from memory
  bool shadowed = false;
  std::string shadowed_by;  // the file of the kernel that wins; empty: it came from memory
};

struct Listing {
  std::vector<ListedKernel> kernels;  // by name; of one name the one that wins first
  Diagnostics errors;                 // folders and files that could not be read
};

class Executor {
 public:
  Executor();
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Kernels that the application brings; one with the name of an earlier one replaces it. Errors
  // name what is wrong with the file; a hash that differs from `expect` is one. After an error
  // nothing was added. With `expect`, what is wrong with one program is found by Find.
  Status LoadBundle(std::vector<uint8_t> bytes, const LoadOptions& options);
  // The same of memory that is not copied: it stays as it is until the process ends.
  Status LoadStatic(std::span<const uint8_t> bytes, const LoadOptions& options);
  Status LoadFile(const std::string& path, const LoadOptions& options);
  // Compiles a circuit with a header to a kernel called `name`. Needs the compiler plugin.
  Status LoadCircuit(std::string_view text, std::string_view name);
  // Adds a program that comes from no bundle. Verifies it.
  Status Add(isa::Program program, bool allow_native);
  // The standard library, as built-in kernels. Errors: it is not there; as LoadFile.
  Status LoadStandard(const LoadOptions& options);

  // A folder of the user, whose files are looked at again by every Find; later ones come behind
  // earlier ones. With `allow_native` kernel libraries in it are loaded, code that is not verified.
  // Errors: there is no such folder.
  Status AddDirectory(const std::string& path, bool allow_native = false);
  // The folders that HOLOGRAM_KERNEL_PATH names, and HOLOGRAM_NATIVE_KERNEL_PATH, with libraries;
  // the folder `kernels` beside the program; and, for names that are nowhere else, the standard
  // library.
  void AddDefaultPlaces();
  // Native code is used from files of any place that have this trust hash. Error: it is not a hash.
  Status Trust(const std::string& hash);

  // The kernel with everything it needs to run. It stays usable whatever becomes of its file.
  // Errors: no such name (kNotFound, with the names there are), native code that cannot be loaded,
  // a file that had this kernel, or has its name, and cannot be read now.
  Result<std::shared_ptr<const Launchable>> FindAny(const std::string& name);
  // The same of a kernel that has a program. Error: it is a library.
  Result<std::shared_ptr<const Kernel>> Find(const std::string& name);
  std::vector<std::string> Names();
  Listing List();

  // The services of it that new kernels get.
  KernelSettings settings();

  // How many threads launches of kernels that are found from now on for the first time may use; 0,
  // as at first: DefaultThreads(). Errors: more than kMaxThreads.
  Status SetThreads(uint32_t threads);

  // Kernels that are found from now on for the first time, and have to be compiled, run in the
  // interpreter until they are (`tiered`), or are compiled before Find() gives them, as at first. A
  // launch that the interpreter would take longer for than the compiler waits for the code.
  void SetTiered(bool tiered);

  // Where what its kernels print goes, also those that were found before; an empty function:
  // standard error, as at first. It is called after a launch, on the thread that launched, for one
  // record after the other, and must not launch a kernel of this executor that prints.
  void SetPrintSink(PrintSink::Function function) { print_sink_->Set(std::move(function)); }

  // Stops all launches of its kernels that run, and those that begin before Resume(): they fail
  // with kCancelled, and what they have written to outputs is unspecified. A launch that takes less
  // than some ten milliseconds may be done all the same. Any thread, and signal handlers.
  void Cancel() { settings_.cancel->Set(CancelWord::kExecutor); }
  void Resume() { settings_.cancel->Clear(CancelWord::kExecutor); }

  // ---- State carried between launches. Waits for launches that use it.
  uint32_t phase() const;
  void AdvancePhase(uint64_t delta);
  // Errors: no such class, a fraction that is not canonical, a sum that does not fit.
  Result<launch::Ratio> ResonanceOf(uint32_t class_index) const;
  Status SetResonance(uint32_t class_index, launch::Ratio ratio);
  Status AddResonance(uint32_t class_index, launch::Ratio ratio);
  void ResetResonance();
  // `offset` counts from the first byte of class 0; the bytes must be in one class.
  Status ReadClassMemory(uint64_t offset, void* data, size_t size) const;
  Status WriteClassMemory(uint64_t offset, const void* data, size_t size);

  // A buffer in class memory: ClassBuffer::Make. Thread-safe, as is the end of the buffer.
  Result<ClassBuffer> AllocateBoundary(std::optional<uint32_t> class_index, uint32_t width,
                                       uint32_t height) {
    return ClassBuffer::Make(stream_, class_index, width, height);
  }
  // How many classes have no buffer.
  uint32_t NumFreeClasses() const;

 private:
  struct Loaded {
    std::shared_ptr<LoadedKernel> kernel;
    std::string file;  // empty: from memory
  };
  using LoadedByName = std::map<std::string, Loaded, std::less<>>;

  static LoadedByName ByName(const LoadedKernels& kernels, const std::string& file);
  // All of them, in place of those of the same names. Throws nothing.
  static void Adopt(LoadedByName added, LoadedByName& into);

  // With the mutex held:
  void AddFolders(Variable variable, bool allow_native);
  void Refresh();
  void LoadDefaultLibrary();
  Result<std::shared_ptr<LoadedKernel>> Lookup(const std::string& name);
  Diagnostics NoKernel(const std::string& name) const;
  template <class Visit>
  void ForEach(const Visit& visit) const;
  std::vector<std::string> NamesOf(bool built_in) const;
  Diagnostics ErrorsOfPlaces() const;

  Mutex mutex_;  // for everything but the stream
  std::vector<KernelDirectory> user_;
  LoadedByName loaded_;
  std::vector<KernelDirectory> bundled_;
  LoadedByName built_in_;
  std::vector<Hash> trusted_;
  bool standard_when_missing_ = false;
  bool standard_by_default_ = false;  // built_in_ was loaded only because a name was missing
  Diagnostics standard_errors_;
  KernelSettings settings_;
  std::shared_ptr<SharedStream> stream_;
  std::shared_ptr<PrintSink> print_sink_;
};

}  // namespace hologram::runtime
