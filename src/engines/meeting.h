// Two lanes of a launch that meet: they touch one element, and one of them writes it. Found by
// running the launch in the interpreter on copies, in its order; for the message of a launch that
// is refused because of a race. Tested by python/tests/test_races.py.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "interpreter/interpreter.h"
#include "launch/launch.h"

namespace hologram::engines {

struct Touch {
  uint64_t lane = UINT64_MAX;  // linear
  uint32_t pc = 0;
};

struct Meeting {
  Touch first;  // in the order of the interpreter
  Touch second;
  uint64_t element = 0;
};

// Of the arrays that the accesses at `suspects` are to: one meeting for each suspect.
class MeetingFinder : public interpreter::Observer {
 public:
  MeetingFinder(const verify::VerifiedProgram& program, const launch::Launch& launch,
                std::span<const uint32_t> suspects);

  void Access(uint32_t pc, uint64_t lane, uint64_t element) override;
  void Barrier(uint64_t lane) override;
  bool GoesOn(uint64_t lanes) override;

  const std::optional<Meeting>& found(size_t suspect) const { return found_[suspect]; }
  // There was more to look at than anybody would wait for.
  bool cut_short() const { return cut_short_; }
  // The run has ended early, by a fault.
  void CutShort() { cut_short_ = true; }

 private:
  // How lanes have used an element: one of shared memory, since the last barrier.
  struct Element {
    uint64_t interval = 0;
    std::array<Touch, 2> touched;  // by different lanes
    Touch written;
  };
  uint64_t IntervalOf(uint64_t lane) const;

  const isa::Program& program_;
  uint64_t lanes_per_block_;
  std::vector<int32_t> suspect_of_;  // by instruction: which suspect's array it is to, or -1
  std::vector<std::optional<Meeting>> found_;
  std::vector<std::unordered_map<uint64_t, Element>> elements_;  // by suspect
  std::unordered_map<uint64_t, uint64_t> barriers_;              // that a lane has passed
  uint64_t steps_ = 0;
  uint64_t num_elements_ = 0;
  bool cut_short_ = false;
};

// "lane 3 and lane 35 both write O[0, 1, 0]"
std::string InWords(const verify::VerifiedProgram& program, const launch::Launch& launch,
                    const Meeting& meeting);

}  // namespace hologram::engines
