#include "engines/guarded.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/devices/resident.h"
#include "engines/engine.h"
#include "engines/lane_replay.h"
#include "engines/meeting.h"
#include "interpreter/interpreter.h"
#include "observe/span.h"

namespace hologram::engines {

struct FreeDeleter {
  void operator()(std::byte* memory) const { std::free(memory); }
};

struct Copy {
  hologram_buffer_ref original{};  // not empty
  std::unique_ptr<std::byte, FreeDeleter> memory;
};

namespace {

constexpr size_t kAlignment = 64;

// Directions of the buffer parameters, counted as buffers.
std::vector<isa::Direction> BufferDirections(const isa::Program& program) {
  std::vector<isa::Direction> directions;
  for (const isa::Parameter& parameter : program.parameters) {
    if (parameter.is_buffer) directions.push_back(parameter.direction);
  }
  return directions;
}

bool Reads(isa::Direction direction) {
  return direction != isa::Direction::kOut;
}

bool Writes(isa::Direction direction) {
  return direction != isa::Direction::kIn;
}

// REQUIRES: `buffer` is not empty.
Result<Copy> MakeCopy(const hologram_buffer_ref& buffer) {
  const size_t rounded = (buffer.bytes / kAlignment + 1) * kAlignment;
  Copy copy;
  copy.original = buffer;
  copy.memory.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
  if (copy.memory == nullptr) {
    return Error(ErrorCode::kResourceLimit,
                 "no memory for a checked copy of " + std::to_string(buffer.bytes) + " bytes");
  }
  std::memcpy(copy.memory.get(), buffer.data, buffer.bytes);
  return copy;
}

// The buffers of `launch`, those that were copied in place of their originals.
std::vector<hologram_buffer_ref> WithCopies(const launch::Launch& launch,
                                            const std::vector<Copy>& copies) {
  std::vector<hologram_buffer_ref> buffers(launch.buffers.begin(), launch.buffers.end());
  for (hologram_buffer_ref& buffer : buffers) {
    for (const Copy& copy : copies) {
      if (IsSameMemory(buffer, copy.original)) {
        buffer.data = copy.memory.get();
        break;
      }
    }
  }
  return buffers;
}

// Class memory that the program does not use is left alone: it may be buffers of other threads.
void CopyStream(const verify::VerifiedProgram& program, const launch::Stream& from,
                launch::Stream& to) {
  to.phase = from.phase;
  to.resonance = from.resonance;
  if (program.reads_class_memory() || program.writes_class_memory()) {
    to.class_memory = from.class_memory;
  }
}

// One copy per distinct written memory. Empty buffers have none: nothing is written to them, and a
// copy of one must never be taken for the copy of another buffer at its address.
Result<std::vector<Copy>> CopyWritten(const std::vector<isa::Direction>& directions,
                                      const launch::Launch& launch) {
  observe::Span span("copy", "written arrays");
  uint64_t bytes = 0;
  std::vector<Copy> copies;
  for (size_t k = 0; k < launch.buffers.size(); ++k) {
    const hologram_buffer_ref& buffer = launch.buffers[k];
    if (!Writes(directions[k]) || buffer.bytes == 0) continue;
    bool known = false;
    for (const Copy& copy : copies) known |= IsSameMemory(copy.original, buffer);
    if (known) continue;
    HOLOGRAM_ASSIGN_OR_RETURN(Copy copy, MakeCopy(buffer));
    copies.push_back(std::move(copy));
    bytes += buffer.bytes;
  }
  span.Number("bytes", bytes);
  return copies;
}

}  // namespace

bool CanRepeat(const verify::VerifiedProgram& program, const launch::Launch& launch) {
  if (program.uses_stream()) return false;  // class memory has changed
  const std::vector<isa::Direction> directions = BufferDirections(program.program());
  for (size_t written = 0; written < directions.size(); ++written) {
    if (!Writes(directions[written])) continue;
    for (size_t read = 0; read < directions.size(); ++read) {
      if (!Reads(directions[read])) continue;
      if (read == written ? launch.buffers[read].bytes != 0
                          : IsSameMemory(launch.buffers[read], launch.buffers[written])) {
        return false;
      }
    }
  }
  return true;
}

namespace {

// `lane`: runs no other one. `observer`: watches a run of all.
Result<std::optional<launch::Fault>> RunCopied(const verify::VerifiedProgram& program,
                                               const launch::Launch& launch, bool commit,
                                               std::optional<uint64_t> lane,
                                               interpreter::Observer* observer = nullptr) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<Copy> copies,
                            CopyWritten(BufferDirections(program.program()), launch));
  const std::vector<hologram_buffer_ref> buffers = WithCopies(launch, copies);
  launch::Launch private_launch = launch;
  private_launch.buffers = buffers;
  private_launch.guarded = true;  // at least, as far as is known here
  launch::Stream stream;
  if (launch.stream != nullptr) CopyStream(program, *launch.stream, stream);
  private_launch.stream = &stream;
  if (!commit) private_launch.prints = nullptr;  // it was printed before
  HOLOGRAM_ASSIGN_OR_RETURN(std::optional<launch::Fault> fault,
                            lane ? interpreter::RunLane(program, private_launch, *lane)
                                 : interpreter::Run(program, private_launch, nullptr, observer));
  if (!fault && commit) {
    const observe::Span span("copy", "back");
    if (launch.stream != nullptr) CopyStream(program, stream, *launch.stream);
    for (const Copy& copy : copies) {
      std::memcpy(copy.original.data, copy.memory.get(), copy.original.bytes);
    }
  }
  return fault;
}

