// BLK.RED and BLK.SCAN: the values of a block go into shared memory, and the lanes that are still
// there share the steps of the tree of docs/isa.md out among them. Each element is computed by one
// lane, from elements of the step before, so which lane it is changes no bit.
#pragma once

#include <map>

#include "device/state.h"

namespace hologram::device {

class Reductions {
 public:
  // Calls of Sync() that one instruction makes.
  static constexpr uint32_t kPlaces = 6;

  Reductions(Arithmetic& arithmetic, const Facts& facts, Registers& registers, Barriers& barriers);

  // Before the program starts.
  void Start();
  void Emit(uint32_t pc);

 private:
  void Sync();
  void NumberLanes();
  void Fill(uint32_t pc, Value memory);
  Value Slots(const isa::Instruction& in);
  Value Reduce(const isa::Instruction& in, Value memory);
  // Rows from `row` on, whose slot is at `low`, `distance` apart, of which there are `rows`.
  struct RowGroup {
    Value row = 0;
    Value low = 0;
    Value distance = 0;
    Value rows = 0;
  };
  void CombineRows(const isa::Instruction& in, Value memory, const RowGroup& group);
  Value Scan(const isa::Instruction& in, Value memory);
  Value Combine(const isa::Instruction& in, Value a, Value b);
  template <class Body>
  void ShareOut(Value first, Value count, const Body& body);
  template <class Body>
  void Levels(Value first, uint32_t log, const Body& body);
  Value At(Value memory, Value i);
  Value Number(uint32_t value) { return b_.Constant(Scalar::kI32, value); }
  Value Rows();

  Arithmetic& arithmetic_;
  Builder& b_;
  const Facts& facts_;
  Registers& registers_;
  Barriers& barriers_;
  std::map<Scalar, Value> memories_;
  Value arrived_ = 0;  // how many lanes have come, where some may have ended
  // Variables, as no value outlives a Sync().
  Value worker_ = 0;   // number of this lane among those that work
  Value workers_ = 0;  // how many these are
  Value distance_ = 0;
  Value half_ = 0;  // of the memory that has the newest values of a scan
};

}  // namespace hologram::device
