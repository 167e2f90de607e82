// A function of functions.def by its number: Apply<Function::kExp, kFast>(o, x). Everything that
// runs or emits the algorithms includes this; a new algorithm's header belongs here.
#pragma once

#include "isa/math/atan2.h"
#include "isa/math/erf.h"
#include "isa/math/exp.h"
#include "isa/math/exp2.h"
#include "isa/math/expm1.h"
#include "isa/math/functions.h"
#include "isa/math/log.h"
#include "isa/math/log1p.h"
#include "isa/math/pow.h"
#include "isa/math/rsqrt.h"
#include "isa/math/sigmoid.h"
#include "isa/math/tanh.h"
#include "isa/math/trigonometry.h"

namespace hologram::isa::math {

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
#include "isa/math/functions.def"
}

}  // namespace hologram::isa::math
