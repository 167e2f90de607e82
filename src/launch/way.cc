#include "launch/way.h"

#include <algorithm>

namespace hologram::launch {
namespace {

uint64_t TotalBytes(const Launch& launch) {
  uint64_t total = 0;
  for (const hologram_buffer_ref& buffer : launch.buffers) total += buffer.bytes;
  return total;
}

// Streaming stores are whole vectors at their own alignment, which elements that are not aligned
// never have. What is read may lie anywhere, but not where it is written: a line that has just been
// read is in the cache, and a store beside the cache takes it out first.
bool MayStreamOutputs(const KernelFacts& facts, const Launch& launch) {
  size_t next = 0;
  for (const isa::Parameter& parameter : facts.program.program().parameters) {
    if (!parameter.is_buffer) continue;
    const void* const data = launch.buffers[next++].data;
    if (parameter.direction == isa::Direction::kIn) continue;
    if (parameter.direction == isa::Direction::kInOut) return false;
    if (reinterpret_cast<uintptr_t>(data) % isa::SizeOf(parameter.type) != 0) return false;
    const auto is_it = [=](const auto& buffer) { return buffer.data == data; };
    if (std::count_if(launch.buffers.begin(), launch.buffers.end(), is_it) != 1) return false;
  }
  return true;
}

bool IsLegalShape(const hologram_launch_shape& shape) {
  uint64_t lanes = 1;
  for (int d = 0; d < 3; ++d) {
    if (shape.grid[d] == 0 || shape.block[d] == 0) return false;
    if (shape.block[d] > isa::kMaxLanesPerBlock) return false;
    lanes *= shape.block[d];
  }
  return lanes <= isa::kMaxLanesPerBlock;
}

// Lanes without loops take no long time, if they are few.
bool HasFewLanes(const hologram_launch_shape& shape) {
  constexpr double kFew = 1 << 16;
  double lanes = 1;
  for (int d = 0; d < 3; ++d) lanes *= static_cast<double>(shape.grid[d]) * shape.block[d];
  return lanes < kFew;
}

// What the generated check takes for granted.
bool MayAskEntry(const KernelFacts& facts, const Launch& launch) {
  return launch.buffers.size() == facts.num_buffers && launch.scalars.size() == facts.num_scalars &&
         IsLegalShape(launch.shape) && launch.class_base < isa::kNumClasses &&
         (!launch.deterministic || facts.order_free);
}

double WorkNs(const KernelFacts& facts, const Launch& launch) {
  const double all = facts.work.LaunchNs(launch);
  if (launch.window == nullptr) return all;
  const Window& window = *launch.window;
  const auto units = static_cast<double>(UnitsOf(window.unit, launch.shape));
  return all * static_cast<double>(window.last - window.first) / units;
}

// What of a launch that compiled code may run does not go to its entry.
struct Parts {
  bool streaming = false;
  bool is_long = false;
  std::optional<Cut> cut;
  double work_ns = 0;
  bool entry() const { return !streaming && !is_long && !cut; }
};

// REQUIRES: MayAskEntry
HOLOGRAM_LAUNCH_PATH Parts PartsOf(const KernelFacts& facts, const Launch& launch,
                                   const Limits& limits) {
  Parts parts;
  parts.streaming = limits.code.streams && TotalBytes(launch) >= limits.streaming_bytes &&
                    MayStreamOutputs(facts, launch);
  // The generated check knows of no budget.
  const bool counted = launch.budget > verify::kMostRounds && facts.counts_rounds;
  const bool split = facts.may_split && limits.parallelism.threads > 1;
  if (!parts.streaming && !counted) {
    if (!split && !facts.has_loops && HasFewLanes(launch.shape)) return parts;
    const double least =
        split ? std::min(limits.parallelism.min_work_ns, kLongPartNs) : kLongPartNs;
    if (facts.work.IsSurelyBelow(launch, least)) return parts;
  }
  parts.work_ns = WorkNs(facts, launch);
  parts.is_long = counted || parts.work_ns > kLongPartNs;
  if (split && parts.work_ns >= limits.parallelism.min_work_ns &&
      facts.work.SplitNs(launch, limits.parallelism.threads) <= parts.work_ns) {
    parts.cut = CutLaunch(limits.code.unit, launch.shape, parts.work_ns, limits.parallelism);
  }
  return parts;
}

// Of a window: its code is not its entry, and streaming stores are for outputs that nobody will
// touch soon. REQUIRES: MayAskEntry
Parts PartsOfWindow(const KernelFacts& facts, const Launch& launch, const Limits& limits) {
  const Window& window = *launch.window;
  Parts parts;
  parts.work_ns = WorkNs(facts, launch);
  if (!facts.may_split || limits.parallelism.threads <= 1) return parts;
  parts.cut = CutUnits(window.unit, window.last - window.first, parts.work_ns, limits.parallelism);
  if (parts.cut) parts.cut->first = window.first;
  return parts;
}

// The interpreter, if the table allows it; or the checked form, where no proof covers the arguments
// and nobody has asked for the interpreter.
Result<Way> InterpretedWay(const KernelFacts& facts, const Launch& launch, const Limits& limits,
                           std::string_view reason) {
  HOLOGRAM_ASSIGN_OR_RETURN(const LaunchTier tier, CheckLaunch(facts.program, launch));
  Way way;
  way.engine = Engine::kInterpreter;
  way.form = Form::kInterpreted;
  way.reason = reason;
  if (tier == LaunchTier::kProved) return way;
  way.form = Form::kGuarded;
  way.reason = "the proof of its accesses does not cover these arguments";
  if (limits.checked && limits.code.exists && limits.wanted != Engine::kInterpreter) {
    way.engine = Engine::kCpu;
    way.form = Form::kChecked;
    way.reason = "native, checked: " + way.reason;
  }
  way.unproved = FindUnproved(facts.program, launch);
  return way;
}

constexpr std::string_view kDeclined = "its native code does not take these arguments";

// Native code behind the table, not behind its own check.
Result<Way> TableWay(const KernelFacts& facts, const Launch& launch, const Limits& limits,
                     const Parts& parts) {
  if (!UnitsCover(limits.code.unit, launch.shape))
    return InterpretedWay(facts, launch, limits, kDeclined);
  const Result<LaunchTier> tier = CheckLaunch(facts.program, launch);
  if (!tier.ok() || tier.value() != LaunchTier::kProved) {
    return InterpretedWay(facts, launch, limits, kDeclined);
  }
  Way way;
  way.streaming = parts.streaming;
  // Without `deterministic` that has not proved parts independent, which run at once on several
  // threads; on one thread lanes may meet.
  std::optional<Unproved> meeting;
  if (!launch.deterministic) meeting = FindMeeting(facts.program, launch);
  if (parts.cut && !meeting) {
    way.form = Form::kSplit;
    way.cut = *parts.cut;
    way.threads = std::min(limits.parallelism.threads, parts.cut->chunks);
    return way;
  }
  way.form = Form::kParts;
  way.last_unit = UnitsOf(limits.code.unit, launch.shape);
  if (launch.window != nullptr) {
    way.first_unit = launch.window->first;
    way.last_unit = launch.window->last;
  }
  way.units_per_part = UnitsOfPart(limits.code.unit, way.last_unit - way.first_unit, parts.work_ns,
                                   limits.parallelism.lane_granule);
  if (!meeting) return way;
  way.reason = "on one thread, as several lanes may touch one element";
  way.unproved = std::move(meeting);
  return way;
}

// Code of a device has the proofs in place of checks, and no order of lanes. What it does not take
// is run where a device is not needed, on copies, as what it does take is.
Result<Way> DeviceWay(const KernelFacts& facts, const Launch& launch, const Limits& limits) {
  HOLOGRAM_ASSIGN_OR_RETURN(const LaunchTier tier, CheckLaunch(facts.program, launch));
  std::optional<Unproved> meeting;
  if (!launch.deterministic) meeting = FindMeeting(facts.program, launch);
  if (tier == LaunchTier::kProved && !meeting) {
    Way way;
    way.engine = limits.wanted;
    way.form = Form::kDevice;
    return way;
  }
  Way way;
  way.engine = Engine::kInterpreter;
  way.form = Form::kGuarded;
  if (meeting) {
    way.reason = "several lanes may touch one element, and a device has no order of lanes";
    way.unproved = std::move(meeting);
  } else {
    way.reason = "the proof of its accesses does not cover these arguments";
    way.unproved = FindUnproved(facts.program, launch);
  }
  return way;
}

}  // namespace

Result<Engine> EngineFor(const isa::Program& program, Engine wanted, Engine memory,
                         std::string_view place) {
  if (memory == Engine::kAuto || wanted == memory) return wanted;
  if (wanted == Engine::kAuto) return memory;
  return Error(ErrorCode::kInvalidArgument, "kernel '" + program.name + "': its arrays are on " +
                                                std::string(place) + ", and it is to run on " +
                                                std::string(NameOf(wanted)));
}

Result<Way> WayOf(const KernelFacts& facts, const Launch& launch, const Limits& limits) {
  if (limits.wanted == Engine::kCpu && !limits.code.exists) {
    return Error(ErrorCode::kUnsupported, "no native code for '" + facts.program.program().name +
                                              "': " + std::string(limits.why_no_code));
  }
  if (IsOfDevices(limits.wanted)) return DeviceWay(facts, launch, limits);
  if (limits.wanted == Engine::kInterpreter) {
    return InterpretedWay(facts, launch, limits, "the interpreter was asked for");
  }
  if (!limits.code.exists) return InterpretedWay(facts, launch, limits, limits.why_no_code);
  if (!MayAskEntry(facts, launch)) return InterpretedWay(facts, launch, limits, kDeclined);
  if (launch.window != nullptr) {
    return TableWay(facts, launch, limits, PartsOfWindow(facts, launch, limits));
  }
  // The generated check computes in 64 bits and declines what leaves them, and refuses lanes that
  // may meet: the table is exact, and behind it the body runs.
  const Parts parts = PartsOf(facts, launch, limits);
  if (parts.entry() && !limits.declined) return Way{};
  return TableWay(facts, launch, limits, parts);
}

HOLOGRAM_LAUNCH_PATH
bool TakesEntry(const KernelFacts& facts, const Launch& launch, const Limits& limits) {
  return MayAskEntry(facts, launch) && PartsOf(facts, launch, limits).entry();
}

bool MayRepeatEntry(const KernelFacts& facts, const CodeFacts& code) {
  return code.exists && facts.may_enter(code.scratch_bytes);
}

bool MayEnterFirst(const KernelFacts& facts, const CodeFacts& code) {
  return MayRepeatEntry(facts, code);
}

namespace {

// How many rounds are assumed of the loops of a launch that may be worth threads.
constexpr double kRoundsOfSmallLaunch = 1024;

// From how large an output on a launch without a grid takes `ns`, if loops whose rounds are not
// constant go round `rounds` times.
uint64_t BytesOfLaunch(const KernelFacts& facts, uint32_t unit, double ns, double rounds) {
  // Fewer lanes than this are not worth it, or not enough for two chunks.
  const isa::Program& program = facts.program.program();
  const uint32_t block = program.default_block;
  const double worth = ns / facts.work.LaneNs(rounds);
  const double least =
      unit == HOLOGRAM_UNIT_LANE ? static_cast<double>(Parallelism().lane_granule) : block;
  constexpr double kMost = static_cast<double>(uint64_t{1} << 36);
  // Launches are whole blocks over the largest output.
  const uint64_t elements =
      static_cast<uint64_t>(std::min(std::max(worth, least), kMost)) / block * block;
  uint64_t size = UINT64_MAX;
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer || parameter.direction == isa::Direction::kIn) continue;
    size = std::min<uint64_t>(size, isa::SizeOf(parameter.type));
  }
  return size == UINT64_MAX ? UINT64_MAX : elements * size + 1;
}

}  // namespace

uint64_t InlineBytes(const KernelFacts& facts, const Limits& limits) {
  if (!limits.code.exists || !facts.may_enter_default(limits.code.scratch_bytes)) return 0;
  // Beyond this a launch takes long enough for the way through the library.
  constexpr uint64_t kMaxInlineBytes = uint64_t{1} << 31;
  const uint64_t all_bytes =
      limits.code.streams ? std::min(kMaxInlineBytes, limits.streaming_bytes) : kMaxInlineBytes;
  const uint32_t unit = limits.code.unit;
  const bool split = facts.may_split && limits.parallelism.threads > 1;
  const uint64_t small =
      split ? BytesOfLaunch(facts, unit, limits.parallelism.min_work_ns, kRoundsOfSmallLaunch)
            : UINT64_MAX;
  // Loops that may be long look themselves at what stops them; lanes do not.
  const uint64_t unstopped = BytesOfLaunch(facts, unit, kLongPartNs, 1);
  return std::min({all_bytes / std::max<uint64_t>(facts.num_buffers, 1), small, unstopped});
}

}  // namespace hologram::launch
