#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "native_objects.h"
#include "runtime/background_compiler.h"
#include "runtime/kernel.h"
#include "sanitized.h"

namespace hologram::runtime {
namespace {

struct Sum {
  explicit Sum(size_t n) : a(n, 1), b(n, 2), c(n, 0) {}
  std::array<hologram_buffer_ref, 3> buffers() {
    return {{{a.data(), a.size() * 4}, {b.data(), b.size() * 4}, {c.data(), c.size() * 4}}};
  }
  std::vector<float> a, b, c;
};

// Whether it ran natively; the result is looked at.
bool RunsNatively(const Kernel& kernel, size_t count, const LaunchConfig& config = {}) {
  Sum data(count);
  const uint64_t n = count;
  const auto outcome = kernel.Launch(data.buffers(), {&n, 1}, config);
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(data.c, std::vector<float>(count, 3));
  return outcome.ok() && outcome.value().native();
}

std::shared_ptr<Kernel> Compiling() {
  return std::make_shared<Kernel>(verify::Verify(test::Assembled(test::kAddText)).value(), "id",
                                  Kernel::Compiling{});
}

NativeCode Code() {
  return NativeCode::Load(test::ReadObject(HOLOGRAM_NATIVE_ADD)).value();
}

TEST(Tiered, RunsInTheInterpreterUntilThereIsCode) {
  const std::shared_ptr<Kernel> kernel = Compiling();
  EXPECT_EQ(kernel->path(), "interpreter (compiling)");
  EXPECT_EQ(kernel->InlineEntry().entry, nullptr);
  EXPECT_FALSE(RunsNatively(*kernel, 300));
  kernel->SetCode(Code(), "jit", "v4");
  EXPECT_EQ(kernel->path(), "native (jit, v4)");
  EXPECT_TRUE(RunsNatively(*kernel, 300));
  EXPECT_EQ(kernel->counts().native, 1u);
  EXPECT_EQ(kernel->counts().interpreted, 1u);
  kernel->AwaitCode();  // does not wait
}

TEST(Tiered, StaysInTheInterpreterIfThereIsNone) {
  const std::shared_ptr<Kernel> kernel = Compiling();
  kernel->SetNoCode("the compiler is ill");
  EXPECT_EQ(kernel->path(), "interpreter");
  EXPECT_FALSE(RunsNatively(*kernel, 300));
  Sum data(300);
  const uint64_t n = 300;
  LaunchConfig config;
  config.engine = launch::Engine::kCpu;
  const auto outcome = kernel->Launch(data.buffers(), {&n, 1}, config);
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.errors()[0].message.find("the compiler is ill"), std::string::npos);
}

// Code that arrives while a launch waits for it.
template <class F>
void CodeArrives(const F& launch) {
  const std::shared_ptr<Kernel> kernel = Compiling();
  std::thread compiler([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    kernel->SetCode(Code(), "jit", "v4");
  });
  launch(*kernel);
  compiler.join();
}

TEST(Tiered, LongLaunchesWaitForTheCode) {
  CodeArrives([](const Kernel& kernel) { EXPECT_TRUE(RunsNatively(kernel, 8'000'000)); });
}

TEST(Tiered, LaunchesThatAskForNativeCodeWaitForIt) {
  CodeArrives([](const Kernel& kernel) {
    LaunchConfig config;
    config.engine = launch::Engine::kInterpreter;
    EXPECT_FALSE(RunsNatively(kernel, 300, config));
    config.engine = launch::Engine::kCpu;
    EXPECT_TRUE(RunsNatively(kernel, 300, config));
  });
}

TEST(Tiered, LaunchesOfOtherThreadsGoOnMeanwhile) {
  const std::shared_ptr<Kernel> kernel = Compiling();
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> native{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([&] {
      while (!stop) native += RunsNatively(*kernel, 40) ? 1 : 0;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kernel->SetCode(Code(), "jit", "v4");
  kernel->AwaitCode();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (native < 10 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  stop = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_GE(native, 10u);
}

TEST(BackgroundCompiler, DoesJobsInTheirOrder) {
  std::vector<int> done;
  std::binary_semaphore last(0);
  for (int k = 0; k < 5; ++k) {
    BackgroundCompiler::Shared().Add([&, k](bool stopped) {
      EXPECT_FALSE(stopped);
      done.push_back(k);
      if (k == 4) last.release();
    });
  }
  last.acquire();
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(BackgroundCompiler, AForkWaitsForTheJobUnderWayAndTheChildHasTheOthers) {
  if (kSanitized) GTEST_SKIP() << "threads of a forked child are not for the thread sanitizer";
  std::atomic<bool> began{false};
  std::atomic<bool> ended{false};
  std::atomic<int> others{0};
  BackgroundCompiler::Shared().Add([&](bool) {
    began = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ended = true;
  });
  for (int k = 0; k < 3; ++k) {
    BackgroundCompiler::Shared().Add([&](bool) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++others;
    });
  }
  while (!began) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    if (!ended || others != 0) std::_Exit(1);
    BackgroundCompiler::Shared().Ensure();
    while (others != 3) std::this_thread::yield();
    std::_Exit(0);
  }
  EXPECT_TRUE(ended);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  while (others != 3) std::this_thread::yield();
}

// In a process of its own, which ends with jobs that nobody has begun.
TEST(BackgroundCompilerDeathTest, TheEndOfTheProcessFinishesOneJobAndStopsTheOthers) {
  if (kSanitized) GTEST_SKIP() << "sanitizers look at what is left at the end";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto finish = [] {
    static std::atomic<bool> began{false};
    for (int k = 0; k < 3; ++k) {
      BackgroundCompiler::Shared().Add([k](bool stopped) {
        began = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(stopped ? 0 : 50));
        std::fprintf(stderr, "%d %s;", k, stopped ? "stopped" : "done");
      });
    }
    while (!began) std::this_thread::yield();
    std::exit(0);
  };
  EXPECT_EXIT(finish(), testing::ExitedWithCode(0), "0 done;1 stopped;2 stopped;");
}

}  // namespace
}  // namespace hologram::runtime
