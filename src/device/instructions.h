// Code for each instruction of a program; src/device/lower.cc has the control flow around it.
// Tested by tests/device.
#pragma once

#include <vector>

#include "device/barriers.h"
#include "device/classes.h"
#include "device/ids.h"
#include "device/math.h"
#include "device/memory.h"
#include "device/reductions.h"
#include "device/state.h"

namespace hologram::device {

class Instructions {
 public:
  Instructions(Arithmetic& arithmetic, const Facts& facts, Registers& registers, Barriers& barriers,
               Faults& faults, const Parameters& parameters)
      : b_(arithmetic.builder()),
        facts_(facts),
        arithmetic_(arithmetic),
        registers_(registers),
        barriers_(barriers),
        faults_(faults),
        functions_(arithmetic),
        memory_(arithmetic, facts, registers, faults, parameters),
        reductions_(arithmetic, facts, registers, barriers),
        classes_(arithmetic, facts, registers, faults, parameters) {}

  // At the start of the kernel. `blocks`: there is what a block shares.
  void Start(bool blocks);
  // `ids`: those of the lane.
  void Emit(uint32_t pc, const Ids& ids);
  // Whether the branch at the end of a block is taken.
  Value IsTaken(uint32_t pc);

 private:
  const isa::Instruction& At(uint32_t pc) const { return facts_.program().code[pc]; }
  void EmitComputed(uint32_t pc);
  void EmitDivision(uint32_t pc);
  void EmitReduce(uint32_t pc);
  bool EmitEndOfRange(uint32_t pc);
  void EmitPredicate(uint32_t pc, Binary op);
  void EmitFence(const isa::Instruction& in);
  void EmitTrap(uint32_t pc);
  std::vector<Value> Operands(uint32_t pc);
  void Write(uint32_t pc, Value value);

  Builder& b_;
  const Facts& facts_;
  Arithmetic& arithmetic_;
  Registers& registers_;
  Barriers& barriers_;
  Faults& faults_;
  MathFunctions functions_;
  Memory memory_;
  Reductions reductions_;
  Classes classes_;
  Value loop_counter_ = 0;  // of a LOOP, before it
};

}  // namespace hologram::device
