// Decides an error where the reference in f64 is too close to call: MPFR with 160 bits. An optional
// dependency of the tests alone; without it kHasArbiter is false and asking is an error.
#pragma once

#include "math/batch.h"

namespace hologram::math {

extern const bool kHasArbiter;

// The error of `y` as function(x), of one operand, in units in the last place of f32 at the exact
// result, counted as UlpError does. REQUIRES: kHasArbiter, and the exact result is a number or an
// infinity. Any thread.
double ArbitratedUlpError(Function function, float x, float y);

}  // namespace hologram::math
