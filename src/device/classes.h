// Instructions on classes (src/isa/atlas.h), without the memory of classes. Tested by tests/device.
#pragma once

#include "device/ids.h"
#include "device/state.h"

namespace hologram::device {

class Classes {
 public:
  Classes(Arithmetic& arithmetic, const Facts& facts, Registers& registers, Faults& faults,
          const Parameters& parameters)
      : b_(arithmetic.builder()),
        facts_(facts),
        arithmetic_(arithmetic),
        registers_(registers),
        faults_(faults),
        parameters_(parameters) {}

  // cls.get, mirror, nbr.count, nbr.get or bound.map. `ids`: those of the lane.
  void Emit(uint32_t pc, const Ids& ids);

 private:
  Value Wide(Value value) { return b_.Emit(Cast::kZeroExtend, value, Scalar::kI64); }
  Value CheckedClass(uint32_t pc);
  Value NeighbourOf(Value c, uint32_t k);
  Value BoundMap(uint32_t pc);

  Builder& b_;
  const Facts& facts_;
  Arithmetic& arithmetic_;
  Registers& registers_;
  Faults& faults_;
  const Parameters& parameters_;
};

}  // namespace hologram::device
