// The figures of docs/figures.md against their peers, in one process; on one thread, except for
// those that say otherwise. Every kernel comes from a bundle that was compiled at build time and
// runs natively; the bench refuses to measure anything else. Prints one line a case and the number
// of bars missed; always exits 0, so that a noisy machine shows its numbers.
//
//   hologram_bench               all figures
//   hologram_bench FILTER...     the lines whose group, or whose work, size and peer, contain a
//   FILTER
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>

#include "bench_functions_kernels.h"
#include "bench_kernels.h"
#include "peers.h"
#include "start.h"
#include "workbench.h"

namespace hologram::bench {

Kernel Native(Executor& executor, const std::string& name) {
  const auto find = [&]() -> Kernel {
    try {
      return executor.kernel(name);
    } catch (const Error&) {
      return executor.kernel(name + "_f32");
    }
  };
  try {
    Kernel kernel = find();
    if (kernel.path().rfind("native", 0) == 0) return kernel;
    std::fprintf(stderr, "bench: %s would run on: %s\n", name.c_str(), kernel.path().c_str());
  } catch (const Error& error) {
    std::fprintf(stderr, "bench: %s\n", error.what());
  }
  std::exit(1);
}

namespace {

struct Group {
  const char* name;
  void (*measure)(Executor& executor, Report& report);
};

constexpr Group kGroups[] = {
    {"elementwise", Elementwise},
    {"calls", Calls},
    {"streaming", Streaming},
    {"functions", Functions},
    {"reductions", Reductions},
    {"rows", Rows},
    {"movement", Movement},
    {"simulation", Simulation},
    {"threads", Threads},
    {"spans", Spans},
    {"start", Start},
    {"compile", CompileTimes},
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
  const std::time_t now = std::time(nullptr);
  char day[sizeof "2026-11-27"];
  std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
  std::printf(
      "machine: %s; measured %s; one thread; peers: %s, -O3 -march=native -ffast-math (libmvec)\n",
      model.c_str(), day, "g++ " __VERSION__);
  std::printf(
      "probe: FMA peak %.1f GFLOP/s; c = a + b over 192 MiB: %.1f GB/s, %.1f GB/s with "
      "streaming stores\n",
      FmaPeakGflops(), StreamGbs(false), StreamGbs(true));
}

}  // namespace
}  // namespace hologram::bench

int main(int argc, char** argv) {
  using namespace hologram::bench;
  if (argc > 1 && std::strcmp(argv[1], kFirstResultArgument) == 0) return FirstResult();
  PrintMachine();
  hologram::Executor executor;
  executor.set_threads(1);
  executor.load_beside(bench_kernels::file, bench_kernels::hash);
  executor.load_beside(bench_functions_kernels::file, bench_functions_kernels::hash);
  Report report({argv + 1, argv + argc});
  for (const Group& group : kGroups) {
    report.Enter(group.name);
    group.measure(executor, report);
  }
  std::printf("\n%d figures, %d missed their bar\n", report.measured(), report.missed());
  if (report.measured() != 0) return 0;
  std::fprintf(stderr, "no line and no group has one of these names\n");
  return 1;
}
