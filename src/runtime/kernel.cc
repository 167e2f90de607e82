#include "runtime/kernel.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "engines/cpu_features.h"
#include "engines/split.h"
#include "launch/fault_text.h"
#include "runtime/background_compiler.h"
#include "runtime/thread_pool.h"

namespace hologram::runtime {
namespace {

size_t CountBuffers(const isa::Program& program) {
  size_t count = 0;
  for (const isa::Parameter& parameter : program.parameters) count += parameter.is_buffer ? 1 : 0;
  return count;
}

}  // namespace

Kernel::Kernel(verify::VerifiedProgram program, std::string id, std::string why_not_native)
    : program_(std::move(program)),
      id_(std::move(id)),
      first_(new Code{std::nullopt, std::move(why_not_native), "interpreter", false}),
      code_(first_.get()),
      default_launch_(program_),
      work_(program_),
      num_buffers_(CountBuffers(program_.program())) {}

Kernel::Kernel(verify::VerifiedProgram program, std::string id, NativeCode native,
               std::string origin, std::string level)
    : Kernel(std::move(program), std::move(id), "") {
  first_ = MakeCode(std::move(native), origin, level);
  code_ = first_.get();
}

Kernel::Kernel(verify::VerifiedProgram program, std::string id, Compiling /*compiling*/)
    : Kernel(std::move(program), std::move(id), "it is being compiled") {
  first_.reset(new Code{std::nullopt, "it is being compiled", "interpreter (compiling)", false});
  later_.reset(new Code{std::nullopt, "out of memory", "interpreter", false});
  code_ = first_.get();
  compiling_ = true;
}

std::unique_ptr<const Kernel::Code> Kernel::MakeCode(NativeCode native, const std::string& origin,
                                                     const std::string& level) const {
  auto code = std::make_unique<Code>();
  code->native = std::move(native);
  code->path = "native (" + origin + ", " + level + ")";
  // What is taken from shapes, only Launch() is given.
  const std::vector<isa::Parameter>& parameters = program().parameters;
  code->may_enter =
      engines::MayEnter(RunnableWith(*code)) && program().NumArguments() == parameters.size() &&
      std::none_of(parameters.begin(), parameters.end(),
                   [](const isa::Parameter& parameter) { return parameter.rank != 0; });
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
    Publish(
        std::unique_ptr<const Code>(new Code{std::nullopt, why_not_native, "interpreter", false}));
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
constexpr double kInterpreted = 100;  // times as long as native code

}  // namespace

Kernel::ShortWork Kernel::LimitOfShort() const {
  if (work_.has_data_loops()) return {};
  const launch::WorkModel::Product& limit = work_.limit_of_lane();
  // Native code stays; what is interpreted may be compiled at any time.
  const double ns = std::max(limit.ns, 1e-3) * (native() == nullptr ? kInterpreted : 1);
  constexpr double kMost = UINT32_MAX;
  return {static_cast<uint64_t>(std::min(kShortNs / ns, kMost)), limit.scalars};
}

bool Kernel::IsShort(std::span<const uint64_t> scalars, uint64_t lanes) const {
  if (work_.has_data_loops()) return false;
  const double ns = work_.LaneNs(scalars) * static_cast<double>(lanes);
  return ns * (native() == nullptr ? kInterpreted : 1) < kShortNs;
}

// Whether the interpreter would take longer than the compiler, as far as is known.
bool Kernel::IsLongerThanCompiling(const launch::Launch& launch) const {
  constexpr double kInterpreted = 30;  // times as long as native code
  constexpr double kCompilingNs = 20e6;
  return work_.LaunchNs(launch) * kInterpreted > kCompilingNs;
}

Status Kernel::CheckCounts(size_t buffers, size_t scalars) const {
  if (buffers == num_buffers() && scalars == num_scalars()) return Success{};
  return Error(ErrorCode::kInvalidArgument,
               "kernel '" + name() + "' expects " + std::to_string(num_buffers()) +
                   " buffers and " + std::to_string(num_scalars()) + " scalars, found " +
                   std::to_string(buffers) + " and " + std::to_string(scalars));
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

Result<engines::Outcome> Kernel::Launch(std::span<const hologram_buffer_ref> buffers,
                                        std::span<const uint64_t> scalars,
                                        const LaunchConfig& config) const {
  HOLOGRAM_RETURN_IF_ERROR(CheckCounts(buffers.size(), scalars.size()));
  if (config.threads > kMaxThreads) {
    return Error(ErrorCode::kInvalidArgument, "threads: expected 0 to " +
                                                  std::to_string(kMaxThreads) + ", found " +
                                                  std::to_string(config.threads));
  }
  const engines::Backend* backend = config.backend;
  if (backend != nullptr) {
    if (backend != &engines::Interpreter()) AwaitCode();
    HOLOGRAM_RETURN_IF_ERROR(backend->Available());
    HOLOGRAM_RETURN_IF_ERROR(backend->CanRun(RunnableWith(code())));
  }
  launch::Launch launch;
  launch.buffers = buffers;
  launch.scalars = scalars;
  launch.budget = config.budget;
  launch.class_base = config.class_base;
  launch.deterministic = config.deterministic;
  if (cancel_ != nullptr) launch.cancel = cancel_->word();
  if (launch.cancelled()) return launch::CancelledError(program_);
  HOLOGRAM_ASSIGN_OR_RETURN(launch.shape, default_launch_.Resolve(config.shape, buffers, scalars));
  if (!config.shape.grid && launch.shape.grid[0] == 0) return engines::Outcome{};
  if (backend == nullptr && compiling_.load(std::memory_order_relaxed)) {
    BackgroundCompiler::Shared().Ensure();  // this may be a forked child
    if (IsLongerThanCompiling(launch)) AwaitCode();
  }
  const engines::RunnableKernel runnable = RunnableWith(code());
  if (backend == nullptr) {
    backend = runnable.native != nullptr ? &engines::Cpu() : &engines::Interpreter();
  }
  std::unique_lock<LongMutex> lock;
  if (stream_ != nullptr && program_.uses_stream()) {
    lock = std::unique_lock(stream_->mutex);
    launch.stream = &stream_->stream;
    HOLOGRAM_RETURN_IF_ERROR(CheckClassBuffers(buffers));
  }
  engines::Parallelism parallelism;
  parallelism.threads = config.threads != 0 ? config.threads : threads_;
  if (parallelism.threads > 1) parallelism.workers = &ThreadPool::Shared();
  launch::PrintLog prints;
  if (program_.uses_print() && config.shows_prints) launch.prints = &prints;
  Result<engines::Outcome> result = backend->Launch(runnable, launch, parallelism);
  if (launch.prints != nullptr) {
    const FaultRecord* fault = result.ok() ? nullptr : result.errors()[0].fault.get();
    const bool cancelled = !result.ok() && result.errors()[0].code == ErrorCode::kCancelled;
    if (!cancelled) {
      print_sink_->GiveOut(program(), launch.shape, prints,
                           fault == nullptr ? UINT64_MAX : fault->lane);
    }
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const engines::Outcome outcome, std::move(result));
  (outcome.native ? native_launches_ : interpreted_launches_).fetch_add(1);
  if (outcome.guarded) guarded_launches_.fetch_add(1);
  return outcome;
}

engines::Entered Kernel::Enter(std::span<const hologram_buffer_ref> buffers,
                               std::span<const uint64_t> scalars,
                               const hologram_launch_shape& shape,
                               hologram_launch_state& state) const {
  const Code& code = this->code();
  if (!code.may_enter) return engines::Entered::kDeclined;
  launch::Launch launch;
  launch.buffers = buffers;
  launch.scalars = scalars;
  launch.shape = shape;
  const engines::Entered entered = engines::Enter(RunnableWith(code), launch, threads_, state);
  if (entered == engines::Entered::kDone) {
    native_launches_.fetch_add(1, std::memory_order_relaxed);
  }
  return entered;
}

uint64_t Kernel::BytesOfSmallLaunch() const {
  if (threads_ == 1 || !work_.may_split()) return UINT64_MAX;
  return BytesOfLaunch(engines::Parallelism().min_work_ns, kRoundsOfSmallLaunch);
}

// From how large an output on a default launch takes `ns`, if loops whose rounds are not constant
// go round `rounds` times.
uint64_t Kernel::BytesOfLaunch(double ns, double rounds) const {
  // Fewer lanes than this are not worth it, or not enough for two chunks.
  const engines::Parallelism usual;
  const uint32_t block = program().default_block;
  const double worth = ns / work_.LaneNs(rounds);
  const bool by_lane = native() != nullptr && native()->unit == HOLOGRAM_UNIT_LANE;
  const double lanes = std::max(worth, static_cast<double>(by_lane ? usual.lane_granule : block));
  constexpr double kMost = static_cast<double>(uint64_t{1} << 36);
  // Launches are whole blocks over the largest output.
  const uint64_t elements = static_cast<uint64_t>(std::min(lanes, kMost)) / block * block;
  uint64_t size = UINT64_MAX;
  for (const isa::Parameter& parameter : program().parameters) {
    if (!parameter.is_buffer || parameter.direction == isa::Direction::kIn) continue;
    size = std::min<uint64_t>(size, isa::SizeOf(parameter.type));
  }
  return size == UINT64_MAX ? UINT64_MAX : elements * size + 1;
}

Kernel::Inline Kernel::InlineEntry() const {
  const verify::IdsUsed& ids = program_.ids();
  for (int d = 1; d < 3; ++d) {
    if (ids.global[d] || ids.lane[d] || ids.block[d]) return {};
  }
  if (native() == nullptr || native()->default_entry == nullptr || program_.needs_session() ||
      !program_.races().empty() || !default_launch_.decided_by_bounds()) {
    return {};
  }
  // What is taken from shapes, only Launch() is given.
  if (program().NumArguments() != program().parameters.size()) return {};
  // Beyond this a launch takes long enough for the way through Launch().
  constexpr uint64_t kMaxInlineBytes = uint64_t{1} << 31;
  const uint64_t all_bytes = native()->streaming_body == nullptr
                                 ? kMaxInlineBytes
                                 : std::min(kMaxInlineBytes, engines::StreamingThreshold());
  const uint64_t buffers = std::max<uint64_t>(num_buffers_, 1);
  // Loops that may be long look themselves at what stops them; lanes do not.
  const uint64_t unstopped = BytesOfLaunch(engines::kLongPartNs, 1);
  return {native()->default_entry,
          std::min({all_bytes / buffers, BytesOfSmallLaunch(), unstopped})};
}

LaunchCounts Kernel::counts() const {
  return {native_launches_.load(), interpreted_launches_.load(), guarded_launches_.load()};
}

Diagnostic Kernel::GuardedNote(const engines::Outcome& outcome) const {
  Diagnostic note = Error(ErrorCode::kUnsupported,
                          "kernel '" + name() +
                              "' ran in the interpreter with every access checked: the proof of "
                              "its accesses does not cover these arguments");
  if (!outcome.guarded_pc) return note;
  note.where = program().LocationOf(*outcome.guarded_pc);
  const auto& debug = program().debug;
  if (*outcome.guarded_pc < debug.size() && !debug[*outcome.guarded_pc].text.empty()) {
    note.message = "kernel '" + name() + "' ran in the interpreter with every access checked: " +
                   debug[*outcome.guarded_pc].text + " is not proved for these arguments";
  }
  return note;
}

}  // namespace hologram::runtime
