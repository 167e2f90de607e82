// LoadedKernel: a program that was loaded, and the kernel that is made of it when it is first asked
// for; or a kernel library. Tested by tests/runtime/registry_test.cc and kernel_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fork_gate.h"
#include "base/result.h"
#include "bundle/bundle.h"
#include "runtime/kernel.h"
#include "runtime/kernel_library.h"
#include "runtime/print_sink.h"
#include "runtime/stream.h"
#include "verify/verified_program.h"

namespace hologram::runtime {

// A bundle in private memory, mapped, or, if `bytes` is empty, in memory of the program itself.
// Programs that came from it share it until their kernel is made.
struct LoadedBundle {
  std::shared_ptr<const void> bytes;
  std::optional<bundle::BundleReader> reader;
};

// Services of the executor for new kernels.
struct KernelSettings {
  std::shared_ptr<SharedStream> stream;
  std::shared_ptr<PrintSink> print_sink;
  std::shared_ptr<CancelWord> cancel;
  uint32_t threads = 0;  // 0: DefaultThreads()
  bool tiered = false;   // interpreted until compiled
};

// Whether a bundle says that it has native code of a program for processors like this one.
bool HasCode(const bundle::BundleReader& reader, size_t number);

class LoadedKernel {
 public:
  // Of a verified program. `left_code`: its file has native code that nothing vouches for;
  // `arguments`: the text of the file about them.
  LoadedKernel(verify::VerifiedProgram program, const Hash& identity, bool allow_native,
               bool left_code = false, std::string arguments = {})
      : identity_(identity),
        allow_native_(allow_native),
        left_code_(left_code),
        program_(std::move(program)),
        arguments_(std::move(arguments)) {}
  // Of program `number` of a bundle, which is read and verified when the kernel is made. Its native
  // code is used only with `trust_native`.
  LoadedKernel(std::shared_ptr<const LoadedBundle> bundle, size_t number, bool allow_native,
               bool trust_native)
      : identity_(bundle->reader->IdentityOf(number)),
        allow_native_(allow_native),
        trust_native_(trust_native),
        left_code_(!trust_native && HasCode(*bundle->reader, number)),
        bundle_(std::move(bundle)),
        number_(number) {}

  explicit LoadedKernel(std::shared_ptr<const KernelLibrary> library)
      : allow_native_(true), library_(std::move(library)) {}

  std::string id() const { return library_ != nullptr ? library_->id() : ToHex(identity_); }

  // The kernel, ready to run; made by the first call. Thread-safe: others wait for it. Errors: the
  // program is refused, trusted native code is damaged; the next call tries again.
  Result<std::shared_ptr<const Launchable>> Make(const KernelSettings& settings);

 private:
  Result<std::shared_ptr<const Kernel>> Prepare(const KernelSettings& settings);

  const Hash identity_ = {};  // of the program
  const bool allow_native_;
  const bool trust_native_ = false;
  const bool left_code_ = false;  // there is code that is not used without trust
  const std::shared_ptr<const KernelLibrary> library_;

  Mutex mutex_;  // for what follows
  std::optional<verify::VerifiedProgram> program_;
  std::string arguments_;
  std::shared_ptr<const LoadedBundle> bundle_;  // null: no bundle, or not needed any more
  const size_t number_ = 0;                     // in the bundle
  std::shared_ptr<const Kernel> kernel_;
};

// "section 4 (...) was compiled for version 6 of the native ABI and is not used ..."
std::string OtherAbiNote(const std::string& section, uint32_t version);

// By name.
using LoadedKernels = std::map<std::string, std::shared_ptr<LoadedKernel>, std::less<>>;

}  // namespace hologram::runtime
