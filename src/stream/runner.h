// One run of a stream. prepare.cc decides before the first byte is read; hands.cc has what each
// hand does with a window; run.cc lets them work.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "stream/line.h"
#include "stream/run.h"

namespace hologram::stream {

using Clock = std::chrono::steady_clock;

inline double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The part of one array that a window has.
struct Part {
  std::byte* data = nullptr;
  uint64_t low = 0;  // element
  uint64_t high = 0;
  uint64_t written_low = 0;
  uint64_t written_high = 0;
};

// One window in memory.
struct Slot {
  uint64_t first = 0;  // units
  uint64_t last = 0;
  std::vector<Part> parts;  // by buffer
};

// Of a run so far; each is written by one hand.
struct Counters {
  std::atomic<uint64_t> windows{0};
  std::atomic<uint64_t> elements{0};
  std::atomic<uint64_t> bytes_read{0};
  std::atomic<uint64_t> bytes_written{0};
  std::atomic<double> reading{0};
  std::atomic<double> computing{0};
  std::atomic<double> writing{0};
};

class Runner {
 public:
  explicit Runner(Request& request) : request_(request), kernel_(request.kernel) {}
  Result<Streamed> Run();

 private:
  // ---- prepare.cc
  Status Prepare();
  void FillArrays();
  void AddArray(const std::string& name, uint32_t size);
  Status CheckPointwise();
  bool Fills() const;
  Planned Asked() const;
  Status MakePlan(uint64_t window, uint64_t pool_bytes);
  bool IsBeyondIds() const;
  Status PlanPointwise(uint64_t window, uint64_t pool_bytes);
  Status FindLength();
  Status ChooseGrid();
  Status MakeSlots();
  Diagnostic TooSmall() const;

  // ---- run.cc
  void Work(Line& line);
  void InTurn(Line& line);
  void Hold(Line& line, Hand hand, uint64_t k);
  Status Work(Line& line, Hand hand, uint64_t k);
  Status Complete();
  Streamed Now() const;
  Status Report();
  Status ReportNowAndThen();

  // ---- hands.cc
  Slot& SlotOf(uint64_t k) { return slots_[k % depth_]; }
  Status Read(Line& line, uint64_t k);
  Status ReadWindow(Line& line, uint64_t k);
  Status Fill(Line& line, uint64_t k, size_t b, uint64_t low, uint64_t high);
  Status ReadWhole(size_t b, void* to, uint64_t count, const std::atomic<bool>& stop);
  Status ReadPointwise(Line& line, uint64_t k);
  Status CheckEnds(Line& line, uint64_t length);
  Status Compute(uint64_t k);
  Status Write(Line& line, uint64_t k);
  Status WriteZeros(size_t b, uint64_t end, const std::atomic<bool>& stop);
  Diagnostic Backwards(const Array& array, uint64_t low, const Part& before) const;
  Diagnostic Short(const Array& array, uint64_t bytes) const;

  Request& request_;
  const runtime::Kernel* const kernel_;  // null: a function
  std::vector<Array> arrays_;
  std::optional<Planner> planner_;
  WindowPlan plan_;
  uint64_t depth_ = kDepth;
  bool threaded_ = false;
  bool waits_ = false;  // for a source
  bool writes_ = false;
  // Each window is a launch of its own: nothing in the kernel depends on where it is.
  bool pointwise_ = false;
  bool fills_ = false;          // every element of a window is written
  uint64_t length_ = kUnknown;  // of all arrays then
  uint32_t length_scalar_ = 0;
  std::unique_ptr<Pool> own_pool_;
  std::vector<Slot> slots_;
  std::vector<uint64_t> positions_;  // elements that were read, by buffer
  std::vector<uint64_t> written_;    // the same of those that were written
  Counters counters_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point reported_ = Clock::now();
};

}  // namespace hologram::stream
