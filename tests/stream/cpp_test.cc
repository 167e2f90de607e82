// stream.hpp and window.hpp over a standard kernel: files, memory, pools; windows by hand.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "hologram/stream.hpp"
#include "hologram/window.hpp"

namespace hologram {
namespace {

constexpr std::size_t kElements = 300'001;

class CppStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/hologram-stream-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
    for (std::size_t k = 0; k < kElements; ++k) {
      x_[k] = static_cast<float>(k % 1013) * 0.25f;
      y_[k] = static_cast<float>(k % 377);
    }
    Write("x.raw", x_);
    Write("y.raw", y_);
    saxpy_(3.0f, x_, y_, expected_, static_cast<std::uint32_t>(kElements));
  }
  void TearDown() override {
    for (const char* name : {"x.raw", "y.raw", "out.raw"}) std::remove(Path(name).c_str());
    EXPECT_EQ(rmdir(folder_.c_str()), 0);  // nothing else was left
  }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::vector<float>& values) const {
    std::ofstream file(Path(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
  std::vector<float> Read(const std::string& name) const {
    std::vector<float> values(kElements);
    std::ifstream file(Path(name), std::ios::binary);
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(float)));
    EXPECT_TRUE(file.good());
    return values;
  }

  Executor executor_;
  Kernel saxpy_ = executor_.kernel("saxpy");
  std::string folder_;
  std::vector<float> x_ = std::vector<float>(kElements);
  std::vector<float> y_ = std::vector<float>(kElements);
  std::vector<float> expected_ = std::vector<float>(kElements);
};

TEST_F(CppStreams, Files) {
  for (const std::uint64_t window : {0u, 10'000u}) {
    Stream stream(saxpy_, {.window = window, .progress = {}});
    stream.set("a", 3.0f).in("x", Path("x.raw")).in("y", Path("y.raw"));
    stream.out("out", Path("out.raw")).set_length("n", "x");
    const hologram_streamed done = stream.run();
    EXPECT_EQ(done.elements, kElements);
    EXPECT_EQ(done.bytes_read, 8 * kElements);
    EXPECT_EQ(Read("out.raw"), expected_);
  }
}

TEST_F(CppStreams, MemoryThroughAPool) {
  const StreamPool pool(64 * 1024);
  std::vector<float> out(kElements);
  Stream stream(saxpy_, {.pool = &pool, .progress = {}});
  stream.set("a", 3.0f).in("x", std::span<const float>(x_)).in("y", std::span<const float>(y_));
  stream.out("out", std::span<float>(out)).set_length("n", "x");
  const hologram_streamed done = stream.run();
  EXPECT_LE(done.pool_bytes, pool.size());
  EXPECT_GT(done.windows, 10u);
  EXPECT_EQ(out, expected_);
}

TEST_F(CppStreams, PoolsAreMemory) {
  StreamPool pool(4096);
  pool.copy_to(16, x_.data(), 40);
  const std::span<float> view = pool.view<float>(16, 10);
  EXPECT_TRUE(std::equal(view.begin(), view.end(), x_.begin()));
  std::vector<float> back(10);
  pool.copy_from(16, back.data(), 40);
  EXPECT_TRUE(std::equal(back.begin(), back.end(), x_.begin()));
  EXPECT_THROW(pool.copy_to(4090, x_.data(), 40), Error);
  EXPECT_THROW(static_cast<void>(pool.view<float>(2, 1)), Error);
}

TEST_F(CppStreams, ErrorsLeaveNoFile) {
  Stream stream(saxpy_);
  stream.set("a", 3.0f).in("x", Path("x.raw")).in("y", std::span<const float>(y_).first(1000));
  stream.out("out", Path("out.raw")).set_length("n", "x");
  EXPECT_THROW(stream.run(), Error);
  EXPECT_NE(access(Path("out.raw").c_str(), F_OK), 0);
  EXPECT_THROW(stream.in("z", Path("x.raw")), Error);
  EXPECT_THROW(stream.in("x", Path("none.raw")), Error);
}

TEST_F(CppStreams, WindowsByHand) {
  Windows windows(saxpy_);
  windows.array("x", kElements).array("y", kElements).array("out", kElements);
  windows.set("a", 3.0f).set("n", static_cast<std::uint32_t>(kElements));
  const std::uint64_t units = windows.units();
  std::vector<float> out(kElements);
  for (std::uint64_t first = 0; first < units; first += 77'777) {
    const std::uint64_t last = std::min(first + 77'777, units);
    const hologram_reach reach = windows.reach(first, last)[0];
    ASSERT_EQ(reach.kind, std::uint32_t{HOLOGRAM_REACH_MOVES});
    const std::vector<float> x(x_.begin() + static_cast<std::ptrdiff_t>(reach.low),
                               x_.begin() + static_cast<std::ptrdiff_t>(reach.high));
    windows.part("x", x.data(), x.size(), reach.low);
    windows.part("y", y_.data() + reach.low, x.size(), reach.low);
    windows.part("out", out.data() + reach.low, x.size(), reach.low);
    windows.launch(first, last);
    windows.part("x", x.data(), x.size() - 1, reach.low);
    EXPECT_THROW(windows.launch(first, last), Error);
  }
  EXPECT_EQ(out, expected_);
}

}  // namespace
}  // namespace hologram