// A program that prints has its inputs kept by native code.
bool KeepsInputs(const verify::VerifiedProgram& program) {
  return program.uses_print() && !program.uses_stream();
}

}  // namespace

Result<std::optional<launch::Fault>> RunOnCopies(const verify::VerifiedProgram& program,
                                                 const launch::Launch& launch, bool commit) {
  return RunCopied(program, launch, commit, std::nullopt);
}

bool KnowsValues(const verify::VerifiedProgram& program, const launch::Launch& launch,
                 const launch::Fault& fault) {
  // An endless loop has no values worth the wait.
  return fault.code != HOLOGRAM_FAULT_BUDGET &&
         (KeepsInputs(program) || CanRepeat(program, launch) ||
          CanRepeatLane(program, launch, fault.pc));
}

struct KeptInputs::Memory {
  std::vector<Copy> copies;
  std::vector<hologram_buffer_ref> buffers;  // with the copies
};

KeptInputs::KeptInputs(std::unique_ptr<Memory> memory) : memory_(std::move(memory)) {}
KeptInputs::KeptInputs(KeptInputs&&) noexcept = default;
KeptInputs::~KeptInputs() = default;

std::optional<KeptInputs> KeptInputs::Of(const verify::VerifiedProgram& program,
                                         const launch::Launch& launch) {
  if (!KeepsInputs(program) || CanRepeat(program, launch)) return std::nullopt;
  // A buffer that is only written is copied too: another one may be the same memory.
  Result<std::vector<Copy>> copies = CopyWritten(BufferDirections(program.program()), launch);
  if (!copies.ok()) return std::nullopt;
  auto memory = std::make_unique<Memory>();
  memory->copies = std::move(copies).value();
  memory->buffers = WithCopies(launch, memory->copies);
  return KeptInputs(std::move(memory));
}

launch::Launch KeptInputs::On(const launch::Launch& launch) const {
  launch::Launch kept = launch;
  kept.buffers = memory_->buffers;
  return kept;
}

Diagnostic DescribeNativeFault(const verify::VerifiedProgram& program, const launch::Launch& launch,
                               const hologram_launch_state& state, uint64_t other,
                               const KeptInputs* kept) {
  if (state.fault_code == HOLOGRAM_FAULT_CANCELLED) return launch::CancelledError(program);
  launch::Fault fault = launch::FaultOf(state, other);
  // The values of variables are known only to the interpreter. The check is for callers of the C
  // API that pass other buffers than they launched with.
  if (KnowsValues(program, launch, fault) && launch::CheckLaunch(program, launch).ok()) {
    const bool whole = kept != nullptr || CanRepeat(program, launch);
    if (!whole && !CanRepeatLane(program, launch, fault.pc)) {  // no memory to keep inputs in
      return launch::DescribeFault(program, launch, fault);
    }
    Result<std::optional<launch::Fault>> repeated =
        RunCopied(program, kept != nullptr ? kept->On(launch) : launch, /*commit=*/false,
                  whole ? std::nullopt : std::optional(fault.lane));
    if (repeated.ok() && repeated.value() && repeated.value()->lane == fault.lane &&
        repeated.value()->pc == fault.pc) {
      fault = *repeated.value();
    }
  }
  return launch::DescribeFault(program, launch, fault);
}

