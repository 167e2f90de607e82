// The fault of a launch, and its words: the message, the registers that decided and their values,
// from the program and its debug lines. Tested by tests/verify/proofs_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"

namespace hologram::launch {

struct Fault {
  uint32_t code = HOLOGRAM_FAULT_NONE;  // HOLOGRAM_FAULT_*
  uint32_t pc = 0;
  uint64_t lane = 0;  // linear
  int64_t index = 0;
  // The values of DebugLine::variables of that instruction in that lane, as text ("i = 498");
  // filled by the interpreter only.
  std::string variables;
  // Of two operands that decide, the one that is not `index`: the bits of what RES.ACCUM adds, the
  // pool of an access beyond its end.
  uint64_t other = 0;
  // DebugLine::text with values in their places, where it has such; filled as `variables` is.
  std::string text = {};

  // They are not those of this launch.
  void ForgetValues() {
    variables.clear();
    text.clear();
  }
};

// The error of a launch that was stopped.
Diagnostic CancelledError(const VerifiedProgram& program);

// The fault that native code left in `state`; `other` is that of the service, if there is one.
Fault FaultOf(const hologram_launch_state& state, uint64_t other);

// The registers whose values made the instruction fault, with these values: both operands of a
// division, the index of an access, classes, pages, pools and offsets, and what is added to a
// class. None of a budget or of a depth of calls.
std::vector<OperandRecord> OperandsOf(const VerifiedProgram& program, const Fault& fault);

// "blur.py:12:18: error: src[i + 2] reads element 500 of 500 (i = 498)" as a Diagnostic of kFault,
// with its FaultRecord.
Diagnostic DescribeFault(const VerifiedProgram& program, const Launch& launch, const Fault& fault);

}  // namespace hologram::launch
