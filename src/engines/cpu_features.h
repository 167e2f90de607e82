// What the processor can do: the x86-64 level that decides which native code is used, and the
// cache size that decides about streaming stores. Tested by tests/runtime/cpu_features_test.cc.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/launch_path.h"
#include "base/result.h"

namespace hologram::engines {

// kNone: not an x86-64 machine, or one below v2; everything is interpreted there.
enum class CpuLevel : uint8_t { kNone, kV2, kV3, kV4 };

std::string_view NameOf(CpuLevel level);  // "v3"

// What the processor and the operating system (saved register state) support.
CpuLevel HardwareLevel();

// HardwareLevel, or the lower level that `forced` names ("v2", "v3", "v4"; null or empty: none).
// Errors: another text, or a level that the machine does not have.
Result<CpuLevel> ForcedLevel(CpuLevel hardware, const char* forced);

// ForcedLevel with the environment variable HOLOGRAM_CPU_LEVEL.
Result<CpuLevel> CurrentLevel();

// A launch over at least this many bytes of buffers uses streaming stores: it would evict the
// caches anyway. max(8 x L2, 16 MB).
HOLOGRAM_LAUNCH_PATH uint64_t StreamingThreshold();

}  // namespace hologram::engines
