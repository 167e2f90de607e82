// The figures of the slice against their peers, in one process; on one thread, except for those
// that say otherwise. Every kernel comes
// from a bundle that was compiled at build time and runs natively; the bench refuses to measure
// anything else. Prints one line a case and the number of bars missed; always exits 0, so that a
// noisy machine shows its numbers.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "bench_kernels.h"
#include "compile_times.h"
#include "hologram/hologram.hpp"
#include "peers.h"
#include "report.h"
#include "threads.h"

namespace hologram::bench {
namespace {

using Floats = Buffer<float>;

void Fill(Floats& buffer, float low, float high) {
  uint32_t state = 12345;
  for (float& x : buffer) {
    state = state * 1664525u + 1013904223u;
    x = low + (high - low) * (static_cast<float>(state >> 8) * 0x1p-24f);
  }
}

Floats Filled(size_t n, float low, float high) {
  Floats buffer(n);
  Fill(buffer, low, high);
  return buffer;
}

// Two inputs and an output for both sides of a comparison, at chosen places: a load that follows a
// store 4 KiB, or a multiple of that, away waits as if it read what was stored. Where malloc puts
// three arrays of 1,000 floats just that happens from case to case, and moved the C loop between 24
// and 46 ns. Here addresses differ by 1,344 and 2,688 bytes modulo 4 KiB.
struct Operands {
  explicit Operands(size_t n) : memory(4 * kPage + 3 * n), a(At(0, n)), b(At(1, n)), c(At(2, n)) {
    Fill(a, -1, 1);
    Fill(b, -1, 1);
  }

  static constexpr size_t kPage = 4096 / sizeof(float);

  Floats At(size_t k, size_t n) {
    const size_t misplaced = reinterpret_cast<uintptr_t>(memory.data()) / sizeof(float) % kPage;
    const size_t pages = (k * n + kPage - 1) / kPage;
    return Floats::borrow(memory.data() + (kPage - misplaced) + pages * kPage + k * 336, n);
  }

