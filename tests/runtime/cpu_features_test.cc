#include "engines/cpu_features.h"

#include <gtest/gtest.h>

namespace hologram::engines {
namespace {

TEST(CpuFeatures, ForcesOnlyWhatTheMachineHas) {
  EXPECT_EQ(ForcedLevel(CpuLevel::kV4, nullptr).value(), CpuLevel::kV4);
  EXPECT_EQ(ForcedLevel(CpuLevel::kV4, "").value(), CpuLevel::kV4);
  EXPECT_EQ(ForcedLevel(CpuLevel::kV4, "v2").value(), CpuLevel::kV2);
  EXPECT_EQ(ForcedLevel(CpuLevel::kV3, "v4").errors()[0].message,
            "HOLOGRAM_CPU_LEVEL is v4, but this machine has v3");
  EXPECT_EQ(ForcedLevel(CpuLevel::kV4, "avx2").errors()[0].message,
            "HOLOGRAM_CPU_LEVEL: expected v2, v3 or v4, found avx2");
}

TEST(CpuFeatures, AgreesWithTheCompiler) {
#if defined(__x86_64__)
  EXPECT_EQ(HardwareLevel() == CpuLevel::kV4,
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"));
  EXPECT_EQ(HardwareLevel() >= CpuLevel::kV3,
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#endif
  EXPECT_GE(StreamingThreshold(), uint64_t{16} << 20);
}

}  // namespace
}  // namespace hologram::engines
