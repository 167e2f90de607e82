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

// The target of a family that options call `short_name`; nothing if there is none.
std::optional<Target> FindTarget(Family family, std::string_view short_name);
// "v2, v3 or v4"
std::string ShortNamesOf(Family family);

}  // namespace hologram
