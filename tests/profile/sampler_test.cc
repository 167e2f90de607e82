#include "profile/sampler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <utility>

#include "profile/probes.h"
#include "profile/profile.h"

namespace hologram::profile {
namespace {

void Work(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

#if defined(__linux__)
TEST(Sampler, SeesTheThreadAndGivesTheSignalBack) {
  Result<Sampler> sampler = Sampler::Start(200'000);
  ASSERT_TRUE(sampler.ok()) << sampler.errors()[0].message;
  const Result<Sampler> second = Sampler::Start(200'000);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.errors()[0].message, "another launch is sampled at this time");
  Work(std::chrono::milliseconds(50));
  Sampler moved = std::move(sampler).value();
  const std::vector<uint64_t> addresses = moved.Stop();
  EXPECT_GT(addresses.size(), 10U);
  EXPECT_LE(addresses.size(), 1000U);
  EXPECT_TRUE(moved.Stop().empty());
  struct sigaction after{};
  sigaction(SIGPROF, nullptr, &after);
  EXPECT_EQ(after.sa_handler, SIG_DFL);
  EXPECT_TRUE(Sampler::Start(200'000).ok());
}

TEST(Sampler, LeavesTheHandlerOfAProgramAlone) {
  struct sigaction own{};
  own.sa_handler = [](int) {};
  sigaction(SIGPROF, &own, nullptr);
  const Result<Sampler> sampler = Sampler::Start(200'000);
  ASSERT_FALSE(sampler.ok());
  EXPECT_EQ(sampler.errors()[0].message, "the program has a handler for SIGPROF");
  struct sigaction after{};
  sigaction(SIGPROF, nullptr, &after);
  EXPECT_EQ(after.sa_handler, own.sa_handler);
  own.sa_handler = SIG_DFL;
  sigaction(SIGPROF, &own, nullptr);
}
#endif

TEST(Probes, AreOfThisMachine) {
  const double single = ProbeArithmetic(32);
  const double twice = ProbeArithmetic(64);
  EXPECT_GT(single, 1e8);
  EXPECT_LT(single, 1e13);
  EXPECT_GT(twice, 0.2 * single);
  EXPECT_LT(twice, 1.2 * single);
  EXPECT_GT(ProbeBandwidth(3000), 1e8);
}

TEST(Roofline, TheLowerRoofIsTheLimit) {
  Roofline roofline;
  roofline.operations = 100;
  roofline.bytes = 400;
  roofline.seconds = 1;
  roofline.most_operations = 1000;
  roofline.most_bytes = 800;
  EXPECT_EQ(roofline.intensity(), 0.25);
  EXPECT_EQ(roofline.roof(), 200);
  EXPECT_TRUE(roofline.is_memory_bound());
  EXPECT_EQ(roofline.reached(), 0.5);
  roofline.bytes = 10;
  EXPECT_EQ(roofline.roof(), 1000 * 0.8 * 1.25);
  roofline.bytes = 1;
  EXPECT_FALSE(roofline.is_memory_bound());
  EXPECT_EQ(roofline.reached(), 0.1);
  roofline.operations = 0;
  EXPECT_TRUE(roofline.is_memory_bound());
}

}  // namespace
}  // namespace hologram::profile
