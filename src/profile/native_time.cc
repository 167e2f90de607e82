#include "profile/native_time.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <optional>

#include "base/targets.h"
#include "engines/cpu_features.h"
#include "profile/repeat.h"
#include "profile/sampler.h"
#include "runtime/compiler_plugin.h"
#include "runtime/kernel.h"
#include "runtime/native/debug_lines.h"

namespace hologram::profile {
namespace {

constexpr double kTimedSeconds = 0.1;
constexpr double kSampledSeconds = 0.25;
constexpr uint64_t kIntervalNs = 100'000;

// Which line an address comes from.
class LineTable {
 public:
  explicit LineTable(std::vector<runtime::SourceLine> lines) : lines_(std::move(lines)) {
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const auto& a, const auto& b) { return a.address < b.address; });
  }

  std::optional<Line> At(uint64_t address) const {
    const auto after =
        std::upper_bound(lines_.begin(), lines_.end(), address,
                         [](uint64_t wanted, const auto& line) { return wanted < line.address; });
    if (after == lines_.begin() || (after - 1)->line == 0) return std::nullopt;
    return Line((after - 1)->file, (after - 1)->line);
  }

 private:
  std::vector<runtime::SourceLine> lines_;
};

// Buffers of which those that are written are copies.
class Copies {
 public:
  static Result<Copies> Make(const isa::Program& program, const launch::Launch& launch,
                             std::span<const std::vector<std::byte>> before) {
    Copies copies;
    copies.buffers_.assign(launch.buffers.begin(), launch.buffers.end());
    size_t number = 0;
    for (const isa::Parameter& parameter : program.parameters) {
      if (!parameter.is_buffer) continue;
      const size_t k = number++;
      if (parameter.direction == isa::Direction::kIn) continue;
      hologram_buffer_ref& buffer = copies.buffers_[k];
      auto memory = std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[buffer.bytes + 1]());
      if (memory == nullptr) {
        return Error(ErrorCode::kResourceLimit,
                     "no memory for a copy of array '" + parameter.name + "'");
      }
      buffer.data = memory.get();
      copies.memory_.push_back(std::move(memory));
      if (!before[k].empty()) copies.restores_.push_back({k, before[k]});
    }
    return copies;
  }

  std::span<const hologram_buffer_ref> buffers() const { return buffers_; }
  std::span<const Restore> restores() const { return restores_; }

 private:
  std::vector<hologram_buffer_ref> buffers_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<Restore> restores_;
};

// The kernel with code that was made for this, of which the lines are known.
struct Measured {
  std::unique_ptr<runtime::Kernel> kernel;
  LineTable lines{{}};
  std::string target;
};

Result<Measured> Prepare(const verify::VerifiedProgram& program) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::optional<Target> target, engines::CurrentTarget());
  if (!target) return Error(ErrorCode::kUnsupported, "this processor runs no native code");
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> object,
                            runtime::Compile(program, *target, runtime::CompileOutput::kObject));
  std::vector<runtime::SourceLine> lines;
  HOLOGRAM_ASSIGN_OR_RETURN(runtime::NativeCode code,
                            runtime::NativeCode::Load(object, nullptr, &lines));
  Measured measured;
  measured.lines = LineTable(std::move(lines));
  measured.target = InfoOf(*target).name;
  measured.kernel = std::make_unique<runtime::Kernel>(program, "profiled", std::move(code), "jit",
                                                      InfoOf(*target).short_name);
  return measured;
}

void CountSamples(const Measured& measured, std::span<const uint64_t> addresses, NativeTime& time) {
  for (const uint64_t address : addresses) {
    if (!measured.kernel->HoldsCode(address)) continue;
    ++time.samples;
    if (const std::optional<Line> line = measured.lines.At(address)) ++time.by_line[*line];
  }
}

}  // namespace

Result<NativeTime> TimeNative(const verify::VerifiedProgram& program, const launch::Launch& launch,
                              const runtime::LaunchConfig& config,
                              std::span<const std::vector<std::byte>> before) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Measured measured, Prepare(program));
  HOLOGRAM_ASSIGN_OR_RETURN(const Copies copies, Copies::Make(program.program(), launch, before));
  runtime::LaunchConfig alone = config;
  alone.engine = launch::Engine::kAuto;
  alone.threads = 0;  // those of this kernel: one
  alone.shows_prints = false;
  const auto run = [&](double seconds) {
    return Repeat(*measured.kernel, copies.buffers(), launch.scalars, copies.restores(), alone,
                  seconds);
  };
  NativeTime time;
  time.target = measured.target;
  const Repeated repeated = run(kTimedSeconds);
  if (repeated.seconds.empty()) {
    return Error(ErrorCode::kUnsupported,
                 "the launch cannot be made again: it goes on from its own results");
  }
  time.seconds = repeated.Median();
  time.launches = repeated.seconds.size();
  Result<Sampler> sampler = Sampler::Start(kIntervalNs);
  if (!sampler.ok()) {
    time.why_no_samples = sampler.errors()[0].message;
    return time;
  }
  const auto begin = std::chrono::steady_clock::now();
  do {
    run(kSampledSeconds);
  } while (std::chrono::steady_clock::now() - begin <
           std::chrono::duration<double>(kSampledSeconds));
  const std::vector<uint64_t> addresses = sampler.value().Stop();
  CountSamples(measured, addresses, time);
  if (time.samples == 0) time.why_no_samples = "no sample was in the kernel's code";
  return time;
}

}  // namespace hologram::profile
