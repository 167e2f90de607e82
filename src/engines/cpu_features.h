// Features of the processor: the target that decides which native code is used, and the
// cache size that decides about streaming stores. Tested by tests/runtime/cpu_features_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "base/launch_path.h"
#include "base/result.h"
#include "base/targets.h"

namespace hologram::engines {

// The best target whose code the processor and the operating system (saved register state) can
// run. Nothing: everything is interpreted there.
std::optional<Target> HardwareTarget();

// The hardware's, or the lower one of its family that `forced` names ("v2", "v3", "v4", on AArch64
// "aarch64"; null or empty: none). Errors: another text, or a target that the machine does not
// have.
Result<std::optional<Target>> ForcedTarget(std::optional<Target> hardware, const char* forced);

// ForcedTarget with the environment variable HOLOGRAM_CPU_LEVEL.
Result<std::optional<Target>> CurrentTarget();

// A launch over at least this many bytes of buffers uses streaming stores: it would evict the
// caches anyway. max(8 x L2, 16 MB).
HOLOGRAM_LAUNCH_PATH uint64_t StreamingThreshold();

}  // namespace hologram::engines
