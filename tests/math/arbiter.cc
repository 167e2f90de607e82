#include "math/arbiter.h"

#include <mpfr.h>

#include <algorithm>

#include "base/check.h"

namespace hologram::math {

const bool kHasArbiter = true;

namespace {

constexpr mpfr_prec_t kBits = 160;

// A number of MPFR that a thread keeps.
struct Number {
  Number() { mpfr_init2(value, kBits); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { mpfr_clear(value); }
  mpfr_t value;
};

void Evaluate(Function function, mpfr_ptr x) {
  switch (function) {
    case Function::kExp:
      mpfr_exp(x, x, MPFR_RNDN);
      return;
    case Function::kSigmoid:
      mpfr_neg(x, x, MPFR_RNDN);
      mpfr_exp(x, x, MPFR_RNDN);
      mpfr_add_ui(x, x, 1, MPFR_RNDN);
      mpfr_ui_div(x, 1, x, MPFR_RNDN);
      return;
    case Function::kLog:
      mpfr_log(x, x, MPFR_RNDN);
      return;
    case Function::kLog2:
      mpfr_log2(x, x, MPFR_RNDN);
      return;
    case Function::kLog10:
      mpfr_log10(x, x, MPFR_RNDN);
      return;
    case Function::kRsqrt:
      mpfr_rec_sqrt(x, x, MPFR_RNDN);
      return;
    case Function::kSin:
      mpfr_sin(x, x, MPFR_RNDN);
      return;
    case Function::kCos:
      mpfr_cos(x, x, MPFR_RNDN);
      return;
    case Function::kTan:
      mpfr_tan(x, x, MPFR_RNDN);
      return;
    case Function::kTanh:
      mpfr_tanh(x, x, MPFR_RNDN);
      return;
    case Function::kErf:
      mpfr_erf(x, x, MPFR_RNDN);
      return;
    case Function::kExp2:
      mpfr_exp2(x, x, MPFR_RNDN);
      return;
    case Function::kExpm1:
      mpfr_expm1(x, x, MPFR_RNDN);
      return;
    case Function::kLog1p:
      mpfr_log1p(x, x, MPFR_RNDN);
      return;
    case Function::kPow:
    case Function::kAtan2:
      break;
  }
  HOLOGRAM_CHECK(false);  // two operands
}

// An infinity counts as the number after the largest.
void Limit(mpfr_ptr x) {
  constexpr mpfr_exp_t kAfterLargest = 128;
  const bool below = mpfr_cmp_si_2exp(x, 1, kAfterLargest) < 0;
  if (below && mpfr_cmp_si_2exp(x, -1, kAfterLargest) > 0) return;
  mpfr_set_si_2exp(x, mpfr_signbit(x) != 0 ? -1 : 1, kAfterLargest, MPFR_RNDN);
}

}  // namespace

double ArbitratedUlpError(Function function, float x, float y) {
  thread_local Number exact;
  thread_local Number found;
  mpfr_set_flt(exact.value, x, MPFR_RNDN);
  mpfr_set_flt(found.value, y, MPFR_RNDN);
  Evaluate(function, exact.value);
  HOLOGRAM_CHECK(mpfr_nan_p(exact.value) == 0);
  Limit(exact.value);
  Limit(found.value);
  // mpfr_get_exp counts from 1/2.
  const bool zero = mpfr_zero_p(exact.value) != 0;
  const mpfr_exp_t exponent =
      std::clamp<mpfr_exp_t>(zero ? -126 : mpfr_get_exp(exact.value) - 1, -126, 127);
  mpfr_sub(found.value, found.value, exact.value, MPFR_RNDN);
  mpfr_mul_2si(found.value, found.value, 23 - exponent, MPFR_RNDN);
  mpfr_abs(found.value, found.value, MPFR_RNDN);
  return mpfr_get_d(found.value, MPFR_RNDN);
}

}  // namespace hologram::math