  Floats memory, a, b, c;
};

void PrintMachine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  std::string model = "unknown CPU";
  while (std::getline(cpuinfo, line)) {
    if (line.rfind("model name", 0) == 0) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  }
  std::printf("machine: %s; one thread; peers: %s, -O3 -march=native -ffast-math (libmvec)\n",
              model.c_str(), "g++ " __VERSION__);
  std::printf(
      "probe: FMA peak %.1f GFLOP/s; c = a + b over 192 MiB: %.1f GB/s, %.1f GB/s with "
      "streaming stores\n\n",
      FmaPeakGflops(), StreamGbs(false), StreamGbs(true));
}

// Exits when a kernel would not run natively: a figure of another engine would be a lie.
Kernel Native(Executor& executor, const char* name) {
  Kernel kernel = executor.kernel(name);
  if (kernel.path().rfind("native", 0) != 0) {
    std::fprintf(stderr, "bench: %s would run on: %s\n", name, kernel.path().c_str());
    std::exit(1);
  }
  return kernel;
}

void Launch(Executor& executor, Report& report) {
  Native(executor, "vector_add");
  auto add = executor.kernel<Floats, Floats, Floats, uint32_t>("vector_add");
  Floats a = Filled(1, -1, 1);
  Floats b = Filled(1, -1, 1);
  Floats c(1);
  const Timing time = Measure([&] {
    add(a, b, c, 1u);
    Clobber(c.data());
  });
  report.AtMost("checked launch, 3 buffers", "n=1", time.median_ns, 8.0, "ns");
}

void Elementwise(Executor& executor, Report& report) {
  Native(executor, "saxpy");
  auto add = executor.kernel<Floats, Floats, Floats, uint32_t>("vector_add");
  auto saxpy = executor.kernel<float, Floats, Floats, Floats, uint32_t>("saxpy");
  for (const uint32_t n : {1000u, 65536u}) {
    Operands operands(n);
    auto& [memory, a, b, c] = operands;
    const std::string size = "n=" + std::to_string(n);
    report.AgainstPeer(
        {"f32 add", size, "C loop", 1.05, 10.0}, [&] { add(a, b, c, n), Clobber(c.data()); },
        [&] { AddLoop(a.data(), b.data(), c.data(), n), Clobber(c.data()); });
    report.AgainstPeer(
        {"f32 saxpy", size, "C loop", 1.05, 10.0},
        [&] { saxpy(1.5f, a, b, c, n), Clobber(c.data()); },
        [&] { SaxpyLoop(1.5f, a.data(), b.data(), c.data(), n), Clobber(c.data()); });
  }
}

void Sigmoid(Executor& executor, Report& report) {
  auto precise = executor.kernel<Floats, Floats, uint32_t>("sigmoid_precise");
  auto fast = executor.kernel<Floats, Floats, uint32_t>("sigmoid_fast");
  Native(executor, "sigmoid_precise");
  Native(executor, "sigmoid_fast");
  for (const uint32_t n : {3072u, 65536u}) {
    Floats x = Filled(n, -20, 20);
    Floats y(n);
    const std::string size = "n=" + std::to_string(n);
    const auto libmvec = [&] { SigmoidLoop(x.data(), y.data(), n), Clobber(y.data()); };
    const auto sleef = [&] { SigmoidSleefLoop(x.data(), y.data(), n), Clobber(y.data()); };
    const auto ours_precise = [&] { precise(x, y, n), Clobber(y.data()); };
    const auto ours_fast = [&] { fast(x, y, n), Clobber(y.data()); };
    report.AgainstPeer({"sigmoid precise (<= 1.0 ulp)", size, "libmvec loop (4 ulp)", 1.35},
                       ours_precise, libmvec);
    report.AgainstPeer({"sigmoid precise (<= 1.0 ulp)", size, "SLEEF u10 loop (2 ulp)", 1.1},
                       ours_precise, sleef);
    report.AgainstPeer({"sigmoid fast (<= 4 ulp)", size, "libmvec loop (4 ulp)", 0.8}, ours_fast,
                       libmvec);
  }
}

void Streaming(Executor& executor, Report& report) {
  auto add = executor.kernel<Floats, Floats, Floats, uint32_t>("vector_add");
  const uint32_t n = 16u << 20;
  Floats a = Filled(n, -1, 1);
  Floats b = Filled(n, -1, 1);
  Floats c(n);
  report.AgainstPeer(
      {"f32 add, streaming stores", "n=16M", "C loop", 0.75},
      [&] { add(a, b, c, n), Clobber(c.data()); },
      [&] { AddLoop(a.data(), b.data(), c.data(), n), Clobber(c.data()); });
}

void Mandelbrot(Executor& executor, Report& report) {
  if (!MandelbrotAvx512Available()) {
    std::printf("mandelbrot SKIPPED: its AVX-512 peer needs AVX-512\n");
    return;
  }
  const uint32_t size = 1024;
  const uint32_t limit = 256;
  const float step = 2.5f / 1024;
  Buffer<uint32_t> ours(size_t{size} * size);
  Buffer<uint32_t> theirs(size_t{size} * size);
  const Kernel kernel = Native(executor, "mandelbrot");
  LaunchConfig config;
  config.grid = {size / 256, size, 1};
  config.block = {256, 1, 1};
  const auto run_ours = [&] {
    kernel.launch(config, ours, size, size, -2.0f, -1.25f, step, step, limit);
    Clobber(ours.data());
  };
  const auto run_theirs = [&] {
    MandelbrotAvx512(theirs.data(), size, size, -2.0f, -1.25f, step, step, limit);
    Clobber(theirs.data());
  };
  run_ours();
  run_theirs();
  if (std::memcmp(ours.data(), theirs.data(), ours.size() * sizeof(uint32_t)) != 0) {
    std::printf("mandelbrot: the pictures DIFFER from the intrinsics version\n");
  }
  report.AgainstPeer({"Mandelbrot, 256 rounds", "1024 x 1024", "AVX-512 intrinsics", 1.1}, run_ours,
                     run_theirs);
}

void Interpreter(Executor& executor, Report& report) {
  const Kernel add = executor.kernel("vector_add");
  const uint32_t n = 1u << 20;
  Floats a = Filled(n, -1, 1);
  Floats b = Filled(n, -1, 1);
  Floats c(n);
  LaunchConfig config;
  config.backend = Backend::interpreter;
  const Timing time = Measure([&] { add.launch(config, a, b, c, n); }, 31);
  report.AtLeast("interpreter, f32 add", "n=1M", n / time.median_ns * 1e3, 150.0, "M el/s");
}

}  // namespace
}  // namespace hologram::bench

int main() {
  using namespace hologram::bench;
  PrintMachine();
  hologram::Executor executor;
  executor.set_threads(1);
  executor.load_beside(bench_kernels::file, bench_kernels::hash);
  Report report;
  Launch(executor, report);
  Elementwise(executor, report);
  Sigmoid(executor, report);
  Streaming(executor, report);
  Mandelbrot(executor, report);
  Threads(executor, report);
  Interpreter(executor, report);
  CompileTimes(bench_kernels::file, report);
  std::printf("\n%d figures, %d missed their bar\n", report.measured(), report.missed());
  return 0;
}
