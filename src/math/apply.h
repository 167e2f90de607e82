// A function of functions.def by its number: Apply<Function::kExp, kFast>(o, x). Everything that
// runs or emits the algorithms includes this; a new algorithm's header belongs here.
#pragma once

#include "math/atan2.h"
#include "math/erf.h"
#include "math/exp.h"
#include "math/exp2.h"
#include "math/expm1.h"
#include "math/functions.h"
#include "math/log.h"
#include "math/log1p.h"
#include "math/pow.h"
#include "math/rsqrt.h"
#include "math/sigmoid.h"
#include "math/tanh.h"
#include "math/trigonometry.h"

namespace hologram::math {

// One `x` per operand.
template <Function kFunction, bool kFast, class Ops, class... Operands>
HOLOGRAM_MATH_INLINE typename Ops::F Apply(Ops& o, const Operands&... x) {
  constexpr bool kQuick = kFast && sizeof(typename Ops::Format::Float) == 4;
  static_assert(InfoOf(kFunction).num_operands == sizeof...(Operands));
#define FUNCTION(Name, operands, has_fast)        \
  if constexpr (kFunction == Function::k##Name) { \
    if constexpr (kQuick && (has_fast)) {         \
      return Name##Fast(o, x...);                 \
    } else {                                      \
      return Name(o, x...);                       \
    }                                             \
  }
#include "math/functions.def"
}

}  // namespace hologram::math
