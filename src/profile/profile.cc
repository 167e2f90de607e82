#include "profile/profile.h"

#include <algorithm>
#include <utility>

#include "launch/unique.h"
#include "profile/native_counts.h"
#include "profile/probes.h"

namespace hologram::profile {
namespace {

// More than caches hold.
constexpr uint64_t kOfMemory = uint64_t{192} << 20;

// What each array held before the launch, where the kernel reads it and then writes it.
std::vector<std::vector<std::byte>> Initial(const isa::Program& program,
                                            const launch::Launch& launch) {
  std::vector<std::vector<std::byte>> before;
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    const hologram_buffer_ref& buffer = launch.buffers[before.size()];
    const auto* data = static_cast<const std::byte*>(buffer.data);
    before.emplace_back();
    if (parameter.direction == isa::Direction::kInOut) {
      before.back().assign(data, data + buffer.bytes);
    }
  }
  return before;
}

Roofline MakeRoofline(const LaunchWork& work, double seconds) {
  Roofline roofline;
  roofline.operations = static_cast<double>(work.operations32 + work.operations64);
  roofline.bytes = static_cast<double>(work.bytes);
  roofline.bytes_at_most = work.bytes_at_most;
  roofline.seconds = seconds;
  roofline.most_bytes = ProbeBandwidth(work.bytes);
  roofline.memory_bytes = work.bytes >= kOfMemory ? roofline.most_bytes : ProbeBandwidth(kOfMemory);
  // The time of both kinds one after the other.
  const double most32 = ProbeArithmetic(32);
  const double most64 = work.operations64 == 0 ? most32 : ProbeArithmetic(64);
  const double least = static_cast<double>(work.operations32) / most32 +
                       static_cast<double>(work.operations64) / most64;
  roofline.most_operations = least == 0 ? most32 : roofline.operations / least;
  return roofline;
}

}  // namespace

double Roofline::roof() const {
  return std::min(most_operations, intensity() * most_bytes);
}

bool Roofline::is_memory_bound() const {
  return operations == 0 || (bytes != 0 && intensity() * most_bytes < most_operations);
}

double Roofline::reached() const {
  const double most = is_memory_bound() ? most_bytes : most_operations;
  const double done = is_memory_bound() ? bytes : operations;
  return most == 0 ? 0 : done / seconds / most;
}

double Profile::StepsOf(const LineCount& line) const {
  uint64_t all = 0;
  for (const LineCount& one : lines) all += one.steps;
  return all == 0 ? 0 : static_cast<double>(line.steps) / static_cast<double>(all);
}

double Profile::TimeOf(const LineCount& line) const {
  if (!timed()) return 0;
  const auto found = native->by_line.find({line.where.file, line.where.line});
  if (found == native->by_line.end()) return 0;
  return static_cast<double>(found->second) / static_cast<double>(native->samples);
}

Result<Profile> MakeProfile(const verify::VerifiedProgram& program, launch::Launch launch,
                            const runtime::LaunchConfig& config) {
  if (launch::IsOfDevices(config.engine)) {
    return Error(ErrorCode::kUnsupported,
                 "a launch on " + std::string(launch::NameOf(config.engine)) +
                     " is not counted; ask for cpu or the interpreter, or trace it");
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const launch::LaunchTier tier, launch::CheckLaunch(program, launch));
  HOLOGRAM_RETURN_IF_ERROR(launch::CheckUnique(program, launch));
  launch.guarded = tier != launch::LaunchTier::kProved;
  const std::vector<std::vector<std::byte>> before = Initial(program.program(), launch);
  Profile profile;
  profile.kernel = program.program().name;
  const bool natively = config.engine == launch::Engine::kCpu;
  HOLOGRAM_ASSIGN_OR_RETURN(LaunchCounts counts, natively ? CountNative(program, launch, config)
                                                          : CountLaunch(program, launch));
  profile.lines = std::move(counts.lines);
  profile.width = counts.width;
  profile.counted_by = std::move(counts.counted_by);
  Result<NativeTime> native = TimeNative(program, launch, config, before);
  if (!native.ok()) {
    profile.why_no_native = native.errors()[0].message;
    return profile;
  }
  profile.native = std::move(native).value();
  profile.roofline = MakeRoofline(counts.work, profile.native->seconds);
  return profile;
}

}  // namespace hologram::profile