Result<Ran> RunGuarded(const Task& task, const launch::Way& /*way*/) {
  const verify::VerifiedProgram& program = task.facts.program;
  HOLOGRAM_ASSIGN_OR_RETURN(const std::optional<launch::Fault> fault,
                            RunOnCopies(program, task.launch, /*commit=*/true));
  if (!fault) return Ran::kDone;
  // A launch on copies is the interpreter's on every engine: it has the values of variables.
  return launch::DescribeFault(program, task.launch, *fault);
}

namespace {

// The engine's way of the checked form; nothing if it does not cover the launch either.
std::optional<launch::Way> NativeWay(const CheckedCode& code, const launch::Launch& launch,
                                     const launch::Limits& limits) {
  Result<launch::Way> way = launch::WayOf(code.facts, launch, limits);
  if (!way.ok() || !way.value().native()) return std::nullopt;
  return std::move(way).value();
}

// What was in the memory that a launch writes. Its own memory is kept for the next launch: the
// first touch of new pages costs more than the copy.
class Backup {
 public:
  // Errors: kResourceLimit.
  static Result<Backup> Of(const std::vector<isa::Direction>& directions,
                           const launch::Launch& launch) {
    observe::Span span("copy", "written arrays");
    Backup backup;
    size_t bytes = 0;
    for (size_t k = 0; k < launch.buffers.size(); ++k) {
      const hologram_buffer_ref& buffer = launch.buffers[k];
      if (!Writes(directions[k]) || buffer.bytes == 0 || backup.Has(buffer)) continue;
      backup.parts_.push_back({buffer, bytes});
      bytes += (buffer.bytes / kAlignment + 1) * kAlignment;
    }
    span.Number("bytes", bytes);
    if (bytes == 0) return backup;
    backup.block_ = Take(bytes);
    if (backup.block_ == nullptr) {
      return Error(ErrorCode::kResourceLimit,
                   "no memory for a copy of " + std::to_string(bytes) + " bytes");
    }
    for (const Part& part : backup.parts_) {
      std::memcpy(backup.block_ + kHeader + part.at, part.buffer.data, part.buffer.bytes);
    }
    return backup;
  }

  Backup(Backup&& other) noexcept
      : parts_(std::move(other.parts_)), block_(std::exchange(other.block_, nullptr)) {}
  Backup& operator=(Backup&&) = delete;
  ~Backup() {
    if (block_ == nullptr) return;
    if (SizeOf(block_) <= kMostKept) block_ = spare_.exchange(block_, std::memory_order_acq_rel);
    std::free(block_);
  }

  void Restore() const {
    const observe::Span span("copy", "back");
    for (const Part& part : parts_) {
      std::memcpy(part.buffer.data, block_ + kHeader + part.at, part.buffer.bytes);
    }
  }

 private:
  struct Part {
    hologram_buffer_ref buffer;
    size_t at;
  };
  static constexpr size_t kHeader = kAlignment;  // has the size of the rest
  static constexpr size_t kMostKept = size_t{32} << 20;

  Backup() = default;

  bool Has(const hologram_buffer_ref& buffer) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const Part& part) { return IsSameMemory(part.buffer, buffer); });
  }

  static size_t SizeOf(const std::byte* block) {
    size_t size = 0;
    std::memcpy(&size, block, sizeof size);
    return size;
  }

  // Null: there is no memory.
  static std::byte* Take(size_t bytes) {
    std::byte* block = spare_.exchange(nullptr, std::memory_order_acq_rel);
    if (block != nullptr && SizeOf(block) >= bytes) return block;
    std::free(block);
    block = static_cast<std::byte*>(std::aligned_alloc(kAlignment, kHeader + bytes));
    if (block != nullptr) std::memcpy(block, &bytes, sizeof bytes);
    return block;
  }

  static std::atomic<std::byte*> spare_;  // of the process, for whoever comes first

  std::vector<Part> parts_;
  std::byte* block_ = nullptr;
};

std::atomic<std::byte*> Backup::spare_{nullptr};

}  // namespace

// In place, with copies of what was there: most launches on which this is used have no fault.
Result<Ran> RunChecked(const Task& task, const launch::Limits& limits, launch::Way& way) {
  // What lanes print, and what they do to their stream, cannot be taken back here.
  if (task.facts.program.uses_print() || task.facts.program.uses_stream()) return Ran::kDeclined;
  const std::optional<CheckedCode> code =
      task.checked->Find(task.launch, limits.wanted == launch::Engine::kCpu);
  if (!code) return Ran::kDeclined;
  HOLOGRAM_ASSIGN_OR_RETURN(
      const Backup backup, Backup::Of(BufferDirections(task.facts.program.program()), task.launch));
  const Task checked{code->facts, task.launch, code->info, task.workers};
  launch::Limits own = limits;
  own.code = FactsOf(code->info);
  own.checked = false;
  own.declined = false;
  for (;;) {
    const std::optional<launch::Way> native = NativeWay(*code, task.launch, own);
    if (!native) return Ran::kDeclined;
    way.threads = native->threads;
    Result<Ran> ran = RunNativeForm(checked, *native);
    if (ran.ok() && ran.value() == Ran::kDeclined && !own.declined) {
      own.declined = true;
      continue;
    }
    if (ran.ok() && ran.value() == Ran::kDone) return ran;
    backup.Restore();
    if (!ran.ok()) return ran;
    return Ran::kDeclined;
  }
}

