// The published hashes against the engines of this machine. HOLOGRAM_BLESS=1 writes them anew, from
// the interpreter: only where an operation has changed its bits on purpose.
#include "doctor/self_test.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "doctor/report.h"

namespace hologram::doctor {
namespace {

TEST(SelfTest, HasFiftyKernelsWithPublishedResults) {
  const std::vector<TestKernel> kernels = TestKernels();
  ASSERT_EQ(kernels.size(), 50u);
  std::set<std::string> hashes;
  std::string rows;
  for (const TestKernel& kernel : kernels) {
    const Result<std::string> hash = HashOf(kernel, std::nullopt);
    ASSERT_TRUE(hash.ok()) << kernel.name << ": " << hash.errors()[0].message;
    rows += "{\"" + kernel.name + "\", \"" + hash.value() + "\"},\n";
    hashes.insert(hash.value());
  }
  EXPECT_EQ(hashes.size(), kernels.size());  // each result is its own
  if (std::getenv("HOLOGRAM_BLESS") != nullptr) {
    std::ofstream(HOLOGRAM_PUBLISHED) << rows;
    return;
  }
  std::string published;
  for (const Published& row : PublishedHashes()) {
    published += std::string("{\"") + row.name + "\", \"" + row.hash + "\"},\n";
  }
  EXPECT_EQ(published, rows);
}

TEST(SelfTest, EveryEngineGivesThePublishedBits) {
  if (std::getenv("HOLOGRAM_BLESS") != nullptr) GTEST_SKIP() << "they are being written";
  const std::vector<Finding> findings = TestEngines();
  ASSERT_GE(findings.size(), 2u);
  EXPECT_TRUE(IsWell(findings)) << ReportOf(findings);
  EXPECT_EQ(findings[0].text, "50 of 50 kernels give the published bits");
}

TEST(SelfTest, AKernelWithOtherBitsIsSeen) {
  TestKernel kernel = TestKernels()[0];
  const std::string right = HashOf(kernel, std::nullopt).value();
  kernel.text.replace(kernel.text.find("exp.f32 r8, r6"), 14, "exp.f32 r8, r7");
  EXPECT_NE(HashOf(kernel, std::nullopt).value(), right);
}

TEST(Machine, IsLookedAt) {
  std::set<std::string> areas;
  for (const Finding& finding : LookAtMachine()) {
    areas.insert(finding.area);
    EXPECT_FALSE(finding.text.empty()) << finding.area;
  }
  for (const char* area : {"processor", "threads", "clock", "huge pages", "compiler", "cache",
                           "kernels", "cuda", "opencl"}) {
    EXPECT_TRUE(areas.contains(area)) << area;
  }
}

TEST(Machine, BadVariablesAreBad) {
  const auto with = [](const char* name, const char* value) {
    setenv(name, value, 1);
    const std::vector<Finding> findings = LookAtMachine();
    unsetenv(name);
    return ReportOf(findings);
  };
  EXPECT_NE(with("HOLOGRAM_NUM_THREADS", "many").find("BAD   threads      HOLOGRAM_NUM_THREADS: "),
            std::string::npos);
  EXPECT_NE(with("HOLOGRAM_CPU_LEVEL", "v9").find("BAD   processor    "), std::string::npos);
  EXPECT_NE(with("HOLOGRAM_CACHE_DIR", "/dev/null").find("BAD   cache        "), std::string::npos);
  EXPECT_NE(with("HOLOGRAM_NUM_THREADS", "3").find("ok    threads      3: "), std::string::npos);
  EXPECT_NE(with("HOLOGRAM_TIERED", "a\nb").find("HOLOGRAM_TIERED=\"a\\x0ab\""), std::string::npos);
}

// `python3 -m hologram` sets some for the command: nobody's news either.
TEST(Machine, LeavesOutVariablesThatNoUserHasSet) {
  setenv("HOLOGRAM_NUM_THREADS", "1", 1);
  const auto shown = [](const std::vector<Finding>& findings) {
    return ReportOf(findings).find("HOLOGRAM_NUM_THREADS=") != std::string::npos;
  };
  EXPECT_TRUE(shown(LookAtMachine()));
  EXPECT_FALSE(shown(LookAtMachine({"HOLOGRAM_NUM_THREADS"})));
  unsetenv("HOLOGRAM_NUM_THREADS");
}

}  // namespace
}  // namespace hologram::doctor
