// A verified program as a kernel for a device: one lane of it to a lane of the program, the proofs
// of the verifier in place of checks. It is written into a builder, of which there is one for each
// kind of device code. A lane that faults sets a word and ends: the launch is then to be run again
// where faults are described (src/interpreter), on the arrays as they were. Tested by tests/device.
#pragma once

#include <vector>

#include "base/result.h"
#include "device/arithmetic.h"
#include "verify/verified_program.h"

namespace hologram::device {

// One argument of the kernel, in their order.
struct Argument {
  enum class Kind : uint8_t {
    kBuffer,     // the address of the array that is parameter number `parameter`
    kExtent,     // u64: how many elements it has
    kScalar,     // the value of parameter number `parameter`, of its type
    kBudget,     // u64: of the launch
    kRounds,     // u64: the largest count of back edges of loops that end (launch::most_rounds)
    kClassBase,  // u32: of the launch
    kBlocks,     // u32: how many blocks the launch has along x
    kTogether,   // u32: how many of them a block of the device runs; 1 or kBlocksTogether
    kFault,      // the address of a word, 0 at first: 1 after a fault
  };
  Kind kind = Kind::kBuffer;
  uint32_t parameter = 0;
  bool operator==(const Argument&) const = default;
};

// Thread coarsening: a lane of the device may be this many lanes of the program, of neighbouring
// blocks, so that it has as many loads under way.
inline constexpr uint32_t kBlocksTogether = 4;
enum class Coarsening : uint8_t { kNever, kWherePossible };

// Writes the kernel, with a kTogether where it may be coarsened. REQUIRES: a launch has passed its
// check before it runs there, with all proofs (launch::LaunchTier::kProved). Errors name what a
// device cannot run.
Result<std::vector<Argument>> Lower(const verify::VerifiedProgram& program, Division division,
                                    Coarsening coarsening, Builder& builder);

}  // namespace hologram::device
