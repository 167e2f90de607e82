#include "engines/cpu_features.h"

#include <gtest/gtest.h>

namespace hologram::engines {
namespace {

TEST(CpuFeatures, ForcesOnlyWhatTheMachineHas) {
  EXPECT_EQ(ForcedTarget(Target::kX86V4, nullptr).value(), Target::kX86V4);
  EXPECT_EQ(ForcedTarget(Target::kX86V4, "").value(), Target::kX86V4);
  EXPECT_EQ(ForcedTarget(Target::kX86V4, "v2").value(), Target::kX86V2);
  EXPECT_EQ(ForcedTarget(Target::kX86V3, "v4").errors()[0].message,
            "HOLOGRAM_CPU_LEVEL is v4, but this machine has v3");
  EXPECT_EQ(ForcedTarget(Target::kX86V4, "avx2").errors()[0].message,
            "HOLOGRAM_CPU_LEVEL: expected v2, v3 or v4, found 'avx2'");
}

TEST(CpuFeatures, NamesAreThoseOfTheMachine) {
  EXPECT_EQ(ForcedTarget(Target::kAArch64, "aarch64").value(), Target::kAArch64);
  EXPECT_EQ(ForcedTarget(Target::kAArch64, "v3").errors()[0].message,
            "HOLOGRAM_CPU_LEVEL: expected aarch64, found 'v3'");
  const char* const lowest = kHostFamily == Family::kAArch64 ? "aarch64" : "v2";
  EXPECT_EQ(ForcedTarget(std::nullopt, lowest).errors()[0].message,
            std::string("HOLOGRAM_CPU_LEVEL is ") + lowest + ", but this machine has none");
}

TEST(CpuFeatures, AgreesWithTheCompiler) {
#if defined(__x86_64__)
  EXPECT_EQ(HardwareTarget() == Target::kX86V4,
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"));
  EXPECT_EQ(HardwareTarget() >= Target::kX86V3,
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#endif
  EXPECT_GE(StreamingThreshold(), uint64_t{16} << 20);
}

}  // namespace
}  // namespace hologram::engines
