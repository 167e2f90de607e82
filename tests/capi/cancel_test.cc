// Launches that another thread stops: how long that takes, and that nothing but the outputs has
// changed. Once with the compiler plugin, once without.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "../support/guarded_pages.h"
#include "cancel_kernels.h"
#include "hologram/hologram.hpp"

namespace hologram {
namespace {

using Clock = std::chrono::steady_clock;

// An array that ends where an untouchable page begins.
class Guarded {
 public:
  explicit Guarded(size_t elements) : bytes_(elements * sizeof(uint32_t)), pages_(bytes_) {}
  uint32_t* data() { return reinterpret_cast<uint32_t*>(pages_.end() - bytes_); }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_;
  tests::GuardedPages pages_;
};

class Cancel : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<uint8_t> bytes = test::CancelBundle();
    hologram_error* error = hologram_executor_create_private(&executor_);
    ASSERT_EQ(error, nullptr);
    error = hologram_executor_load_memory(executor_, bytes.data(), bytes.size(), nullptr);
    ASSERT_EQ(error, nullptr) << hologram_error_text(error);
  }
  void TearDown() override { hologram_executor_destroy(executor_); }

  struct Answer {
    int32_t code = 0;
    double seconds = 0;  // from the cancellation to the end
  };

  hologram_error* Launch(hologram_kernel* kernel, uint32_t m, uint32_t lanes,
                         const hologram_launch_config& config) {
    hologram_argument arguments[4]{};
    constexpr uint32_t kIn = uint32_t{HOLOGRAM_U32} | HOLOGRAM_ARGUMENT_BUFFER;
    arguments[0] = {kIn, {x_.data(), x_.bytes()}, 0};
    arguments[1] = {kIn | HOLOGRAM_ARGUMENT_WRITABLE, {out_.data(), out_.bytes()}, 0};
    arguments[2] = {HOLOGRAM_U32, {}, m};
    arguments[3] = {HOLOGRAM_U32, {}, lanes};
    return hologram_kernel_launch(kernel, arguments, 4, &config);
  }

  Answer StopAfter(const std::string& name, hologram_launch_config config,
                   std::chrono::milliseconds delay) {
    hologram_kernel* kernel = nullptr;
    EXPECT_EQ(hologram_executor_kernel(executor_, name.c_str(), &kernel), nullptr);
    const char* const jit = std::getenv("HOLOGRAM_JIT");
    const bool native = jit != nullptr && std::string(jit) != "/nonexistent";
    EXPECT_EQ(std::string(hologram_kernel_path(kernel)).starts_with("native"), native);
    for (size_t k = 0; k < kElements; ++k) x_.data()[k] = UINT32_MAX;
    std::atomic<bool> done{false};
    Answer answer;
    Clock::time_point end;
    std::thread launcher([&] {
      hologram_error* error = Launch(kernel, 0x80000000U, kElements, config);
      end = Clock::now();
      answer.code = error == nullptr ? 0 : hologram_error_code(error);
      hologram_error_destroy(error);
      done = true;
    });
    std::this_thread::sleep_for(delay);
    EXPECT_FALSE(done) << name << " was too fast to be stopped";
    const Clock::time_point begin = Clock::now();
    hologram_cancel(executor_);
    launcher.join();
    answer.seconds = std::chrono::duration<double>(end - begin).count();
    for (size_t k = 0; k < kElements; ++k) EXPECT_EQ(x_.data()[k], UINT32_MAX) << name;
    // Those that begin later fail too, until the executor goes on.
    hologram_error* error = Launch(kernel, 0x80000000U, kElements, config);
    EXPECT_NE(error, nullptr);
    if (error != nullptr) {
      EXPECT_EQ(hologram_error_code(error), HOLOGRAM_ERROR_CANCELLED);
      EXPECT_EQ(std::string(hologram_error_text(error)),
                "hologram: error: kernel '" + name + "': the launch was cancelled");
    }
    hologram_error_destroy(error);
    hologram_resume(executor_);
    hologram_launch_config small = config;
    small.grid[0] = config.grid[0] == 0 ? 0 : 2;
    for (size_t k = 0; k < kElements; ++k) x_.data()[k] = 3;
    error = Launch(kernel, 3, kElements, small);
    EXPECT_EQ(error, nullptr) << hologram_error_text(error);
    hologram_error_destroy(error);
    hologram_kernel_destroy(kernel);
    return answer;
  }

  void ExpectStops(const std::string& name, const hologram_launch_config& config) {
    for (const uint32_t backend : {HOLOGRAM_BACKEND_AUTO, HOLOGRAM_BACKEND_INTERPRETER}) {
      for (const uint32_t threads : {1U, 2U}) {
        hologram_launch_config one = config;
        one.backend = backend;
        one.threads = threads;
        const Answer answer = StopAfter(name, one, std::chrono::milliseconds(150));
        EXPECT_EQ(answer.code, HOLOGRAM_ERROR_CANCELLED)
            << name << " " << backend << " " << threads;
        EXPECT_LT(answer.seconds, kMostSeconds) << name << " " << backend << " " << threads;
      }
    }
  }

