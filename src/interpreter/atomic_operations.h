// The new value of an element after an atomic instruction.
#pragma once

#include "base/check.h"
#include "interpreter/operations.h"
#include "isa/half.h"
#include "isa/instruction.h"

namespace hologram::interpreter {

template <class T>
T CombineWide(isa::AtomicOp op, T old, T value) {
  switch (op) {
    case isa::AtomicOp::kAdd:
      return Sum(old, value);
    case isa::AtomicOp::kMin:
      return Smaller(old, value);
    case isa::AtomicOp::kMax:
      return Larger(old, value);
    case isa::AtomicOp::kExchange:
      return value;
    default:
      break;
  }
  if constexpr (!kIsFloat<T>) {
    if (op == isa::AtomicOp::kAnd) return old & value;
    return op == isa::AtomicOp::kOr ? old | value : old ^ value;
  }
  HOLOGRAM_CHECK(false);
}

template <class T>
T Combine(isa::AtomicOp op, T old, T value) {
  if constexpr (isa::kIsHalf<T>) {
    if (op == isa::AtomicOp::kExchange) return value;
    return Stored<T>(CombineWide(op, Widened(old), Widened(value)));
  } else {
    return CombineWide(op, old, value);
  }
}

}  // namespace hologram::interpreter
