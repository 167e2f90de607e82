// In place of arbiter.cc where MPFR is missing.
#include "base/check.h"
#include "math/arbiter.h"

namespace hologram::math {

const bool kHasArbiter = false;

double ArbitratedUlpError(Function, float, float) {
  HOLOGRAM_CHECK(false);
  return 0;
}

}  // namespace hologram::math
