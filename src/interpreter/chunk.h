// The lanes that the interpreter runs together, and all their state.
//
// A program without barriers and shared memory runs in chunks of up to kMaxChunkLanes consecutive
// linear lanes, whatever block they belong to; any other program runs one block at a time.
// Registers are columns: one array per register and element size, one element per lane. A register
// that holds 4 bytes in some lanes and 8 in others therefore lives in two columns that do not
// disturb each other. Predicates are columns of bytes that are 0 or 1.
//
// `ranges` are the lanes that execute the current instruction. A lane that faults leaves them,
// keeps its registers as they are, and never runs again.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "interpreter/interpreter.h"
#include "interpreter/lane_control.h"
#include "interpreter/launch_sums.h"
#include "interpreter/ordered_updates.h"
#include "interpreter/stream_run.h"
#include "launch/fault_text.h"
#include "launch/launch.h"

namespace hologram::interpreter {

inline constexpr uint32_t kMaxChunkLanes = 2048;

struct Range {
  uint32_t begin;
  uint32_t end;
};

bool IsEmpty(const LaneMask& mask);

class Chunk {
 public:
  static Result<std::unique_ptr<Chunk>> Create(const verify::VerifiedProgram& program,
                                               const launch::Launch& launch);

  // Makes this the lanes [first, first + count) of the launch, none of which has run.
  void Start(uint64_t first, uint32_t count);

  const verify::VerifiedProgram& verified() const { return verified_; }
  const isa::Program& program() const { return verified_.program(); }
  const launch::Launch& launch() const { return launch_; }
  uint64_t first_lane() const { return first_lane_; }
  uint32_t count() const { return count_; }
  uint32_t capacity() const { return capacity_; }
  // The program needs all lanes of a block together, and nothing but them.
  bool by_block() const { return by_block_; }

  // The values of a register in all lanes. REQUIRES: the program reads or writes it with that size.
  template <class T>
  T* Column(uint8_t reg) {
    static_assert(sizeof(T) <= 8);
    return static_cast<T*>(columns_[reg][SizeClass(sizeof(T))]);
  }
  // nullptr when no instruction uses the register with that size.
  const void* ColumnOfSize(uint8_t reg, uint32_t bytes) const {
    return columns_[reg][SizeClass(bytes)];
  }
  uint8_t* Predicate(uint8_t predicate) { return predicates_[predicate]; }

  const hologram_buffer_ref& BufferOfParameter(uint32_t parameter) const {
    return launch_.buffers[buffer_of_parameter_[parameter]];
  }
  // The element that this memory begins with.
  uint64_t BaseOfParameter(uint32_t parameter) const {
    const launch::Window* const window = launch_.window;
    return window == nullptr ? 0 : window->base[buffer_of_parameter_[parameter]];
  }
  uint8_t* shared() { return shared_; }
  // REQUIRES: verified().uses_stream()
  StreamRun& stream() { return *stream_; }
  // REQUIRES: verified().launch_sums() is not empty
  LaunchSums& sums() { return *kept_.sums; }
  OrderedUpdates& ordered() { return kept_.ordered; }
  // Of all lanes: byte `offset` of a local array's elements, element by element, lane by lane.
  uint8_t* Local(uint32_t offset) { return local_ + size_t{offset} * capacity_; }

  // ---- The lanes that run now
  uint32_t pc() const { return pc_; }
  void set_pc(uint32_t pc) { pc_ = pc; }
  const LaneMask& active() const { return active_; }
  const std::vector<Range>& ranges() const { return ranges_; }
  void Activate(LaneMask mask);
  void Deactivate();
  // Lane `lane` of the chunk stops with this fault; takes effect at DropFaulted.
  void Fault(uint32_t lane, uint32_t code, int64_t index, uint64_t other = 0);
  // Takes the lanes that faulted out of the running ones.
  void DropFaulted();
  const std::optional<launch::Fault>& fault() const { return fault_; }

  LaneControl& control() { return control_; }

  // Who looks at the run.
  struct Watch {
    Traffic* traffic = nullptr;
    Observer* observer = nullptr;  // mostly null
  };
  Traffic& traffic() { return *watch_.traffic; }
  Observer* observer() const { return watch_.observer; }
  void set_watch(const Watch& watch) { watch_ = watch; }
  uint64_t num_running() const {
    uint64_t lanes = 0;
    for (const Range range : ranges_) lanes += range.end - range.begin;
    return lanes;
  }

 private:
  static constexpr size_t SizeClass(size_t bytes) {
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
  }

  Chunk(const verify::VerifiedProgram& program, const launch::Launch& launch)
      : verified_(program), launch_(launch), kept_{{}, OrderedUpdates(program.program())} {}
  void FindColumns();
  void AddColumn(uint8_t reg, isa::Type type);
  bool Allocate();
  void FillParameters(bool first_chunk);
  void FillSpecialRegisters();

  const verify::VerifiedProgram& verified_;
  const launch::Launch& launch_;
  Watch watch_;
  uint64_t first_lane_ = 0;
  uint32_t count_ = 0;
  uint32_t capacity_ = 0;
  bool by_block_ = false;
  bool started_ = false;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<uint8_t, Free> memory_;
  std::array<std::array<bool, 4>, isa::kNumRegisters> used_{};
  std::array<bool, isa::kNumRegisters> written_{};
  std::array<std::array<void*, 4>, isa::kNumRegisters> columns_{};
  std::array<uint8_t*, isa::kNumPredicates> predicates_{};
  std::vector<uint32_t> buffer_of_parameter_;
  std::optional<StreamRun> stream_;
  struct {
    std::optional<LaunchSums> sums;
    OrderedUpdates ordered;
  } kept_;  // updates that are still to be made
  uint8_t* local_ = nullptr;
  uint8_t* shared_ = nullptr;
  uint32_t shared_bytes_ = 0;

  uint32_t pc_ = 0;
  LaneMask active_;
  std::vector<Range> ranges_;
  std::vector<uint32_t> faulted_;
  std::optional<launch::Fault> fault_;
  LaneControl control_;
};

}  // namespace hologram::interpreter
