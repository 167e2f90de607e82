// Targets of the code generator: the rows of targets.def. Tested by tests/base/targets_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hologram {

// The number is that of the compiler plugin's interface. Later targets of a family need more.
enum class Target : uint8_t {
#define HOLOGRAM_TARGET(id, ...) id,
#include "base/targets.def"
};

enum class Family : uint8_t { kX86, kAArch64, kPtx, kWasm };

struct TargetInfo {
  Target target;
  const char* name;        // "x86-64-v4"
  const char* short_name;  // "v4"
  Family family;
  uint32_t section;  // the number of the level in bundles; 0: bundles do not hold it
  const char* triple;
  const char* cpu;
  const char* features;
  uint32_t leaf1;  // of CPUID and XGETBV, as in targets.def
  uint32_t leaf7;
  uint32_t extended;
  uint32_t state;
  const char* supports;  // names for __builtin_cpu_supports, with spaces between them
};

inline constexpr TargetInfo kTargets[] = {
#define HOLOGRAM_TARGET(id, name, short_name, family, ...) \
  {Target::id, name, short_name, Family::family, __VA_ARGS__},
#include "base/targets.def"
};

constexpr const TargetInfo& InfoOf(Target target) {
  return kTargets[static_cast<uint8_t>(target)];
}

// The family of the processors that this build runs on; where it is interpreted only, that of the
// targets which bundles are made for.
#if defined(__aarch64__)
inline constexpr Family kHostFamily = Family::kAArch64;
#else
inline constexpr Family kHostFamily = Family::kX86;
#endif

// The target of a family that options call `short_name`; nothing if there is none.
std::optional<Target> FindTarget(Family family, std::string_view short_name);
// "v2, v3 or v4"
std::string ShortNamesOf(Family family);

// The same of all targets that bundles hold code for: "v2, v3, v4 or aarch64".
std::optional<Target> FindBundleTarget(std::string_view short_name);
std::string BundleTargetNames();
// For errors: which processors run native code.
inline constexpr const char* kNativeProcessors = "x86-64-v2 or better, or AArch64";

}  // namespace hologram