namespace {

// The message of a race with what a run of the launch has shown of it. Where lanes meet, that
// takes the place of the condition of the proof.
std::string WithMeeting(std::string message, const std::string& meeting, bool always,
                        const MeetingFinder& finder) {
  const size_t end = message.rfind(verify::kOrderMatters);
  if (end == std::string::npos || !message.ends_with(verify::kAllowsOrder)) return message;
  if (!meeting.empty()) {
    const size_t why = message.find(": ");
    return message.substr(0, std::min(why, end)) + ": " + meeting + message.substr(end);
  }
  // Otherwise the message has the condition that does not hold. One that holds for a single lane
  // says nothing of the kernel: the index has a form that the proof does not know.
  message.resize(end);
  const bool unknown = (always && message.find(verify::kUnlessUnique) == std::string::npos) ||
                       message.ends_with(" exceeds 1");
  const size_t may = message.find(verify::kLanesMeet);
  if (may != std::string::npos) {
    message.replace(may, std::string_view(verify::kLanesMeet).size(),
                    " is not proved to be one lane's alone");
  }
  return message +
         (finder.cut_short() ? "; no two lanes that meet there were found in a part of the launch"
                             : "; no two lanes of this launch meet there") +
         (unknown
              ? ", but a proof takes an index like id * width + j, with j of range(width) and a "
                "width that no loop changes"
              : "") +
         verify::kAllowsOrder;
}

// Whether copies of what a launch writes are more than a message is worth.
bool IsTooLargeToWatch(const launch::Launch& launch) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 28;
  uint64_t bytes = 0;
  for (const hologram_buffer_ref& buffer : launch.buffers) bytes += buffer.bytes;
  return bytes > kMostBytes;
}

}  // namespace

Diagnostics RefusalOf(const verify::VerifiedProgram& program, const launch::Launch& asked,
                      Diagnostics errors) {
  if (!asked.deterministic || IsTooLargeToWatch(asked)) return errors;
  const Result<devices::HostCopies> copies = devices::HostCopies::Of(asked.buffers);
  if (!copies.ok()) return errors;
  const launch::Launch launch = copies.value().On(asked);
  launch::Launch relaxed = launch;
  relaxed.deterministic = false;
  relaxed.prints = nullptr;
  const Result<launch::LaunchTier> tier = launch::CheckLaunch(program, relaxed);
  if (!tier.ok()) return errors;  // not because of races
  const std::vector<uint32_t> races = launch::FindRaces(program, launch);
  const auto is_atomic = [&](uint32_t pc) { return isa::IsAtomic(program.program().code[pc].op); };
  if (races.size() != errors.size() || std::all_of(races.begin(), races.end(), is_atomic)) {
    return errors;
  }
  MeetingFinder finder(program, launch, races);
  const Result<std::optional<launch::Fault>> run =
      RunCopied(program, relaxed, /*commit=*/false, std::nullopt, &finder);
  const bool stopped = !run.ok() && run.errors()[0].code == ErrorCode::kCancelled;
  if (!run.ok() && !stopped) return errors;
  // Where arguments break the proofs (`i < n - 1` with n = 0), lanes seem to share elements that
  // they do not have: then the first access out of bounds is the news.
  if (run.ok() && run.value() && program.races().empty() &&
      tier.value() == launch::LaunchTier::kGuarded) {
    return {launch::DescribeFault(program, launch, *run.value())};
  }
  if (run.ok() && run.value()) finder.CutShort();
  for (size_t k = 0; k < errors.size(); ++k) {
    const std::optional<Meeting>& found = finder.found(k);
    // Of atomics the message has all there is to say.
    if (is_atomic(races[k])) continue;
    errors[k].message =
        WithMeeting(std::move(errors[k].message), found ? InWords(program, launch, *found) : "",
                    k < program.races().size(), finder);
  }
  return errors;
}

}  // namespace hologram::engines
