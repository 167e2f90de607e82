// The contents of registers while a program is written out: values, joined by phis where ways meet.
// Where lanes leave before barriers, control flow is not that of the program any more (barriers.h),
// so registers are variables there, which a driver makes values of again as far as it can.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "device/facts.h"

namespace hologram::device {

class Registers {
 public:
  Registers(Builder& builder, const Facts& facts);

  // Several copies of all registers, of lanes that are written side by side; which one the calls
  // below mean. REQUIRES: registers are values.
  void MakeCopies(size_t count);
  void Use(size_t copy) { used_ = copy; }

  // ---- Before the first block
  void SetParameter(size_t k, Value value);
  void SetSpecial(uint32_t reg, Value value);

  // Begins a block of the program, from whose predecessors jumps come.
  void Begin(uint32_t block);
  // Nothing that was read or written in this block is at hand any more: code is behind a barrier.
  void Forget() { local_.clear(); }
  Value Read(uint32_t pc, size_t operand, isa::Type type);
  Value ReadPredicate(uint32_t pc, size_t operand);
  std::vector<Value> ReadRun(uint32_t pc);
  void Write(uint32_t pc, Value written);
  // The jump from one block of the program to another is at the end of the block that is being
  // written.
  void SetEdge(uint32_t from, uint32_t to);
  // Of a loop whose header is being written: whether it has gone round as often as it does.
  Value HasEnded(const CountedLoop& loop);
  // After the last block.
  void End();

 private:
  using Slot = std::pair<uint32_t, Scalar>;  // what a register holds as one type
  struct Phi {
    verify::ValueId id;
    std::vector<size_t> from;  // places among the predecessors
  };

  struct Rounds {
    Value all = 0;
    Value so_far = 0;  // a phi, which is `next` when the loop goes round
    Value next = 0;
    Value first = 0;  // of the counter
    Value step = 0;
    Label before = 0;
    Label again = 0;
  };

  bool in_variables() const { return facts_.lanes_leave || !facts_.ssa.built; }
  void FindTypes();
  Value Variable(const Slot& slot);
  Value ReadSlot(const Slot& slot);
  Value ReadValue(verify::ValueId v);
  void CountRounds(const CountedLoop& loop, uint32_t from);

  Builder& b_;
  const Facts& facts_;
  struct Copy {
    std::vector<Value> fixed;   // by register: parameters and special registers
    std::vector<Value> values;  // by value of the form
  };

  Value& fixed(size_t reg) { return copies_[used_].fixed[reg]; }
  Value& value(verify::ValueId v) { return copies_[used_].values[v]; }

  std::vector<Copy> copies_;
  size_t used_ = 0;
  std::vector<Scalar> types_;                          // by value of the form
  std::vector<Phi> phis_;                              // in the order of blocks that were begun
  std::vector<std::vector<verify::ValueId>> phis_of_;  // by block
  std::map<std::pair<uint32_t, uint32_t>, Label> edges_;
  std::map<uint32_t, Rounds> rounds_;  // by header
  std::map<Slot, Value> variables_;
  std::map<Slot, Value> local_;  // of the block that is being written
};

}  // namespace hologram::device
