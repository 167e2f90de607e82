#include "commands/timing.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace hologram::tool {
namespace {

void PrintStep(const char* name, double ms, const std::string& about) {
  std::fprintf(stderr, "hologram: time: %-9s %11.5f ms%s%s\n", name, ms, about.empty() ? "" : "  ",
               about.c_str());
}

}  // namespace

double StopWatch::Lap() {
  const Clock::time_point now = Clock::now();
  const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
  last_ = now;
  return ms;
}

Repeated RepeatLaunch(const runtime::Kernel& kernel, const Bindings& bindings,
                      const runtime::LaunchConfig& config) {
  std::vector<hologram_buffer_ref> buffers = bindings.buffers();
  std::vector<Bytes> copies;
  std::vector<Restore> restores;
  size_t number = 0;
  for (const isa::Parameter& parameter : kernel.program().parameters) {
    if (!parameter.is_buffer) continue;
    const size_t k = number++;
    if (parameter.direction == isa::Direction::kIn) continue;
    copies.emplace_back(buffers[k].bytes);
    if (copies.back().data() == nullptr) return {};  // too large for a second one
    buffers[k].data = copies.back().data();
    const Bytes* initial = bindings.InitialOf(k);
    if (initial != nullptr) restores.push_back({k, {initial->data(), initial->size()}});
  }
  runtime::LaunchConfig silent = config;  // it has printed once
  silent.shows_prints = false;
  return Repeat(kernel, buffers, bindings.scalars(), restores, silent);
}

uint64_t BytesMoved(const isa::Program& program, std::span<const hologram_buffer_ref> buffers) {
  uint64_t moved = 0;
  size_t number = 0;
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    const uint64_t bytes = buffers[number++].bytes;
    moved += parameter.direction == isa::Direction::kInOut ? 2 * bytes : bytes;
  }
  return moved;
}

void PrintTimes(const StepTimes& steps, const Repeated& repeated, uint64_t bytes,
                const std::string& engine, const std::string& reason, bool is_bundle) {
  PrintStep("front end", steps.front_end, is_bundle ? "reading and verifying the bundle" : "");
  if (!is_bundle) PrintStep("verify", steps.verify, "");
  PrintStep("compile", steps.compile, engine);
  PrintStep("launch", steps.launch,
            "the first one, whose results were written" + (reason.empty() ? "" : "; " + reason));
  if (repeated.seconds.empty()) {
    std::fprintf(stderr,
                 "hologram: time: run        not repeated: no memory for copies, or it "
                 "cannot go on from its own results\n");
    return;
  }
  const double seconds = repeated.Median();
  PrintStep("run", seconds * 1e3,
            "median of " + std::to_string(repeated.seconds.size()) + " more, on copies");
  const double probe = ProbeBandwidth(bytes);
  if (bytes == 0 || probe == 0) return;
  const double rate = static_cast<double>(bytes) / seconds;
  std::fprintf(stderr,
               "hologram: time: memory    %11.2f GB/s  %.6g MB, each array once per direction; "
               "%.0f %% of %.2f GB/s, c = a + b over as many bytes\n",
               rate / 1e9, static_cast<double>(bytes) / 1e6, 100 * rate / probe, probe / 1e9);
}

}  // namespace hologram::tool
