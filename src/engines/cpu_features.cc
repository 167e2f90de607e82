#include "engines/cpu_features.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "base/environment.h"
#include "base/quote.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hologram::engines {
namespace {

#if defined(__x86_64__)

struct Registers {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers Cpuid(uint32_t leaf) {
  Registers r;
  // Returns 0 and leaves zeros for a leaf that the processor does not have.
  __get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

bool HasAll(uint32_t word, uint32_t bits) {
  return (word & bits) == bits;
}

// Which register state the operating system saves: bit 1 SSE, 2 AVX, 5..7 AVX-512.
// REQUIRES: the processor reports OSXSAVE.
uint64_t SavedState() {
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

std::optional<Target> Detect() {
  constexpr uint32_t kOsxsave = 1u << 27;
  const Registers leaf1 = Cpuid(1);
  const Registers leaf7 = Cpuid(7);
  const uint32_t extended = Cpuid(0x80000001u).ecx;
  const uint64_t state = HasAll(leaf1.ecx, kOsxsave) ? SavedState() : 0;
  std::optional<Target> best;
  for (const TargetInfo& info : kTargets) {
    if (info.family != Family::kX86) continue;
    if (!HasAll(leaf1.ecx, info.leaf1) || !HasAll(leaf7.ebx, info.leaf7) ||
        !HasAll(extended, info.extended) || (state & info.state) != info.state) {
      break;
    }
    best = info.target;
  }
  return best;
}

#elif defined(__aarch64__) && !defined(__AARCH64EB__)

// Code for it needs nothing that a processor of this kind may lack.
std::optional<Target> Detect() {
  return Target::kAArch64;
}

#else

std::optional<Target> Detect() {
  return std::nullopt;
}

#endif

}  // namespace

std::optional<Target> HardwareTarget() {
  static const std::optional<Target> target = Detect();
  return target;
}

Result<std::optional<Target>> ForcedTarget(std::optional<Target> hardware, const char* forced) {
  if (forced == nullptr || *forced == '\0') return hardware;
  const Family family = hardware ? InfoOf(*hardware).family : kHostFamily;
  const std::optional<Target> wanted = FindTarget(family, forced);
  if (!wanted) {
    return Error(
        ErrorCode::kInvalidArgument,
        "HOLOGRAM_CPU_LEVEL: expected " + ShortNamesOf(family) + ", found " + Shown(forced));
  }
  if (hardware && *wanted <= *hardware) return wanted;
  return Error(ErrorCode::kUnsupported, "HOLOGRAM_CPU_LEVEL is " + std::string(forced) +
                                            ", but this machine has " +
                                            (hardware ? InfoOf(*hardware).short_name : "none"));
}

Result<std::optional<Target>> CurrentTarget() {
  return ForcedTarget(HardwareTarget(), ReadVariable(Variable::kCpuLevel));
}

HOLOGRAM_LAUNCH_PATH uint64_t StreamingThreshold() {
  // No static local object: a thread that makes one while another forks leaves the child without.
  static constinit std::atomic<uint64_t> threshold{0};
  uint64_t bytes = threshold.load(std::memory_order_relaxed);
  if (bytes != 0) return bytes;
  const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  bytes = std::max<uint64_t>(l2 > 0 ? 8 * static_cast<uint64_t>(l2) : 0, uint64_t{16} << 20);
  threshold.store(bytes, std::memory_order_relaxed);
  return bytes;
}

}  // namespace hologram::engines
