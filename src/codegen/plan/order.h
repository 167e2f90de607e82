// How a kernel makes the updates that happen in the order of lanes (VerifiedProgram::
// ordered_updates), though an instruction runs in all lanes of a vector before the next one does:
//
//  - at once, lane after lane of the vector, where no lane comes to an array more than once between
//    two barriers: then the order of instructions is that of lanes;
//  - in a log: each vector of updates is a row of addresses and values on the stack, and when the
//    lanes of the chunk have come to a barrier or to their end, the rows are gone through lane by
//    lane. If it may be too short for all that lanes do, a chunk that fills it is run again from
//    its start, lane by lane;
//  - at once, one lane after the other, where a chunk that was begun cannot be run again, or would
//    fill the log most of the time, or where vectors are not worth a log: loops whose rounds are
//    data and that compute little.
#pragma once

#include "codegen/plan/plan.h"

namespace hologram::codegen {

enum class Keeping : uint8_t {
  kVectors,         // at once or in the log, or there is nothing to keep
  kVectorsOrLanes,  // in the log, and where it is too short lane by lane
  kLanes,
};

// Decides, and finds what waits in the log of a chunk of `width` lanes. REQUIRES: the plan is
// complete but for that.
Keeping FindLog(Plan& plan, unsigned width);

}  // namespace hologram::codegen
