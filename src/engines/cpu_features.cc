#include "engines/cpu_features.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "base/environment.h"

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

CpuLevel Detect() {
  constexpr uint32_t kOsxsave = 1u << 27;
  // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT.
  constexpr uint32_t kV2Leaf1 = 1u | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23;
  // FMA, MOVBE, AVX, F16C.
  constexpr uint32_t kV3Leaf1 = 1u << 12 | 1u << 22 | 1u << 28 | 1u << 29;
  constexpr uint32_t kV3Leaf7 = 1u << 3 | 1u << 5 | 1u << 8;  // BMI1, AVX2, BMI2
  constexpr uint32_t kLzcnt = 1u << 5;
  // AVX-512 F, DQ, CD, BW, VL.
  constexpr uint32_t kV4Leaf7 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
  constexpr uint64_t kAvxState = 0x6;
  constexpr uint64_t kAvx512State = 0xe6;

  const Registers leaf1 = Cpuid(1);
  if (!HasAll(leaf1.ecx, kV2Leaf1)) return CpuLevel::kNone;
  if (!HasAll(leaf1.ecx, kV3Leaf1 | kOsxsave)) return CpuLevel::kV2;
  const Registers leaf7 = Cpuid(7);
  const uint64_t state = SavedState();
  if (!HasAll(leaf7.ebx, kV3Leaf7) || !HasAll(Cpuid(0x80000001u).ecx, kLzcnt) ||
      (state & kAvxState) != kAvxState) {
    return CpuLevel::kV2;
  }
  if (!HasAll(leaf7.ebx, kV4Leaf7) || (state & kAvx512State) != kAvx512State) {
    return CpuLevel::kV3;
  }
  return CpuLevel::kV4;
}

#else

CpuLevel Detect() {
  return CpuLevel::kNone;
}

#endif

}  // namespace

std::string_view NameOf(CpuLevel level) {
  switch (level) {
    case CpuLevel::kNone:
      return "none";
    case CpuLevel::kV2:
      return "v2";
    case CpuLevel::kV3:
      return "v3";
    case CpuLevel::kV4:
      return "v4";
  }
  return "none";
}

CpuLevel HardwareLevel() {
  static const CpuLevel level = Detect();
  return level;
}

Result<CpuLevel> ForcedLevel(CpuLevel hardware, const char* forced) {
  if (forced == nullptr || *forced == '\0') return hardware;
  const std::string_view text = forced;
  for (CpuLevel level : {CpuLevel::kV2, CpuLevel::kV3, CpuLevel::kV4}) {
    if (NameOf(level) != text) continue;
    if (level <= hardware) return level;
    return Error(ErrorCode::kUnsupported, "HOLOGRAM_CPU_LEVEL is " + std::string(text) +
                                              ", but this machine has " +
                                              std::string(NameOf(hardware)));
  }
  return Error(ErrorCode::kInvalidArgument,
               "HOLOGRAM_CPU_LEVEL: expected v2, v3 or v4, found " + std::string(text));
}

Result<CpuLevel> CurrentLevel() {
  return ForcedLevel(HardwareLevel(), ReadVariable(Variable::kCpuLevel));
}

uint64_t StreamingThreshold() {
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
