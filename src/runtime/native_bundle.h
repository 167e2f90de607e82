// Bundles with native code: what the compiler plugin makes of verified programs, side by side, for
// the levels that are wanted. Used by hologram compile, by the builder of stdlib.holo and by
// hologram_bundle_compile. Tested by tests/capi and tests/hardening.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/bundle.h"
#include "runtime/compiler_plugin.h"
#include "verify/verified_program.h"

namespace hologram::runtime {

// The targets of bundles by default: v3 and v4; aarch64 in a build for AArch64.
std::span<const Target> UsualTargets();

// Those that "v3,v4" names, or none for "none". Errors: another text, which begins with `what`.
Result<std::vector<Target>> TargetsNamed(const std::string& what, std::string_view text);

// Of one program: an object for each target, in their order; or why there is none. `checked`: the
// same of its checked form, or nothing if no launch can need that.
struct NativeForms {
  std::vector<std::vector<uint8_t>> objects;
  std::vector<std::vector<uint8_t>> checked;
  Diagnostics errors;
};

struct NativeOptions {
  std::span<const Target> targets = UsualTargets();
  // A folder, where what was compiled before is taken from and what is new is kept.
  std::optional<std::string> cache = {};
  DebugLines lines = DebugLines::kKept;
  bool checked = true;                    // the checked form too, where launches can need it
  std::atomic<uint64_t>* done = nullptr;  // counts programs that are done
};

// One for each program, in their order, made by as many threads as the process may use. Errors: a
// folder that cannot be used, HOLOGRAM_NUM_THREADS.
Result<std::vector<NativeForms>> MakeNativeCode(std::span<const verify::VerifiedProgram> programs,
                                                const NativeOptions& options);

// The arguments that Python callers give, of programs by name.
using ArgumentTexts = std::map<std::string, std::string, std::less<>>;

// A bundle of the programs; those that have native code, with it; and of a pipeline of them,
// encoded, if it is not empty. REQUIRES: no `forms`, or one for each program, made for `targets`.
Result<std::vector<uint8_t>> BundleOf(std::span<const verify::VerifiedProgram> programs,
                                      std::vector<NativeForms> forms = {},
                                      std::span<const Target> targets = {},
                                      std::vector<uint8_t> pipeline = {},
                                      const ArgumentTexts& arguments = {});

// The same bundle, pipeline included, with native code for these targets in place of what it has.
// Errors: what is wrong with the bundle; programs that do not verify; the first that has no native
// code, or no compiler plugin (kUnsupported).
Result<std::vector<uint8_t>> WithNativeCode(std::span<const uint8_t> bundle,
                                            std::span<const Target> targets);

}  // namespace hologram::runtime
