// Kernel: a verified program, the native code for it if there is any, and how to launch it.
// Tested by tests/runtime/kernel_test.cc.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/launch_path.h"
#include "base/result.h"
#include "engines/device_code.h"
#include "launch/default_shape.h"
#include "launch/facts.h"
#include "launch/launch.h"
#include "launch/units.h"
#include "launch/way.h"
#include "launch/window.h"
#include "runtime/cancel_word.h"
#include "runtime/checked_form.h"
#include "runtime/launchable.h"
#include "runtime/native/elf_loader.h"
#include "runtime/print_sink.h"
#include "runtime/stream.h"
#include "runtime/thread_count.h"
#include "verify/verified_program.h"

namespace hologram::runtime {

// The reach of the accesses of a program, found at the first question about it.
class LazyReach {
 public:
  const verify::Reach& Of(const verify::VerifiedProgram& program) {
    std::call_once(once_, [&] { reach_ = verify::FindReach(program); });
    return reach_;
  }

 private:
  std::once_flag once_;
  verify::Reach reach_;
};

class Kernel final : public Launchable {
 public:
  // A kernel that is interpreted, and why.
  Kernel(verify::VerifiedProgram program, std::string id, std::string why_not_native);
  // `origin` is said by path(): "bundle" or "jit". `level` is that of the native code, "v4".
  Kernel(verify::VerifiedProgram program, std::string id, NativeCode native, std::string origin,
         std::string level);

  // ---- A kernel that is interpreted until compiled
  struct Compiling {};
  Kernel(verify::VerifiedProgram program, std::string id, Compiling compiling);
  // One of the two is called once, by any thread. Launches that begin later use the code.
  void SetCode(NativeCode native, const std::string& origin, const std::string& level);
  void SetNoCode(const std::string& why_not_native) noexcept;
  // Waits until one of them was called.
  void AwaitCode() const;

  // How many threads a launch may use if its config does not say; at first 1, the calling thread.
  // Those of a default may be others for the process or a thread (thread_count.h). Before the first
  // launch. REQUIRES: 1 <= threads <= kMaxThreads
  void set_threads(uint32_t threads, bool is_default = false) {
    threads_ = threads;
    is_default_ = is_default;
  }
  uint32_t threads() const override { return threads_; }
  bool has_default_threads() const { return is_default_; }
  // The function that decides and runs default launches on one thread by looking at nothing but
  // their arguments, for buffers of less than `bytes_limit` each. Null: all launches go through
  // Launch(), as do those that it declines.
  struct Inline {
    hologram_kernel_default_entry entry = nullptr;
    uint64_t bytes_limit = 0;
  };
  Inline InlineEntry() const;

  // Launches see and change this stream; without one, each has a stream of its own.
  void set_stream(std::shared_ptr<SharedStream> stream) { stream_ = std::move(stream); }

  // Sink of its launches' prints; without one, to standard error.
  void set_print_sink(std::shared_ptr<PrintSink> sink) { print_sink_ = std::move(sink); }

  // The text of its bundle about arguments of Python callers; empty: the parameters.
  void set_arguments(std::string arguments) { arguments_ = std::move(arguments); }
  const std::string& arguments() const { return arguments_; }

  // Cancellation word of its launches. Native code gets the same word when it is loaded.
  void set_cancel(std::shared_ptr<CancelWord> cancel) { cancel_ = std::move(cancel); }
  // Null: nothing stops them.
  const std::shared_ptr<CancelWord>& cancel() const { return cancel_; }

  // Compiles native code for launches that no proof covers; without one they are interpreted.
  void set_checked_maker(CheckedForm::Maker maker, bool is_there) {
    checked_ = std::make_unique<const CheckedForm>(facts_, std::move(maker), is_there);
  }

