// The check that elements are all different: every type, both ways to do it, and its words.
#include "launch/unique.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "launch/facts.h"
#include "text/text.h"

namespace hologram::launch {
namespace {

VerifiedProgram ProgramOf(const std::string& type) {
  Result<std::vector<isa::Program>> programs = text::Assemble(
      ".kernel k\n.param x f32[] in\n.param p " + type + "[] in unique\n  exit\n", "test.hasm");
  return verify::Verify(std::move(programs).value()[0]).value();
}

template <class T>
std::string ErrorOf(const std::string& type, const std::vector<T>& values, size_t beyond = 0) {
  // At an address that is none of the type.
  std::vector<char> bytes(values.size() * sizeof(T) + beyond + 1);
  std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(T));
  const std::array<hologram_buffer_ref, 2> buffers{
      {{nullptr, 0}, {bytes.data() + 1, values.size() * sizeof(T) + beyond}}};
  Launch launch;
  launch.buffers = buffers;
  const Status status = CheckUnique(ProgramOf(type), launch);
  return status.ok() ? "" : status.errors()[0].message;
}

std::string Equal(uint64_t first, uint64_t second, const std::string& value) {
  return "array p is declared unique, but its elements " + std::to_string(first) + " and " +
         std::to_string(second) + " are both " + value;
}

template <class T>
void TestType(const std::string& type) {
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(ErrorOf<T>(type, {}), "") << type;
  EXPECT_EQ(ErrorOf<T>(type, {7}), "") << type;
  EXPECT_EQ(ErrorOf<T>(type, {Limits::min(), Limits::max(), 0 == Limits::min() ? T{1} : T{0}}), "")
      << type;
  EXPECT_EQ(ErrorOf<T>(type, {Limits::max(), Limits::min(), 3, Limits::min(), Limits::max()}),
            Equal(1, 3, std::to_string(Limits::min())))
      << type;
  std::vector<T> dense(100);
  std::iota(dense.rbegin(), dense.rend(), static_cast<T>(Limits::min() / 2));
  EXPECT_EQ(ErrorOf(type, dense), "") << type;
  dense[99] = dense[41];
  EXPECT_EQ(ErrorOf(type, dense), Equal(41, 99, std::to_string(dense[41]))) << type;
  EXPECT_EQ(ErrorOf<T>(type, {5, 5}, sizeof(T) - 1), Equal(0, 1, "5")) << type;
}

TEST(Unique, EveryType) {
  TestType<int8_t>("i8");
  TestType<int16_t>("i16");
  TestType<int32_t>("i32");
  TestType<int64_t>("i64");
  TestType<uint8_t>("u8");
  TestType<uint16_t>("u16");
  TestType<uint32_t>("u32");
  TestType<uint64_t>("u64");
}

// Against a set, with values that are near and far apart.
TEST(Unique, RandomValues) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const auto count = static_cast<size_t>(random() % 2000 + 2);
    const uint64_t mask = UINT64_MAX >> (random() % 56);
    std::vector<uint64_t> values(count);
    for (uint64_t& value : values) value = random() & mask;
    std::unordered_map<uint64_t, size_t> places;
    std::string wanted;
    for (size_t k = 0; k < count && wanted.empty(); ++k) {
      const auto [place, is_new] = places.emplace(values[k], k);
      if (!is_new) wanted = Equal(place->second, k, std::to_string(values[k]));
    }
    EXPECT_EQ(ErrorOf("u64", values), wanted);
    std::vector<uint32_t> narrow(values.begin(), values.end());
    const bool fits = mask <= UINT32_MAX;
    EXPECT_TRUE(!fits || ErrorOf("u32", narrow) == wanted);
  }
}

TEST(Unique, StopsWhereTheLaunchIsCancelled) {
  const std::atomic<uint32_t> word{1};
  std::array<uint32_t, 2> values{1, 2};
  const std::array<hologram_buffer_ref, 2> buffers{{{nullptr, 0}, {values.data(), 8}}};
  Launch launch;
  launch.buffers = buffers;
  launch.cancel = &word;
  const Status status = CheckUnique(ProgramOf("u32"), launch);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.errors()[0].code, ErrorCode::kCancelled);
}

// While it looks for the first of many that are there twice, which takes longest.
TEST(Unique, StopsInEachOfItsParts) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t kHalf = size_t{1} << 19;
  std::vector<uint64_t> values(2 * kHalf);
  for (size_t k = 0; k < kHalf; ++k) values[k] = values[k + kHalf] = k * 0x9E3779B97F4A7C15;
  const std::array<hologram_buffer_ref, 2> buffers{
      {{nullptr, 0}, {values.data(), values.size() * sizeof(uint64_t)}}};
  const VerifiedProgram program = ProgramOf("u64");
  std::atomic<uint32_t> word{0};
  Launch launch;
  launch.buffers = buffers;
  launch.cancel = &word;
  Clock::duration took = Clock::duration::max();
  for (int run = 0; run < 3; ++run) {
    const Clock::time_point start = Clock::now();
    const Status whole = CheckUnique(program, launch);
    took = std::min(took, Clock::now() - start);
    ASSERT_FALSE(whole.ok());
    EXPECT_EQ(whole.errors()[0].message, Equal(0, kHalf, "0"));
  }
  for (int tenth = 1; tenth < 8; ++tenth) {
    ErrorCode code = ErrorCode::kInvalidArgument;
    // A thread may begin late: again then.
    for (int run = 0; code != ErrorCode::kCancelled && run < 20; ++run) {
      word.store(0);
      std::thread other([&] {
        std::this_thread::sleep_for(took * tenth / 10);
        word.store(1);
      });
      const Status status = CheckUnique(program, launch);
      other.join();
      ASSERT_FALSE(status.ok());
      code = status.errors()[0].code;
    }
    EXPECT_EQ(code, ErrorCode::kCancelled) << tenth;
  }
}

// Another thread writes values of every size: the check ends with one outcome or the other, and the
// sanitizers find no access outside of its own memory.
TEST(Unique, ArraysThatChangeMeanwhile) {
  constexpr size_t kCount = 4096;
  const VerifiedProgram program = ProgramOf("u64");
  std::vector<std::atomic<uint64_t>> values(kCount);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    std::mt19937_64 random(9);
    while (!stop.load()) {
      // Some rounds have near values only, which the check keeps as bits, others any.
      const uint64_t mask = random() % 2 == 0 ? 8 * kCount - 1 : UINT64_MAX;
      for (size_t k = 0; k < kCount; ++k) values[k].store(random() & mask);
    }
  });
  const std::array<hologram_buffer_ref, 2> buffers{
      {{nullptr, 0}, {values.data(), kCount * sizeof(uint64_t)}}};
  Launch launch;
  launch.buffers = buffers;
  size_t equal = 0;
  for (int round = 0; round < 2000; ++round) {
    const Status status = CheckUnique(program, launch);
    if (status.ok()) continue;
    ++equal;
    EXPECT_EQ(status.errors()[0].code, ErrorCode::kInvalidArgument);
  }
  stop.store(true);
  writer.join();
  EXPECT_GT(equal, 0U);
}

// No function of the arguments alone decides such a launch.
TEST(Unique, HasNoEntry) {
  const VerifiedProgram program = ProgramOf("u32");
  const KernelFacts facts(program);
  EXPECT_TRUE(facts.declares_unique);
  EXPECT_TRUE(facts.may_split);
  EXPECT_FALSE(facts.may_enter(0));
}

}  // namespace
}  // namespace hologram::launch
