// Loads, stores and atomics of a program: with a comparison where an index is data.
#pragma once

#include <map>
#include <string>

#include "device/state.h"

namespace hologram::device {

class Memory {
 public:
  Memory(Arithmetic& arithmetic, const Facts& facts, Registers& registers, Faults& faults,
         const Parameters& parameters);

  // Make shared and local arrays zero, before the program starts. Local ones store by store: where
  // Intel's driver for processors made one memset of it, a part of the lanes' arrays kept what was
  // there.
  void ClearShared(Barriers& barriers);
  void ClearLocal();
  void Access(uint32_t pc);

 private:
  // The address of the element; the lane has faulted if there is none.
  Value Address(uint32_t pc, const verify::AccessFact& fact);
  Value ExtentOf(const verify::AccessFact& fact);
  Value OutOfBounds(isa::Type type, Value index, Value element, int64_t distance, Value extent);
  Value CompareAndSwap(const isa::Instruction& in, Value address, Value expected, Value desired);
  Value Update(const isa::Instruction& in, Value address, Value value);

  Arithmetic& arithmetic_;
  Builder& b_;
  const Facts& facts_;
  Registers& registers_;
  Faults& faults_;
  const Parameters& parameters_;
  std::vector<Value> shared_;
  std::vector<Value> local_;
};

}  // namespace hologram::device
