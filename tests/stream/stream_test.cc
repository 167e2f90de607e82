// The parts of streams, without a compiler: lanes of windows, what units reach, the three hands,
// pools, places.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

#include "launch/cut.h"
#include "launch/window.h"
#include "runtime/assembled.h"
#include "stream/line.h"
#include "stream/run.h"
#include "verify/pointwise.h"

namespace hologram::stream {
namespace {

constexpr const char* kDouble = R"(
.kernel twice
.param x i32[] in
.param y i32[] out
.param n u32
  sreg.u32 r4, global.x
  setge.u32 p0, r4, r3
  bra.p0 @L1
  ldg.i32 r5, [r1 + r4*4]
  add.i32 r5, r5, r5
  stg.i32 [r2 + r4*4], r5
L1:
  exit
)";

// The same with what each element is next to.
constexpr const char* kSteps = R"(
.kernel steps
.param x i32[] in
.param y i32[] out
.param n u32
  sreg.u32 r4, global.x
  setge.u32 p0, r4, r3
  bra.p0 @L1
  mov_imm.u32 r6, 1
  setlt.u32 p0, r4, r6
  bra.p0 @L1
  ldg.i32 r5, [r1 + r4*4 - 4]
  stg.i32 [r2 + r4*4], r5
L1:
  exit
)";

verify::VerifiedProgram Verified(const char* text) {
  Result<verify::VerifiedProgram> verified = verify::Verify(test::Assembled(text));
  EXPECT_TRUE(verified.ok()) << ToString(verified.errors()[0]);
  return std::move(verified).value();
}

runtime::Kernel Interpreted(const char* text) {
  return runtime::Kernel(Verified(text), "id", "a test");
}

TEST(Pointwise, IsTheIdAlone) {
  EXPECT_EQ(verify::LengthOfPointwise(Verified(kDouble)), std::optional<uint32_t>(0));
  EXPECT_EQ(verify::LengthOfPointwise(Verified(kSteps)), std::nullopt);
  std::string uses_id = kDouble;
  uses_id.replace(uses_id.find("add.i32 r5, r5, r5"), 18, "cvt.i32.u32 r5, r4");
  EXPECT_EQ(verify::LengthOfPointwise(Verified(uses_id.c_str())), std::nullopt);
}

TEST(WindowLanes, AreEachLaneOnce) {
  for (const hologram_launch_shape& shape :
       {hologram_launch_shape{{7, 1, 1}, {5, 1, 1}}, hologram_launch_shape{{3, 4, 2}, {5, 2, 3}},
        hologram_launch_shape{{2, 6, 1}, {4, 1, 1}}}) {
    for (const uint32_t unit : {HOLOGRAM_UNIT_LANE, HOLOGRAM_UNIT_ROW, HOLOGRAM_UNIT_BLOCK}) {
      if (!launch::UnitsCover(unit, shape)) continue;
      const uint64_t units = launch::UnitsOf(unit, shape);
      uint64_t lanes = 1;
      for (int d = 0; d < 3; ++d) lanes *= uint64_t{shape.grid[d]} * shape.block[d];
      std::vector<int> seen(lanes, 0);
      for (uint64_t first = 0; first < units; first += 5) {
        const launch::Window window{unit, first, std::min(first + 5, units), {}, {}};
        for (launch::WindowLanes spans(shape, window); const auto span = spans.Next();) {
          for (uint64_t lane = span->first; lane < span->last; ++lane) ++seen[lane];
        }
      }
      EXPECT_EQ(seen, std::vector<int>(lanes, 1)) << unit;
    }
  }
}

