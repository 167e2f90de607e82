// Where all lanes of a block wait for each other. A device wants all lanes of a block at each
// barrier, the program those only that have not ended. Where lanes may end before a barrier, the
// kernel is one loop around one place for all barriers. A lane comes there with the number of the
// place where it goes on, or with that of lanes that have ended, which come back until all have. So
// the loop has one entry: with two, Intel's driver for processors makes code that does not end.
#pragma once

#include <vector>

#include "device/facts.h"

namespace hologram::device {

class Barriers {
 public:
  // `places`: how often Sync() will be called. `lanes`: of a block, i32.
  Barriers(Builder& builder, const Facts& facts, uint32_t places);

  bool lanes_leave() const { return facts_.lanes_leave; }
  // At the start of the kernel; all lanes have come to a barrier before they go on. `linear`:
  // number of the lane in its block, i32.
  void Start(Value linear, Value lanes);
  // Goes to the first block of the program, from the start of the kernel.
  void Enter(Label first);
  Value linear() const { return linear_; }
  Value lanes() const { return lanes_; }
  // All lanes that have not ended come here. The code behind it is in another block; no value from
  // before may be used where lanes leave.
  void Sync();
  // The lane ends, at the end of a block.
  void Leave();
  // After the last block.
  void End();

 private:
  Builder& b_;
  const Facts& facts_;
  Value linear_ = 0;
  Value lanes_ = 0;
  Value ended_ = 0;  // how many lanes have
  Value place_ = 0;  // where this lane goes on
  Label go_on_ = 0;
  Label wait_ = 0;
  Label leave_ = 0;
  bool leaves_ = false;
  uint32_t next_ = 0;
  std::vector<Label> places_;
};

}  // namespace hologram::device
