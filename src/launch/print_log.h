// Prints of one launch: records in the order of lanes, whatever the order in which
// engines run them, and never more memory than the limits below need.
// Tested by tests/launch/print_log_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction.h"

namespace hologram::launch {

inline constexpr size_t kMaxPrints = 10000;     // of a launch
inline constexpr size_t kMaxPrintBytes = 1024;  // of one record; for the rest there is "...\n"

// One PRINT.END, or what a lane printed last without one.
struct PrintRecord {
  uint64_t lane = 0;  // linear
  uint32_t pc = 0;    // of the instruction that ended or began it
  std::string text;   // UTF-8 without control characters other than tab and line feed
};

// Not thread-safe. The records of a lane come in their order, those of lanes in any order.
class PrintLog {
 public:
  explicit PrintLog(size_t limit = kMaxPrints) : limit_(limit) {}

  void Text(uint64_t lane, uint32_t pc, std::string_view text);
  // REQUIRES: `print` is one; `bits` is the value of its register
  void Value(uint64_t lane, uint32_t pc, const isa::Instruction& print, uint64_t bits);
  void End(uint64_t lane, uint32_t pc);

  struct Printed {
    std::vector<PrintRecord> records;  // at most the limit, those of the lowest lanes
    bool complete = true;              // there were no more
    uint64_t dropped = 0;              // how many more; after a fault it is not known, and 0
  };
  // Takes the records to show; the log is empty then. `last_lane` is that of the fault, and
  // UINT64_MAX without one: what lanes behind it printed depends on the engine and is not shown.
  Printed Take(uint64_t last_lane);

 private:
  // Adds to the open record of the lane, or to nothing if it will not be shown.
  void Add(uint64_t lane, uint32_t pc, std::string_view text);
  // Forgets all but the first `limit_` records that there are so far: no later one comes before
  // them in their lanes.
  void KeepFirst();
  void Drop(uint64_t lane);

  struct Open {
    PrintRecord record;
    bool cut = false;
  };
  size_t limit_;
  std::map<uint64_t, Open> open_;         // by lane, at most twice the limit
  std::vector<PrintRecord> closed_;       // at most twice the limit
  uint64_t cut_ = UINT64_MAX;             // records that begin in this lane or behind are dropped
  uint64_t dropped_ = 0;                  // those with an end
  uint64_t lowest_dropped_ = UINT64_MAX;  // the lane of one of them
};

}  // namespace hologram::launch
