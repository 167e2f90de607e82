// Running a launch on private copies of what it writes, with every access checked by the
// interpreter. Used where a proof does not cover the arguments of a launch, and to find the values
// of variables for the message of a fault that native code reported.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "launch/fault_text.h"
#include "launch/launch.h"

namespace hologram::engines {

// True if the interpreter can repeat a launch that native code has run: nothing that the program
// reads was written by it.
bool CanRepeat(const verify::VerifiedProgram& program, const launch::Launch& launch);

// Runs in the interpreter on copies; `commit` copies the results back if there was no fault.
// Buffers that are the same memory stay the same memory. REQUIRES: CheckLaunch ok.
// Errors: kResourceLimit if there is no memory for the copies.
Result<std::optional<launch::Fault>> RunOnCopies(const verify::VerifiedProgram& program,
                                                 const launch::Launch& launch, bool commit);

// Why a launch is refused whose check gave `errors`: those of races with two lanes that meet, if a
// run of the launch shows some. Arrays may be on a device.
Diagnostics RefusalOf(const verify::VerifiedProgram& program, const launch::Launch& launch,
                      Diagnostics errors);

// Whether the message of a fault has the values of variables: where native code could find them
// after the launch, so that all engines say the same. The interpreter, which has them always, keeps
// them for itself elsewhere: for a launch that it runs in place of native code, not on copies.
bool KnowsValues(const verify::VerifiedProgram& program, const launch::Launch& launch,
                 const launch::Fault& fault);

// Copies of the launch's inputs before native code changes them, so that the launch can be repeated
// all the same.
class KeptInputs {
 public:
  // Copies the buffers that are read and written. For a program that prints: who debugs with
  // prints waits for the copies and wants the values of a fault. Nothing for any other program, for
  // one that can be repeated, or if there is no memory.
  static std::optional<KeptInputs> Of(const verify::VerifiedProgram& program,
                                      const launch::Launch& launch);
  ~KeptInputs();
  KeptInputs(KeptInputs&&) noexcept;

  // The launch on the copies. REQUIRES: `launch` and this outlive it.
  launch::Launch On(const launch::Launch& launch) const;

 private:
  struct Memory;
  explicit KeptInputs(std::unique_ptr<Memory> memory);

  std::unique_ptr<Memory> memory_;
};

// The message of a fault that native code left in `state`, with the values of variables where the
// launch can be repeated, perhaps from what was `kept`. `other`: launch::Fault::other.
Diagnostic DescribeNativeFault(const verify::VerifiedProgram& program, const launch::Launch& launch,
                               const hologram_launch_state& state, uint64_t other,
                               const KeptInputs* kept = nullptr);

}  // namespace hologram::engines
