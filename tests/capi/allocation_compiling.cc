// Allocations that fail while a kernel is compiled, some fourteen thousand. The compiling process
// makes a child at each place; there the allocation fails, and the child goes on to the end. So
// what is before the place is compiled once.
#include <hologram/hologram.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "allocation_calls.h"
#include "allocation_failures.h"

namespace hologram::test {

namespace {

// Of one process that compiles and its children.
struct Compilation {
  int64_t first;
  int64_t step;
  bool all;
  pthread_t thread;
  std::mt19937_64 random;
  int64_t n = 0;
  int64_t places = 0;
  int64_t wrong = 0;
  int64_t next = first;
  bool is_child = false;
};
Compilation* compilation = nullptr;

constexpr unsigned kSeconds = 60;

void Say(const char* what, int number) {
  ++compilation->wrong;
  std::printf("compiling, n = %lld%s: %s %d\n", static_cast<long long>(compilation->n),
              compilation->all ? " and all that follow" : "", what, number);
  std::fflush(stdout);
}

// Whether this allocation fails: only in the child of its place.
bool FailsHere() {
  Compilation& c = *compilation;
  if (pthread_equal(pthread_self(), c.thread) == 0) {
    Say("an allocation of another thread, which no child would have", 0);
    return false;
  }
  const int64_t n = c.n;
  bool fails = false;
  if (n == c.next) {
    const int kept = errno;
    ++c.places;
    const auto most = static_cast<uint64_t>(1 + n / 10);
    c.next += c.step != 0 ? c.step : 1 + static_cast<int64_t>(c.random() % most);
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSeconds);
      c.is_child = true;
      FailAllocation(-1, c.all);  // after this one
      fails = true;
    } else {
      int status = 0;
      if (child < 0 || waitpid(child, &status, 0) != child) Say("no child, error", errno);
      if (WIFSIGNALED(status)) Say("signal", WTERMSIG(status));
      if (WIFEXITED(status) && WEXITSTATUS(status) != 0) Say("status", WEXITSTATUS(status));
    }
    errno = kept;
  }
  ++c.n;
  return fails;
}

// A kernel that is found is right, native or interpreted; it is found again, and the next one is
// compiled.
int Compile(const Inputs& inputs) {
  constexpr int64_t kAtLeast = 5000;
  Compilation& c = *compilation;
  c.thread = pthread_self();
  failures = 0;
  Calls calls("compiling");
  hologram_executor* executor = nullptr;
  calls.Ok(hologram_executor_create_private(&executor));
  Load(calls, executor, inputs, false);
  hologram_kernel* kernel = nullptr;
  calls.set_armed(true);
  AskAtAllocations(&FailsHere);
  calls.Ok(hologram_executor_kernel(executor, "vector_add", &kernel));
  EndFailures();
  calls.set_armed(false);
  if (kernel != nullptr) Add(calls, kernel, HOLOGRAM_BACKEND_AUTO);
  hologram_kernel_destroy(kernel);
  With(calls, executor, "vector_add",
       [&](const hologram_kernel* found) { Add(calls, found, HOLOGRAM_BACKEND_AUTO); });
  With(calls, executor, "row_sums", [](const hologram_kernel* next) {
    const std::string path = hologram_kernel_path(next);
    if (path.rfind("native", 0) != 0) Fail("the next kernel runs in the %s", path.c_str());
  });
  hologram_executor_destroy(executor);
  if (!c.is_child) {
    std::printf("%-28s %s: %lld places of %lld\n", "compiling",
                c.all ? "n-th and all after" : "n-th allocation   ",
                static_cast<long long>(c.places), static_cast<long long>(c.n));
    if (c.n < kAtLeast) Fail("compiling: the kernel came from elsewhere");
    if (c.wrong != 0) Fail("compiling: %lld children", static_cast<long long>(c.wrong));
  }
  std::fflush(stdout);
  return failures == 0 ? 0 : 1;
}

}  // namespace

// The compiler is loaded already: objects of LLVM that are made then cannot throw through the
// loader (runtime/compiler_plugin.cc looks for room before). Each compilation is in a process of
// its own, where LLVM's objects with static storage are as yet unmade.
void FailWhileCompiling(const Inputs& inputs, int64_t first, int64_t step, uint64_t seed) {
  for (const bool all : {false, true}) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      Compilation made{first, step, all, {}, std::mt19937_64(seed)};
      compilation = &made;
      _exit(Compile(inputs));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      Fail("compiling%s: status %d", all ? ", all that follow" : "", status);
    }
  }
}

}  // namespace hologram::test
