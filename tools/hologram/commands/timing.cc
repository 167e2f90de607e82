#include "commands/timing.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace hologram::tool {
namespace {

constexpr double kEnoughSeconds = 0.25;
constexpr size_t kMaxLaunches = 1001;

// Vectors as wide as the machine has, so that small sizes are bound by the caches as kernels are.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("default", "avx2", "avx512f")))
#endif
void Add(const float* __restrict a, const float* __restrict b, float* __restrict c, size_t n) {
  for (size_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double MedianOf(const std::vector<double>& sorted) {
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

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

double Repeated::Median() const {
  return MedianOf(seconds);
}

namespace {

// One launch as a program makes it: through the inline entry if it may, else by the library.
class Launcher {
 public:
  Launcher(const runtime::Kernel& kernel, std::span<const hologram_buffer_ref> buffers,
           std::span<const uint64_t> scalars, const runtime::LaunchConfig& config)
      : kernel_(kernel), buffers_(buffers), scalars_(scalars), config_(config) {
    const runtime::LaunchConfig usual;
    const bool plain = !config.shape.grid && !config.shape.block && config.engine == usual.engine &&
                       config.threads == usual.threads && config.budget == usual.budget &&
                       config.deterministic == usual.deterministic &&
                       config.class_base == usual.class_base;
    if (plain) inline_ = kernel.InlineEntry();
  }

  bool Run() const {
    if (inline_.entry != nullptr) {
      hologram_launch_state state;  // written if there is a fault to tell
      const int32_t outcome =
          inline_.entry(buffers_.data(), scalars_.data(), inline_.bytes_limit, &state);
      if (outcome != HOLOGRAM_LAUNCH_UNPROVED) return outcome == HOLOGRAM_LAUNCH_DONE;
    }
    return kernel_.Launch(buffers_, scalars_, config_).ok();
  }

 private:
  const runtime::Kernel& kernel_;
  std::span<const hologram_buffer_ref> buffers_;
  std::span<const uint64_t> scalars_;
  const runtime::LaunchConfig& config_;
  runtime::Kernel::Inline inline_;
};

}  // namespace

Repeated Repeat(const runtime::Kernel& kernel, std::span<const hologram_buffer_ref> buffers,
                std::span<const uint64_t> scalars, std::span<const Restore> restores,
                const runtime::LaunchConfig& config) {
  // A clock is not finer than tens of ns: short launches are timed together.
  constexpr double kEnoughForTheClock = 4e-6;
  constexpr size_t kMostTogether = 1000;
  const bool restored = std::any_of(restores.begin(), restores.end(),
                                    [](const Restore& r) { return r.before != nullptr; });
  const Launcher launcher(kernel, buffers, scalars, config);
  size_t together = 1;
  Repeated repeated;
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (const Restore& restore : restores) {
      if (restore.before == nullptr) continue;
      std::memcpy(buffers[restore.buffer].data, restore.before->data(), restore.before->size());
    }
    const auto start = std::chrono::steady_clock::now();
    bool ok = true;
    for (size_t k = 0; k < together && ok; ++k) ok = launcher.Run();
    const double seconds = SecondsSince(start);
    if (!ok) break;
    repeated.seconds.push_back(seconds / static_cast<double>(together));
    if (!restored && seconds < kEnoughForTheClock && together < kMostTogether) {
      together *= 2;
      repeated.seconds.clear();
    }
  } while (SecondsSince(begin) < kEnoughSeconds && repeated.seconds.size() < kMaxLaunches);
  std::sort(repeated.seconds.begin(), repeated.seconds.end());
  return repeated;
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
    restores.push_back({k, bindings.InitialOf(k)});
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

double ProbeBandwidth(uint64_t bytes) {
  constexpr uint64_t kMaxBytes = uint64_t{192} << 20;
  constexpr uint64_t kMinBytes = 3 * 64 * sizeof(float);
  const uint64_t used = std::clamp(bytes, kMinBytes, kMaxBytes);
  const size_t n = used / 3 / sizeof(float);
  const Bytes memory[3] = {Bytes(n * sizeof(float)), Bytes(n * sizeof(float)),
                           Bytes(n * sizeof(float))};
  float* arrays[3];
  for (int k = 0; k < 3; ++k) {
    if (memory[k].data() == nullptr) return 0;
    arrays[k] = reinterpret_cast<float*>(memory[k].data());
  }
  // Short runs are repeated inside of one measurement: a clock is not finer than tens of ns.
  const size_t rounds = std::max<size_t>(1, (size_t{1} << 18) / n);
  std::vector<double> seconds;
  const auto begin = std::chrono::steady_clock::now();
  Add(arrays[0], arrays[1], arrays[2], n);
  do {
    const auto start = std::chrono::steady_clock::now();
    for (size_t r = 0; r < rounds; ++r) {
      Add(arrays[0], arrays[1], arrays[2], n);
      asm volatile("" ::: "memory");  // each round is done
    }
    seconds.push_back(SecondsSince(start) / static_cast<double>(rounds));
  } while (SecondsSince(begin) < kEnoughSeconds / 2 || seconds.size() < 3);
  std::sort(seconds.begin(), seconds.end());
  return static_cast<double>(n) * 3 * sizeof(float) / MedianOf(seconds);
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