  const Kernel* program_kernel() const override { return this; }
  const isa::Program& signature() const override { return program(); }
  const isa::Program& program() const { return program_.program(); }
  const verify::VerifiedProgram& verified() const { return program_; }
  const std::string& name() const { return program().name; }
  const std::string& id() const override { return id_; }  // identity of the program, in hex
  // "native (bundle, v4)", "interpreter" or "interpreter (compiling)"
  const std::string& path() const override { return code().path; }
  const hologram_kernel_info* native() const { return code().info(); }
  // Whether an instruction at this address is one of its native code.
  bool HoldsCode(uint64_t address) const { return code().native && code().native->Holds(address); }
  // A note for the user: native code that was not used since it is for another version of
  // this library. Empty: nothing.
  void set_note(std::string note) { note_ = std::move(note); }
  const std::string& note() const override { return note_; }
  const std::string& why_not_native() const { return code().why_not_native; }
  const launch::DefaultShape& default_launch() const { return default_launch_; }
  const launch::KernelFacts& facts() const { return facts_; }
  size_t num_buffers() const { return facts_.num_buffers; }
  size_t num_scalars() const { return facts_.num_scalars; }

  // Checks and runs one launch; arguments in parameter order, each kind by itself. Large ones are
  // spread over threads if they may be. Errors name the parameter or the line; kCancelled if it was
  // stopped. Thread-safe for launches on disjoint memory.
  Result<launch::Way> Launch(std::span<const hologram_buffer_ref> buffers,
                             std::span<const uint64_t> scalars, const LaunchConfig& config) const {
    launch::Way way;
    HOLOGRAM_RETURN_IF_ERROR(Launch(buffers, scalars, config, way));
    return way;
  }
  // The same; `way` is what was done, also of a launch that faulted.
  Status Launch(std::span<const hologram_buffer_ref> buffers, std::span<const uint64_t> scalars,
                const LaunchConfig& config, launch::Way& way) const override;

  // ---- A part of a launch (launch/window.h): units [first, last), with one base and one extent
  // for each buffer, which have the memory of the window. Bits are those of the same units in one
  // launch of the whole. Errors as above, and kInvalidArgument naming an access that may leave the
  // window.
  Status LaunchWindow(std::span<const hologram_buffer_ref> buffers,
                      std::span<const uint64_t> scalars, const LaunchConfig& config,
                      launch::Window window, launch::Way& way) const;
  // The elements that units [first, last) touch, one for each buffer; `window` as above, but for
  // `base`.
  Result<std::vector<launch::BufferReach>> ReachOf(std::span<const uint64_t> scalars,
                                                   const LaunchConfig& config,
                                                   const launch::Window& window) const;
  // The unit of windows and how many a launch has.
  using Units = launch::Units;
  // `extents`: elements of each buffer.
  Result<Units> UnitsOf(std::span<const uint64_t> scalars, const LaunchConfig& config,
                        std::span<const uint64_t> extents) const;

  // The fast path of a launch with a shape, without an allocation or a message: one that takes the
  // entry of native code, with the default budget. Gives what the entry gives:
  // HOLOGRAM_LAUNCH_DONE, or _FAULTED, or _UNPROVED, after which nothing was run and Launch()
  // decides. REQUIRES: as many buffers and scalars as the kernel has.
  HOLOGRAM_LAUNCH_PATH
  int32_t Enter(std::span<const hologram_buffer_ref> buffers, std::span<const uint64_t> scalars,
                const hologram_launch_shape& shape, hologram_launch_state& state) const;

  // The entry of native code, for a launch of these arguments and shape that is made many times,
  // wherever its buffers are then, as Launch() would call it. Null: Launch() decides each
  // time. Launches that the entry declines are for Launch(), and faults are as those of Enter().
  hologram_kernel_entry RepeatedEntry(const launch::Launch& launch) const;

