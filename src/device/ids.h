// The ids of a lane, which are read at the start of the kernel. Tested by tests/device.
#pragma once

#include <array>

#include "device/barriers.h"
#include "device/facts.h"
#include "device/registers.h"

namespace hologram::device {

class Ids {
 public:
  explicit Ids(const Facts& facts);

  // Those that the program reads. REQUIRES: `barriers` has started, if isa::Sreg::kLinear is one.
  void Read(Builder& builder, const Barriers& barriers);
  bool are_read(isa::Sreg sreg) const { return are_read_[static_cast<size_t>(sreg)]; }
  // 0: it is not read.
  Value operator[](isa::Sreg sreg) const { return values_[static_cast<size_t>(sreg)]; }
  // They become those of the lane in the same place of another block along x, in a launch of
  // `blocks`.
  void MoveTo(Builder& builder, Value block, Value blocks);
  // Into the registers that are read only.
  void SetRegisters(Registers& registers) const;

 private:
  std::array<bool, isa::kNumSregs> are_read_;
  std::array<Value, isa::kNumSregs> values_{};
};

// Of the lane in its block, x first, i32.
Value LinearLane(Builder& builder);

}  // namespace hologram::device