TEST(Windows, HaveTheBitsOfTheWhole) {
  const runtime::Kernel kernel = Interpreted(kSteps);
  constexpr uint64_t kElements = 1000;
  std::vector<int32_t> x(kElements);
  for (size_t k = 0; k < x.size(); ++k) x[k] = static_cast<int32_t>(k * k);
  std::vector<int32_t> y(kElements, 0);
  const std::array<uint64_t, 1> scalars{kElements};
  const std::array<uint64_t, 2> extents{kElements, kElements};
  runtime::LaunchConfig config;
  for (uint64_t first = 0; first < kElements; first += 100) {
    launch::Window window;
    window.first = first;
    window.last = first + 100;
    window.extent = extents;
    const auto reach = kernel.ReachOf(scalars, config, window);
    ASSERT_TRUE(reach.ok());
    const launch::BufferReach& in = reach.value()[0];
    const launch::BufferReach& out = reach.value()[1];
    EXPECT_EQ(in.low, first == 0 ? 0 : first - 1);
    EXPECT_EQ(in.high, window.last - 1);
    const std::array<hologram_buffer_ref, 2> buffers{
        {{x.data() + in.low, (in.high - in.low) * 4},
         {y.data() + out.low, (out.high - out.low) * 4}}};
    std::array<uint64_t, 2> base{in.low, out.low};
    window.base = base;
    launch::Way way;
    const Status ran = kernel.LaunchWindow(buffers, scalars, config, window, way);
    ASSERT_TRUE(ran.ok()) << ToString(ran.errors()[0]);
    // One element less of what is read.
    ++base[0];
    const std::array<hologram_buffer_ref, 2> fewer{
        {{x.data() + in.low + 1, (in.high - in.low - 1) * 4}, buffers[1]}};
    EXPECT_FALSE(kernel.LaunchWindow(fewer, scalars, config, window, way).ok());
  }
  EXPECT_EQ(y[0], 0);
  for (size_t k = 1; k < y.size(); ++k) ASSERT_EQ(y[k], x[k - 1]) << k;
}

TEST(Line, TheFirstFailureInTheOrderOfTheStreamIsTheOne) {
  Line line(10, 3);
  ASSERT_TRUE(line.Begin(Hand::kReads, 0));
  line.End(Hand::kReads, 0);
  line.End(Hand::kReads, 1);
  line.End(Hand::kComputes, 0);
  line.Fail(Hand::kReads, 2, {Error(ErrorCode::kInvalidArgument, "read")});
  EXPECT_FALSE(line.Begin(Hand::kReads, 2));
  EXPECT_TRUE(line.Begin(Hand::kComputes, 1));
  EXPECT_TRUE(line.Begin(Hand::kWrites, 0));
  line.Fail(Hand::kComputes, 1, {Error(ErrorCode::kFault, "computed")});
  EXPECT_TRUE(line.Begin(Hand::kWrites, 0));
  EXPECT_TRUE(line.stop(Hand::kReads));
  EXPECT_FALSE(line.stop(Hand::kWrites));
  line.End(Hand::kWrites, 0);
  EXPECT_FALSE(line.Begin(Hand::kWrites, 1));
  line.Fail(Hand::kReads, 5, {Error(ErrorCode::kInvalidArgument, "late")});
  EXPECT_EQ(line.errors()->at(0).message, "computed");
}

TEST(Line, WaitsForMemory) {
  Line line(100, 2);
  std::thread others([&] {
    for (uint64_t k = 0; line.Begin(Hand::kComputes, k); ++k) {
      line.End(Hand::kComputes, k);
      ASSERT_TRUE(line.Begin(Hand::kWrites, k));
      line.End(Hand::kWrites, k);
    }
  });
  uint64_t k = 0;
  for (; line.Begin(Hand::kReads, k); ++k) line.End(Hand::kReads, k);
  others.join();
  EXPECT_EQ(k, 100u);
  EXPECT_FALSE(line.errors());
}

TEST(Pools, AreAsLargeAsTheyAre) {
  const std::unique_ptr<Pool> pool = std::move(Pool::Make(100)).value();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pool->data()) % kPoolAlignment, 0u);
  std::array<char, 100> bytes{};
  EXPECT_TRUE(pool->CopyTo(0, bytes.data(), 100).ok());
  EXPECT_TRUE(pool->CopyTo(100, bytes.data(), 0).ok());
  const Status beyond = pool->CopyTo(1, bytes.data(), 100);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.errors()[0].message, "100 bytes at byte 1 of a pool of 100 bytes");
  EXPECT_FALSE(pool->CopyFrom(UINT64_MAX, bytes.data(), 2).ok());
  EXPECT_FALSE(Pool::Make(0).ok());
  EXPECT_FALSE(Pool::Make(UINT64_MAX / 2).ok());
}