  // A launch is short, as IsShort() describes, if its lanes times these scalars, each taken as at
  // least 1, are at most `most`, which is below 2^32; 0 where a loop has no bound by scalars.
  struct ShortWork {
    uint64_t most = 0;
    std::vector<uint32_t> scalars;  // number among the scalars, possibly several times
  };
  ShortWork LimitOfShort() const;
  // Whether that many lanes will hardly take 10 ms on one thread. False if that is not known.
  // REQUIRES: as many scalars as the kernel has.
  bool IsShort(std::span<const uint64_t> scalars, uint64_t lanes) const;

  LaunchCounts counts() const override;
  // The note for a user whose launch ran guarded.
  Diagnostic GuardedNote(const launch::Way& way) const;

 private:
  // How launches run; never changed once others see it.
  struct Code {
    const hologram_kernel_info* info() const { return native ? native->info() : nullptr; }

    std::optional<NativeCode> native;
    std::string why_not_native;
    std::string path;
    launch::CodeFacts facts;
    bool enters_first = false;  // Enter() has something to enter
  };

  const Code& code() const { return *code_.load(std::memory_order_acquire); }
  std::unique_ptr<const Code> MakeCode(NativeCode native, const std::string& origin,
                                       const std::string& level) const;
  void Publish(std::unique_ptr<const Code> code) noexcept;
  bool IsLongerThanCompiling(const launch::Launch& launch) const;
  // Runs a launch that takes the entry of the code; gives what Enter() does.
  HOLOGRAM_LAUNCH_PATH
  int32_t RunEntry(const Code& code, const launch::Launch& launch, const launch::Limits& limits,
                   hologram_launch_state& state) const;
  // Of a launch from this thread that does not say.
  uint32_t ThreadsNow() const { return is_default_ ? ThreadsOfLaunch(threads_) : threads_; }
  launch::Launch NewLaunch(std::span<const hologram_buffer_ref> buffers,
                           std::span<const uint64_t> scalars, const LaunchConfig& config) const;
  HOLOGRAM_LAUNCH_PATH launch::Limits LimitsOf(const Code& code, uint32_t threads) const;
  // That many arguments and threads.
  Status CheckCounts(size_t buffers, size_t scalars, uint32_t threads) const;
  // With the mutex of the stream held.
  Status CheckClassBuffers(std::span<const hologram_buffer_ref> buffers) const;
  Diagnostics WhyNoShape(Diagnostics errors, const LaunchConfig& config,
                         launch::Launch launch) const;
  // Launch() without those who look on.
  Status RunLaunch(std::span<const hologram_buffer_ref> buffers, std::span<const uint64_t> scalars,
                   const LaunchConfig& config, launch::Way& way,
                   hologram_launch_shape& shape) const;
  // A launch whose arguments fit, and its prints and counts.
  Status RunOnEngine(launch::Launch& launch, const Code& code, const launch::Limits& limits,
                     const LaunchConfig& config, const engines::devices::Place& place,
                     launch::Way& way) const;
  verify::VerifiedProgram program_;
  std::string id_;
  std::string note_;
  std::string arguments_;
  std::unique_ptr<const Code> first_;
  // Of a kernel that was compiled meanwhile; until then what it gets where there is no memory.
  std::unique_ptr<const Code> later_;
  std::atomic<const Code*> code_;  // one of the two
  std::atomic<bool> compiling_{false};
  std::shared_ptr<SharedStream> stream_;
  std::shared_ptr<PrintSink> print_sink_ = std::make_shared<PrintSink>();
  std::shared_ptr<CancelWord> cancel_;
  launch::KernelFacts facts_;
  std::unique_ptr<const CheckedForm> checked_;
  engines::DeviceCode device_;
  mutable LazyReach reach_;
  launch::DefaultShape default_launch_;
  uint32_t threads_ = 1;
  bool is_default_ = false;  // threads_ is
  mutable std::atomic<uint64_t> native_launches_{0};
  mutable std::atomic<uint64_t> interpreted_launches_{0};
  mutable std::atomic<uint64_t> guarded_launches_{0};
};

}  // namespace hologram::runtime
