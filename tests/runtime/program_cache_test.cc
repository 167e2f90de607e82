// Programs by key: one is built once, whoever asks; what does not fit is not kept.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "programs/builder.h"
#include "programs/cache.h"

namespace hologram::runtime {
namespace {

using isa::Type;
using programs::ProgramCache;
using programs::ProgramKey;

Result<isa::Program> Fill() {
  return programs::FillProgram(Type::kF32);
}

// No address, size or datum has room in a key.
static_assert(std::is_constructible_v<ProgramKey::Parameter, Type>);
static_assert(std::is_constructible_v<ProgramKey::Parameter, uint8_t>);
static_assert(!std::is_constructible_v<ProgramKey::Parameter, const void*>);
static_assert(!std::is_constructible_v<ProgramKey::Parameter, uint64_t>);
static_assert(!std::is_constructible_v<ProgramKey::Parameter, uint32_t>);
static_assert(!std::is_constructible_v<ProgramKey::Parameter, int>);
static_assert(!std::is_constructible_v<ProgramKey::Parameter, float>);

TEST(ProgramKey, DiffersInEveryPart) {
  const std::string longest(ProgramKey::kMaxName, 'x');
  const ProgramKey keys[] = {
      {"add", {}},
      {"add", {Type::kI8}},
      {"add", {Type::kI8, Type::kI8}},
      {"add", {Type::kI16}},
      {"add", {uint8_t{0}}},
      {"add", {uint8_t{1}}},
      {"add", {uint8_t{0}, Type::kI8}},
      {"add", {Type::kI8, uint8_t{0}}},
      {"ad", {}},
      {longest, {}},
      {longest.substr(1), {}},
  };
  for (const ProgramKey& a : keys) {
    int equal = 0;
    for (const ProgramKey& b : keys) equal += a == b ? 1 : 0;
    EXPECT_EQ(equal, 1);
  }
}

TEST(ProgramCache, BuildsOnce) {
  ProgramCache cache;
  constexpr ProgramKey kKey("fill", {Type::kF32});
  EXPECT_EQ(cache.Find(kKey), nullptr);
  int built = 0;
  const auto build = [&] {
    ++built;
    return Fill();
  };
  const auto first = cache.FindOrBuild(kKey, build);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first.value()->program().name, "fill_f32");
  EXPECT_EQ(&*cache.FindOrBuild(ProgramKey("fill", {Type::kF32}), build).value(), &*first.value());
  EXPECT_EQ(cache.Find(kKey), &*first.value());
  EXPECT_EQ(built, 1);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(ProgramCache, ErrorsAreToldAndNotKept) {
  ProgramCache cache;
  constexpr ProgramKey kKey("k", {});
  const auto failed = cache.FindOrBuild(
      kKey, []() -> Result<isa::Program> { return Error(ErrorCode::kUnsupported, "not today"); });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.errors()[0].message, "not today");
  const auto refused = cache.FindOrBuild(kKey, []() -> Result<isa::Program> {
    programs::ProgramBuilder builder("reads");
    const auto a = builder.AddBuffer("a", Type::kF32, isa::Direction::kInOut);
    builder.Store(a, builder.Constant(Type::kU32, 7), {9, Type::kF32});  // r9 is never written
    return builder.Finish();
  });
  EXPECT_FALSE(refused.ok()) << "not verified";
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_TRUE(cache.FindOrBuild(kKey, Fill).ok());
}

TEST(ProgramCache, AFullOneStillAnswers) {
  ProgramCache cache(3);
  for (uint8_t k = 0; k < 10; ++k) {
    const auto found = cache.FindOrBuild(ProgramKey("k", {k}), Fill);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value().kept(), k < 3);
    EXPECT_EQ(found.value()->program().name, "fill_f32");
  }
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_EQ(cache.not_kept(), 7u);
  // What is not kept is built for each who asks, and lives as long as they hold it.
  const auto one = cache.FindOrBuild(ProgramKey("k", {uint8_t{9}}), Fill);
  const auto other = cache.FindOrBuild(ProgramKey("k", {uint8_t{9}}), Fill);
  EXPECT_NE(&*one.value(), &*other.value());
  EXPECT_EQ(cache.not_kept(), 9u);
  EXPECT_NE(cache.Find(ProgramKey("k", {uint8_t{2}})), nullptr);
  EXPECT_EQ(cache.Find(ProgramKey("k", {uint8_t{3}})), nullptr);
}

TEST(ProgramCache, ManyThreadsBuildEachProgramOnce) {
  constexpr int kThreads = 8;
  constexpr uint8_t kKeys = 100;
  ProgramCache cache;
  std::atomic<int> built[kKeys] = {};
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint8_t k = 0; k < kKeys; ++k) {
        const auto number = static_cast<uint8_t>((k + t * 13) % kKeys);
        const ProgramKey key("k", {number});
        const auto found = cache.FindOrBuild(key, [&]() -> Result<isa::Program> {
          // The first attempt of every third fails; whoever waited for it builds.
          if (built[number].fetch_add(1) == 0 && number % 3 == 0) {
            return Error(ErrorCode::kUnsupported, "first");
          }
          programs::ProgramBuilder builder("p" + std::to_string(number));
          return builder.Finish();
        });
        if (!found.ok()) continue;
        if (found.value()->program().name != "p" + std::to_string(number)) ++wrong;
        if (cache.Find(key) != &*found.value()) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cache.size(), size_t{kKeys});
  for (uint8_t k = 0; k < kKeys; ++k) EXPECT_EQ(built[k], k % 3 == 0 ? 2 : 1) << int{k};
}

}  // namespace
}  // namespace hologram::runtime
