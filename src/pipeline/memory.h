// The memory that a capture has seen: arrays by their addresses, with the bytes that the recorded
// launches know to be in them. So an array that a launch has made differs from one that is a
// constant, and the recorder finds what was written by others than launches, which no run would
// repeat. Only memory that a launch is given is ever read here. Part of the recorder, which tests
// it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace hologram::pipeline {

struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool contains(const Range& other) const { return begin <= other.begin && other.end <= end; }
  uint64_t bytes() const { return end - begin; }
  bool operator==(const Range&) const = default;
};
Range RangeOf(const void* data, uint64_t bytes);

// A region of memory that is one array of the plan. Parts of it may belong to later regions by now.
struct Region {
  Range range;
  Role role = Role::kTemporary;
  bool is_kept = false;     // its owner keeps it until the capture ends
  bool is_written = false;  // by a launch; or, of inputs and constants, by their owner
  AlignedBytes bytes;       // that launches know to be in it
  // The region that has taken it in; none: it is an array of its own.
  Region* merged = nullptr;
};

class Memory {
 public:
  void set_results_stay(bool stay) { results_stay_ = stay; }
  // Otherwise arrays that are not kept may end at any time, and another one begin in their memory.
  bool results_stay() const { return results_stay_; }
  // An array of the caller. Error text: it overlaps another one; empty: none.
  std::string AddInput(const Range& range);
  // Memory that is the caller's until the capture ends, and that a launch will write, or has.
  std::string Keep(const Range& range);
  // It is the caller's no longer.
  void GiveBack(const Range& range) { Cut(range); }

  // The memory that a launch reads; it becomes a constant where no launch has written it. Not null,
  // or `error` is why it cannot be.
  Region* Read(const Range& range, std::string& error);
  // The memory that a launch writes. `updates`: what is there counts, too.
  Region* Write(const Range& range, bool updates, std::string& error);
  // After the launch: takes what it has written.
  void Written(const Range& range);

  // The region that has all of it now, or null.
  Region* Find(const Range& range);
  // Whether some memory is the region's still.
  bool Has(const Region& region) const;
  // Whether the bytes of the region there are those that launches have left.
  bool IsUnchanged(const Region& region, const Range& range) const;
  static Region* Last(Region* region);
  // All regions that were ever there, those that were merged included.
  const std::vector<std::unique_ptr<Region>>& all() const { return all_; }

 private:
  struct Segment {
    uintptr_t end = 0;
    Region* region = nullptr;
  };

  std::vector<Region*> Overlapping(const Range& range) const;
  bool IsCovered(const Range& range) const;
  // A region that has all of the range from now on.
  Region* Add(const Range& range, Role role);
  // One region in place of several, whose memory is one array after all.
  Region* Merge(const Range& range, const std::vector<Region*>& parts);
  // Nobody has the range, or what the region has of it.
  void Cut(const Range& range);
  void Forget(const Region* region);

  bool results_stay_ = true;
  std::map<uintptr_t, Segment> segments_;  // by their first byte, apart from each other
  std::vector<std::unique_ptr<Region>> all_;
};

}  // namespace hologram::pipeline
