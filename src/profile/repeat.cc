#include "profile/repeat.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace hologram::profile {
namespace {

constexpr size_t kMaxLaunches = 1001;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// One launch as a program makes it: through the inline entry if it may, else by the library.
class Launcher {
 public:
  Launcher(const runtime::Kernel& kernel, std::span<const hologram_buffer_ref> buffers,
           std::span<const uint64_t> scalars, const runtime::LaunchConfig& config)
      : kernel_(kernel), buffers_(buffers), scalars_(scalars), config_(config) {
    const bool has_shape = config.shape.grid || config.shape.block;
    if (!has_shape && config.asks_for_shape_alone()) inline_ = kernel.InlineEntry();
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
                const runtime::LaunchConfig& config, double most_seconds) {
  // A clock is not finer than tens of ns: short launches are timed together.
  constexpr double kEnoughForTheClock = 4e-6;
  constexpr size_t kMostTogether = 1000;
  const bool restored = std::any_of(restores.begin(), restores.end(),
                                    [](const Restore& r) { return !r.before.empty(); });
  const Launcher launcher(kernel, buffers, scalars, config);
  size_t together = 1;
  Repeated repeated;
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (const Restore& restore : restores) {
      if (restore.before.empty()) continue;
      std::memcpy(buffers[restore.buffer].data, restore.before.data(), restore.before.size());
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
  } while (SecondsSince(begin) < most_seconds && repeated.seconds.size() < kMaxLaunches);
  std::sort(repeated.seconds.begin(), repeated.seconds.end());
  return repeated;
}

double Repeated::Median() const {
  const size_t middle = seconds.size() / 2;
  return seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
}

}  // namespace hologram::profile
