// The emitters of all instructions, for one function. Only this names them all; what they need of
// each other they were given.
#pragma once

#include "codegen/instructions/instructions.h"

namespace hologram::codegen {

// The target of emission.
struct Surroundings {
  FunctionState& function;
  const Arguments& arguments;
  LaneIds& ids;
  Chunk& chunk;
  Registers& registers;
  Faults& faults;
  RemarkWriter& remarks;
  LocalArrays& local;
  SharedArrays& shared;
};

class InstructionSet {
 public:
  InstructionSet(const Surroundings& s, FenceEmitter fence);
  InstructionSet(const InstructionSet&) = delete;
  InstructionSet& operator=(const InstructionSet&) = delete;

  Emitters& emitters() { return emitters_; }
  Places& places() { return places_; }
  UpdateLog& log() { return log_; }

 private:
  Places places_;
  LaunchStrides strides_;
  LaunchSums sums_;
  UpdateLog log_;
  Atomics atomics_;
  Memory memory_;
  Computation computation_;
  Division division_;
  Classes classes_;
  Phase phase_;
  Services services_;
  Calls calls_;
  LoopCounters loops_;
  Agreement agreement_;
  Emitters emitters_;
};

}  // namespace hologram::codegen