// Streams numbers through memory and pipes.
class Streams : public ::testing::Test {
 protected:
  Streams() {
    for (size_t k = 0; k < x_.size(); ++k) x_[k] = static_cast<int32_t>(k * 7);
  }

  Request RequestFor(const runtime::Kernel& kernel, uint64_t window) {
    Request request;
    request.kernel = &kernel;
    request.scalars = {x_.size()};
    request.window_bytes = window;
    request.flows.resize(2);
    request.flows[0].source = MemorySource(x_.data(), x_.size() * 4);
    request.flows[0].extent = x_.size();
    request.flows[1].sink = MemorySink(y_.data(), y_.size() * 4, "y");
    request.flows[1].extent = y_.size();
    return request;
  }

  std::vector<int32_t> x_ = std::vector<int32_t>(5000);
  std::vector<int32_t> y_ = std::vector<int32_t>(5000, -1);
};

TEST_F(Streams, AnyWindowGivesTheSame) {
  const runtime::Kernel kernel = Interpreted(kSteps);
  for (const uint64_t window : {4u, 100u, 4096u, 1u << 20}) {
    std::fill(y_.begin(), y_.end(), -1);
    const Result<Streamed> done = stream::Run(RequestFor(kernel, window));
    ASSERT_TRUE(done.ok()) << ToString(done.errors()[0]);
    EXPECT_EQ(y_[0], 0);  // no lane writes it
    for (size_t k = 1; k < y_.size(); ++k) ASSERT_EQ(y_[k], x_[k - 1]) << window << " " << k;
    EXPECT_EQ(done.value().bytes_written, y_.size() * 4);
  }
}

TEST_F(Streams, APoolHasRoomOrNot) {
  const runtime::Kernel kernel = Interpreted(kSteps);
  const std::unique_ptr<Pool> pool = std::move(Pool::Make(1024)).value();
  Request request = RequestFor(kernel, 0);
  request.pool = pool.get();
  const Result<Streamed> done = stream::Run(std::move(request));
  ASSERT_TRUE(done.ok()) << ToString(done.errors()[0]);
  EXPECT_LE(done.value().pool_bytes, 1024u);
  Request large = RequestFor(kernel, 4096);
  large.pool = pool.get();
  const Result<Streamed> refused = stream::Run(std::move(large));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors()[0].code, ErrorCode::kResourceLimit);
}

TEST_F(Streams, APipeEndsWhereItEnds) {
  const runtime::Kernel kernel = Interpreted(kDouble);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread writer([&] {
    EXPECT_EQ(write(ends[1], x_.data(), x_.size() * 4), static_cast<ssize_t>(x_.size() * 4));
    close(ends[1]);
  });
  Request request = RequestFor(kernel, 1000);
  request.flows[0].source = DescriptorSource(ends[0], std::nullopt, "x");
  request.flows[0].extent = request.flows[1].extent = kUnknown;
  const Result<Streamed> done = stream::Run(std::move(request));
  writer.join();
  close(ends[0]);
  ASSERT_TRUE(done.ok()) << ToString(done.errors()[0]);
  EXPECT_EQ(done.value().elements, x_.size());
  for (size_t k = 0; k < y_.size(); ++k) ASSERT_EQ(y_[k], 2 * x_[k]) << k;
}

TEST_F(Streams, WhatIsBehindTheShortestInputIsAnError) {
  const runtime::Kernel kernel = Interpreted(kSteps);
  Request request = RequestFor(kernel, 1000);
  request.flows[0].source = MemorySource(x_.data(), 4001);
  const Result<Streamed> done = stream::Run(std::move(request));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.errors()[0].message,
            "'x' ends after 4001 bytes, in the middle of an element of 4; it was to have 20000");
}

TEST_F(Streams, ProgressStops) {
  const runtime::Kernel kernel = Interpreted(kDouble);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // nobody writes
  Request request = RequestFor(kernel, 1000);
  request.flows[0].source = DescriptorSource(ends[0], std::nullopt, "x");
  request.progress = [](const Streamed&) -> Status {
    return Error(ErrorCode::kCancelled, "enough");
  };
  const Result<Streamed> done = stream::Run(std::move(request));
  close(ends[0]);
  close(ends[1]);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.errors()[0].message, "enough");
}

}  // namespace
}  // namespace hologram::stream