  static constexpr size_t kElements = 512;
  static constexpr double kMostSeconds = 1;
  hologram_executor* executor_ = nullptr;
  Guarded x_{kElements};
  Guarded out_{kElements};
};

TEST_F(Cancel, OneLongLoop) {
  ExpectStops("spin", {});
}

TEST_F(Cancel, ALoopOfData) {
  ExpectStops("data", {});
}

TEST_F(Cancel, Recursion) {
  hologram_launch_config config{};
  config.budget = uint64_t{1} << 62;
  config.nondeterministic = 1;  // of calls it is not proved that lanes keep apart
  ExpectStops("tree", config);
}

TEST_F(Cancel, BarriersInALoop) {
  hologram_launch_config config{};
  config.grid[0] = 2;
  config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  config.block[0] = 256;
  ExpectStops("meet", config);
}

TEST_F(Cancel, LanesWithoutALoop) {
  hologram_launch_config config{};
  config.grid[0] = UINT32_MAX / 256;
  config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  config.block[0] = 256;
  ExpectStops("wide", config);
}

// By the inline path of hologram.hpp, which asks nobody before it runs.
TEST_F(Cancel, TheInlinePath) {
  Executor executor = Executor::make_private();
  const std::vector<uint8_t> bytes = test::CancelBundle();
  executor.load(std::as_bytes(std::span(bytes)));
  Kernel spin = executor.kernel("spin");
  const std::vector<uint32_t> x(4, 1);
  std::vector<uint32_t> out(4);
  std::atomic<bool> started{false};
  std::thread stopper([&] {
    while (!started) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    executor.cancel();
  });
  started = true;
  int32_t code = 0;
  try {
    spin(std::span(x), std::span(out), 0xffffffffU, 4U);
  } catch (const Error& error) {
    code = error.code();
  }
  stopper.join();
  EXPECT_EQ(code, HOLOGRAM_ERROR_CANCELLED);
  executor.resume();
  spin(std::span(x), std::span(out), 2U, 4U);
  EXPECT_EQ(out[0], (1U * 1664525U * 1664525U) ^ 1U);
}

hologram_executor* signalled = nullptr;

TEST_F(Cancel, FromASignalHandler) {
  signalled = executor_;
  struct sigaction action{};
  action.sa_handler = [](int) { hologram_cancel(signalled); };
  ASSERT_EQ(sigaction(SIGALRM, &action, nullptr), 0);
  hologram_kernel* kernel = nullptr;
  ASSERT_EQ(hologram_executor_kernel(executor_, "spin", &kernel), nullptr);
  alarm(1);
  hologram_launch_config config{};
  config.threads = 1;
  hologram_error* error = Launch(kernel, UINT32_MAX, kElements, config);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(hologram_error_code(error), HOLOGRAM_ERROR_CANCELLED);
  hologram_error_destroy(error);
  hologram_kernel_destroy(kernel);
}

// Cancelling over and over hits launches in all their states.
TEST_F(Cancel, ManyTimes) {
  hologram_kernel* kernel = nullptr;
  ASSERT_EQ(hologram_executor_kernel(executor_, "spin", &kernel), nullptr);
  std::atomic<bool> stop{false};
  std::thread canceller([&] {
    for (unsigned k = 0; !stop; ++k) {
      hologram_cancel(executor_);
      std::this_thread::sleep_for(std::chrono::microseconds(k % 50));
      hologram_resume(executor_);
      std::this_thread::sleep_for(std::chrono::microseconds(k % 300));
    }
  });
  size_t done = 0;
  size_t cancelled = 0;
  constexpr size_t kEnough = 50;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(20);
  for (int k = 0; std::min(done, cancelled) < kEnough && Clock::now() < end; ++k) {
    hologram_launch_config config{};
    config.threads = 1 + static_cast<uint32_t>(k % 2);
    for (size_t i = 0; i < kElements; ++i) x_.data()[i] = 1;
    hologram_error* error = Launch(kernel, 2, kElements, config);
    if (error == nullptr) {
      ++done;
      for (size_t i = 0; i < kElements; ++i) {
        ASSERT_EQ(out_.data()[i], (1U * 1664525U * 1664525U) ^ 1U);
      }
      continue;
    }
    ASSERT_EQ(hologram_error_code(error), HOLOGRAM_ERROR_CANCELLED);
    hologram_error_destroy(error);
    ++cancelled;
  }
  stop = true;
  canceller.join();
  EXPECT_GE(done, kEnough);
  EXPECT_GE(cancelled, kEnough);
  hologram_kernel_destroy(kernel);
}

}  // namespace
}  // namespace hologram
