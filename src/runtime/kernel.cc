#include "runtime/kernel.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "engines/cpu_features.h"
#include "engines/devices/resident.h"
#include "engines/engine.h"
#include "engines/guarded.h"
#include "launch/fault_text.h"
#include "runtime/background_compiler.h"
#include "runtime/observed_launch.h"
#include "runtime/thread_pool.h"

namespace hologram::runtime {
Kernel::Kernel(verify::VerifiedProgram program, std::string id, std::string why_not_native)
    : program_(std::move(program)),
      id_(std::move(id)),
      first_(new Code{std::nullopt, std::move(why_not_native), "interpreter", {}, false}),
      code_(first_.get()),
      facts_(program_),
      default_launch_(facts_) {}

Kernel::Kernel(verify::VerifiedProgram program, std::string id, NativeCode native,
               std::string origin, std::string level)
    : Kernel(std::move(program), std::move(id), "") {
  first_ = MakeCode(std::move(native), origin, level);
  code_ = first_.get();
}

Kernel::Kernel(verify::VerifiedProgram program, std::string id, Compiling /*compiling*/)
    : Kernel(std::move(program), std::move(id), "it is being compiled") {
  first_.reset(
      new Code{std::nullopt, "it is being compiled", "interpreter (compiling)", {}, false});
  later_.reset(new Code{std::nullopt, "out of memory", "interpreter", {}, false});
  code_ = first_.get();
  compiling_ = true;
}

std::unique_ptr<const Kernel::Code> Kernel::MakeCode(NativeCode native, const std::string& origin,
                                                     const std::string& level) const {
  auto code = std::make_unique<Code>();
  code->native = std::move(native);
  code->path = "native (" + origin + ", " + level + ")";
  code->facts = engines::FactsOf(code->info());
  code->enters_first = launch::MayEnterFirst(facts_, code->facts);
  return code;
}

void Kernel::Publish(std::unique_ptr<const Code> code) noexcept {
  later_ = std::move(code);
  code_.store(later_.get(), std::memory_order_release);
  compiling_.store(false, std::memory_order_release);
  compiling_.notify_all();
}

void Kernel::SetCode(NativeCode native, const std::string& origin, const std::string& level) {
  Publish(MakeCode(std::move(native), origin, level));
}

// Others wait for it.
void Kernel::SetNoCode(const std::string& why_not_native) noexcept {
  try {
    Publish(std::unique_ptr<const Code>(
        new Code{std::nullopt, why_not_native, "interpreter", {}, false}));
  } catch (const std::bad_alloc&) {
    Publish(std::move(later_));
  }
}

void Kernel::AwaitCode() const {
  if (!compiling_.load(std::memory_order_acquire)) return;
  BackgroundCompiler::Shared().Ensure();
  compiling_.wait(true, std::memory_order_acquire);
}

namespace {

constexpr double kShortNs = 10e6;

}  // namespace

Kernel::ShortWork Kernel::LimitOfShort() const {
  const std::optional<launch::WorkModel::Product>& limit = facts_.work.limit_of_lane();
  if (!limit) return {};
  // Native code stays; what is interpreted may be compiled at any time.
  const double ns =
      std::max(limit->ns, 1e-3) * (native() == nullptr ? launch::kInterpreterTimesAtMost : 1);
  constexpr double kMost = UINT32_MAX;
  return {static_cast<uint64_t>(std::min(kShortNs / ns, kMost)), limit->scalars};
}

bool Kernel::IsShort(std::span<const uint64_t> scalars, uint64_t lanes) const {
  const double ns = facts_.work.MostLaneNs(scalars) * static_cast<double>(lanes);
  return ns * (native() == nullptr ? launch::kInterpreterTimesAtMost : 1) < kShortNs;
}

// Whether the interpreter would take longer than the compiler, as far as is known.
bool Kernel::IsLongerThanCompiling(const launch::Launch& launch) const {
  return facts_.work.LaunchNs(launch) > launch::kWorthCompilingNs;
}

Status Kernel::CheckCounts(size_t buffers, size_t scalars, uint32_t threads) const {
  if (buffers != num_buffers() || scalars != num_scalars()) {
    return Error(ErrorCode::kInvalidArgument,
                 "kernel '" + name() + "' expects " + std::to_string(num_buffers()) +
                     " buffers and " + std::to_string(num_scalars()) + " scalars, found " +
                     std::to_string(buffers) + " and " + std::to_string(scalars));
  }
  return CheckThreads(threads);
}

// A buffer in the class memory of this kernel's executor, which the program may use too: engines
// and proofs take buffers and class memory for different memory.
Status Kernel::CheckClassBuffers(std::span<const hologram_buffer_ref> buffers) const {
  const bool writes = program_.writes_class_memory();
  const uint8_t* const memory = stream_->stream.class_memory.existing();
  if (memory == nullptr || (!writes && !program_.reads_class_memory())) return Success{};
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  size_t k = 0;
  for (const isa::Parameter& parameter : program().parameters) {
    if (!parameter.is_buffer) continue;
    const hologram_buffer_ref& buffer = buffers[k++];
    const auto first = reinterpret_cast<uintptr_t>(buffer.data);
    const bool apart =
        buffer.bytes == 0 ||
        (first < begin ? begin - first >= buffer.bytes : first - begin >= isa::kClassMemoryBytes);
    if (apart || (!writes && parameter.direction == isa::Direction::kIn)) continue;
    return Error(ErrorCode::kInvalidArgument,
                 "kernel '" + name() + "': '" + parameter.name +
                     "' is the memory of a class, and the kernel " + (writes ? "writes" : "reads") +
                     " class memory by its addresses too; pass a buffer outside of it");
  }
  return Success{};
}

launch::Launch Kernel::NewLaunch(std::span<const hologram_buffer_ref> buffers,
                                 std::span<const uint64_t> scalars,
                                 const LaunchConfig& config) const {
  launch::Launch launch;
  launch.buffers = buffers;
  launch.scalars = scalars;
  launch.budget = config.budget;
  launch.class_base = config.class_base;
  launch.deterministic = config.deterministic;
  if (cancel_ != nullptr) launch.cancel = cancel_->word();
  return launch;
}

HOLOGRAM_LAUNCH_PATH launch::Limits Kernel::LimitsOf(const Code& code, uint32_t threads) const {
  launch::Limits limits;
  limits.code = code.facts;
  limits.why_no_code = code.why_not_native;
  if (code.facts.streams) limits.streaming_bytes = engines::StreamingThreshold();
  limits.parallelism.threads = threads;
  return limits;
}

Status Kernel::Launch(std::span<const hologram_buffer_ref> buffers,
                      std::span<const uint64_t> scalars, const LaunchConfig& config,
                      launch::Way& way) const {
  way.form = launch::Form::kNothing;  // until something runs
  const ObservedLaunch observed(program(), buffers);
  hologram_launch_shape shape{};
  Status status = RunLaunch(buffers, scalars, config, way, shape);
  observed.End(way, shape, status);
  return status;
}

// Who is asked for a grid has been helped only if the launch with that grid may run.
Diagnostics Kernel::WhyNoShape(Diagnostics errors, const LaunchConfig& config,
                               launch::Launch launch) const {
  const std::optional<hologram_launch_shape> wanted =
      default_launch_.Wanted(config.shape, launch.buffers, launch.scalars);
  if (!wanted || !launch.deterministic) return errors;
  launch.shape = *wanted;
  if (launch::FindRaces(program_, launch).empty()) return errors;
  const Result<launch::LaunchTier> tier = launch::CheckLaunch(program_, launch);
  if (tier.ok()) return errors;
  return engines::RefusalOf(program_, launch, tier.errors());
}

Status Kernel::RunLaunch(std::span<const hologram_buffer_ref> buffers,
                         std::span<const uint64_t> scalars, const LaunchConfig& config,
                         launch::Way& way, hologram_launch_shape& shape) const {
  HOLOGRAM_RETURN_IF_ERROR(CheckCounts(buffers.size(), scalars.size(), config.threads));
  HOLOGRAM_ASSIGN_OR_RETURN(const engines::devices::Place place,
                            engines::devices::PlaceOf(program(), buffers));
  const bool on_device = place.device != nullptr;
  HOLOGRAM_ASSIGN_OR_RETURN(
      const launch::Engine wanted,
      launch::EngineFor(program(), config.engine, place.engine,
                        on_device ? engines::devices::NameOf(place) : std::string()));
  const bool is_auto = wanted == launch::Engine::kAuto;
  if (wanted == launch::Engine::kCpu) AwaitCode();
  if (!is_auto && !on_device) HOLOGRAM_RETURN_IF_ERROR(engines::CheckAvailable(wanted));
  launch::Launch launch = NewLaunch(buffers, scalars, config);
  if (launch.cancelled()) return launch::CancelledError(program_);
  if (config.shape.grid && config.shape.block) {
    std::copy_n(config.shape.grid->begin(), 3, launch.shape.grid);
    std::copy_n(config.shape.block->begin(), 3, launch.shape.block);
    // Not from what was just written, which a copy of all of it would wait for.
    std::copy_n(config.shape.grid->begin(), 3, shape.grid);
    std::copy_n(config.shape.block->begin(), 3, shape.block);
  } else {
    Result<hologram_launch_shape> resolved =
        default_launch_.Resolve(config.shape, buffers, scalars);
    if (!resolved.ok()) return WhyNoShape(std::move(resolved).errors(), config, launch);
    launch.shape = resolved.value();
    shape = resolved.value();
  }
  if (!config.shape.grid && launch.shape.grid[0] == 0) {
    way.form = launch::Form::kNothing;
    way.reason = "the largest output is empty, so there is no lane";
    return Success{};
  }
  if (is_auto && compiling_.load(std::memory_order_relaxed)) {
    BackgroundCompiler::Shared().Ensure();  // this may be a forked child
    if (IsLongerThanCompiling(launch)) AwaitCode();
  }
  const Code& code = this->code();
  launch::Limits limits = LimitsOf(code, config.threads != 0 ? config.threads : ThreadsNow());
  limits.wanted = wanted;
  // What Run() would do with it, without what such a launch does not need.
  if (code.enters_first && is_auto) {
    hologram_launch_state state;
    const int32_t outcome = RunEntry(code, launch, limits, state);
    if (outcome != HOLOGRAM_LAUNCH_UNPROVED) way.form = launch::Form::kEntry;
    if (outcome == HOLOGRAM_LAUNCH_DONE) return Success{};
    if (outcome == HOLOGRAM_LAUNCH_FAULTED) {
      return engines::DescribeNativeFault(program_, launch, state, 0);
    }
    limits.declined = launch::TakesEntry(facts_, launch, limits);
  }
  return RunOnEngine(launch, code, limits, config, place, way);
}

Status Kernel::RunOnEngine(launch::Launch& launch, const Code& code, const launch::Limits& limits,
                           const LaunchConfig& config, const engines::devices::Place& place,
                           launch::Way& way) const {
  std::unique_lock<LongMutex> lock;
  if (stream_ != nullptr && program_.uses_stream()) {
    lock = std::unique_lock(stream_->mutex);
    launch.stream = &stream_->stream;
    HOLOGRAM_RETURN_IF_ERROR(CheckClassBuffers(launch.buffers));
  }
  std::optional<launch::PrintLog> prints;
  if (program_.uses_print() && config.shows_prints) launch.prints = &prints.emplace();
  const engines::Task task{facts_,
                           launch,
                           code.info(),
                           limits.parallelism.threads > 1 ? &ThreadPool::Shared() : nullptr,
                           checked_.get(),
                           &device_,
                           place.device != nullptr ? &place : nullptr};
  const Status result = engines::Run(task, limits, way);
  if (launch.prints != nullptr) {
    const FaultRecord* fault = result.ok() ? nullptr : result.errors()[0].fault.get();
    const bool cancelled = !result.ok() && result.errors()[0].code == ErrorCode::kCancelled;
    if (!cancelled) {
      print_sink_->GiveOut(program(), launch.shape, *prints,
                           fault == nullptr ? UINT64_MAX : fault->lane);
    }
  }
  HOLOGRAM_RETURN_IF_ERROR(result);
  const bool interpreted = way.engine == launch::Engine::kInterpreter;
  (interpreted ? interpreted_launches_ : native_launches_).fetch_add(1);
  if (way.checked()) guarded_launches_.fetch_add(1);
  return Success{};
}

HOLOGRAM_LAUNCH_PATH
int32_t Kernel::Enter(std::span<const hologram_buffer_ref> buffers,
                      std::span<const uint64_t> scalars, const hologram_launch_shape& shape,
                      hologram_launch_state& state) const {
  const Code& code = this->code();
  if (!code.enters_first) return HOLOGRAM_LAUNCH_UNPROVED;
  launch::Launch launch;
  launch.buffers = buffers;
  launch.scalars = scalars;
  launch.shape = shape;
  return RunEntry(code, launch, LimitsOf(code, ThreadsNow()), state);
}

HOLOGRAM_LAUNCH_PATH
int32_t Kernel::RunEntry(const Code& code, const launch::Launch& launch,
                         const launch::Limits& limits, hologram_launch_state& state) const {
  if (!launch::TakesEntry(facts_, launch, limits)) return HOLOGRAM_LAUNCH_UNPROVED;
  state = launch::InitialState(launch);
  const int32_t outcome =
      code.info()->entry(launch.buffers.data(), launch.scalars.data(), &launch.shape, &state);
  if (outcome == HOLOGRAM_LAUNCH_UNPROVED) return outcome;
  if (state.fault_code != HOLOGRAM_FAULT_NONE) return HOLOGRAM_LAUNCH_FAULTED;
  native_launches_.fetch_add(1, std::memory_order_relaxed);
  return HOLOGRAM_LAUNCH_DONE;
}

hologram_kernel_entry Kernel::RepeatedEntry(const launch::Launch& launch) const {
  const Code& code = this->code();
  if (!launch::MayRepeatEntry(facts_, code.facts)) return nullptr;
  const Result<launch::Way> way = launch::WayOf(facts_, launch, LimitsOf(code, ThreadsNow()));
  const bool enters = way.ok() && way.value().form == launch::Form::kEntry;
  return enters ? code.info()->entry : nullptr;
}

Kernel::Inline Kernel::InlineEntry() const {
  const Code& code = this->code();
  if (code.info() == nullptr || code.info()->default_entry == nullptr) return {};
  // Launches that several threads would be worth ask how many they may have now.
  const uint32_t threads = is_default_ ? std::max(threads_, 2U) : threads_;
  const uint64_t bytes = launch::InlineBytes(facts_, LimitsOf(code, threads));
  if (bytes == 0) return {};
  return {code.info()->default_entry, bytes};
}

LaunchCounts Kernel::counts() const {
  return {native_launches_.load(), interpreted_launches_.load(), guarded_launches_.load()};
}

Diagnostic Kernel::GuardedNote(const launch::Way& way) const {
  Diagnostic note = Error(ErrorCode::kUnsupported,
                          "kernel '" + name() +
                              "' ran in the interpreter with every access checked: the proof of "
                              "its accesses does not cover these arguments");
  if (!way.unproved) return note;
  const uint32_t pc = way.unproved->pc;
  note.where = program().LocationOf(pc);
  const auto& debug = program().debug;
  if (pc < debug.size() && !debug[pc].text.empty()) {
    note.message = "kernel '" + name() +
                   "' ran in the interpreter with every access checked: " + debug[pc].text +
                   " is not proved for these arguments";
  }
  return note;
}

}  // namespace hologram::runtime
