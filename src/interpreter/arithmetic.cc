// ADD SUB MUL DIV REM MAD FMA MIN MAX ABS NEG, the REDUCE family and BLK.RED. Integers wrap: they
// are computed as unsigned numbers of at least 32 bits (a product of two promoted 16-bit numbers
// would overflow int). Floats round to nearest even, and a NaN that is computed is the canonical
// one. Operations on 16-bit floats are those of f32 (columns.h), except where f32 would round twice
// or not often enough.
#include <array>
#include <cmath>
#include <limits>

#include "interpreter/columns.h"
#include "interpreter/instructions.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;

// Wide enough that C++ does not promote it to a signed type.
template <class T>
using Wide = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

template <class T>
T Sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return Canonical(a + b);
  else
    return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
}

template <class T>
T Difference(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return Canonical(a - b);
  else
    return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
}

template <class T>
T Product(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return Canonical(a * b);
  else
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}

// REQUIRES: b != 0
template <class T>
T Quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return Difference(T{0}, a);  // MIN / -1 = MIN
  }
  return static_cast<T>(a / b);
}

// REQUIRES: b != 0
template <class T>
T Remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

// A result of two steps, after the first: the value that a register of type T would hold.
template <class T>
Computed<T> Rounded(Computed<T> value) {
  if constexpr (isa::kIsHalf<T>) {
    return isa::Widen(isa::Narrow<T>(value));
  } else {
    return value;
  }
}

// A number beats NaN, and -0 < +0: for equal numbers, which differ at most in the sign of zero, the
// bits are combined.
template <class T>
T Smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = BitsOfFloat<T>;
    const T merged =
        __builtin_bit_cast(T, __builtin_bit_cast(Bits, a) | __builtin_bit_cast(Bits, b));
    const T less = a < b ? a : b;
    const T number = b != b ? a : less;
    return Canonical(a == b ? merged : number);
  } else {
    return a < b ? a : b;
  }
}

template <class T>
T Larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = BitsOfFloat<T>;
    const T merged =
        __builtin_bit_cast(T, __builtin_bit_cast(Bits, a) & __builtin_bit_cast(Bits, b));
    const T greater = a > b ? a : b;
    const T number = b != b ? a : greater;
    return Canonical(a == b ? merged : number);
  } else {
    return a > b ? a : b;
  }
}

template <class T>
void FaultOnZero(Chunk& chunk, const Instruction& in) {
  const T* const column = chunk.Column<T>(in.b);
  const T* const dividends = chunk.Column<T>(in.a);
  bool any = false;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) any |= column[i] == 0;
  }
  if (!any) return;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      if (column[i] != 0) continue;
      chunk.Fault(i, HOLOGRAM_FAULT_DIVISION_BY_ZERO, static_cast<int64_t>(dividends[i]));
    }
  }
  chunk.DropFaulted();
}

// std::fma is right on every machine but slow without hardware; with it, the loop is compiled for
// it.
template <class T>
void FusedLoop(Range range, T* out, const T* a, const T* b, const T* c) {
  for (uint32_t i = range.begin; i < range.end; ++i) out[i] = Canonical(std::fma(a[i], b[i], c[i]));
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2,fma")]] void FusedLoopHardware(Range range, T* out, const T* a, const T* b,
                                                   const T* c) {
  HOLOGRAM_COLUMN_LOOP
  for (uint32_t i = range.begin; i < range.end; ++i) {
    const T value =
        sizeof(T) == 4
            ? static_cast<T>(__builtin_fmaf(static_cast<float>(a[i]), static_cast<float>(b[i]),
                                            static_cast<float>(c[i])))
            : static_cast<T>(__builtin_fma(a[i], b[i], c[i]));
    out[i] = Canonical(value);
  }
}

bool HasFma() {
  static const bool kHasFma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  return kHasFma;
}
#endif

template <class T>
void RunWideFma(Chunk& chunk, const Instruction& in) {
  T* const out = chunk.Column<T>(in.d);
  const T* const a = chunk.Column<T>(in.a);
  const T* const b = chunk.Column<T>(in.b);
  const T* const c = chunk.Column<T>(in.c);
  for (const Range range : chunk.ranges()) {
#if defined(__x86_64__)
    if (HasFma()) {
      FusedLoopHardware(range, out, a, b, c);
      continue;
    }
#endif
    FusedLoop(range, out, a, b, c);
  }
}

template <class T>
void RunFma(Chunk& chunk, const Instruction& in) {
  if constexpr (isa::kIsHalf<T>) {
    MapTernary<T>(chunk, in, [](auto a, auto b, auto c) { return isa::FusedToOdd(a, b, c); });
  } else {
    RunWideFma<T>(chunk, in);
  }
}

// One element of a column, as operations see it, and back.
template <class T>
Computed<T> Widened(T value) {
  if constexpr (isa::kIsHalf<T>) {
    return isa::Widen(value);
  } else {
    return value;
  }
}

template <class T>
T Stored(Computed<T> value) {
  if constexpr (isa::kIsHalf<T>) {
    return isa::Narrow<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return Canonical(value);
  } else {
    return value;
  }
}

// d = the registers of the run, combined from the first to the last.
template <class T, class Operation>
void Fold(Chunk& chunk, const Instruction& in, Computed<T> identity, Operation operation) {
  std::array<const T*, isa::kNumRegisters> sources;
  const auto count = static_cast<size_t>(in.imm);
  for (size_t k = 0; k < count; ++k) {
    sources[k] = chunk.Column<T>(static_cast<uint8_t>(in.a + k));
  }
  T* const out = chunk.Column<T>(in.d);
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      Computed<T> folded = count == 0 ? identity : Widened(sources[0][i]);
      for (size_t k = 1; k < count; ++k) {
        folded = Rounded<T>(operation(folded, Widened(sources[k][i])));
      }
      out[i] = Stored<T>(folded);
    }
  }
}

// No value is above; infinity for floats.
template <class V>
constexpr V Highest() {
  using Limits = std::numeric_limits<V>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

template <class V>
constexpr V Lowest() {
  using Limits = std::numeric_limits<V>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::min();
}

constexpr size_t kSlots = 16;
constexpr size_t kRows = isa::kMaxLanesPerBlock / kSlots;

// The tree of BLK.RED: neighbouring rows first, slot by slot, then the slots of the row that is
// left.
template <class T, class Operation>
void FoldBlock(Chunk& chunk, const Instruction& in, Computed<T> padding, Operation operation) {
  std::array<Computed<T>, kRows * kSlots> values;
  values.fill(padding);
  T* const out = chunk.Column<T>(in.d);
  const T* const column = chunk.Column<T>(in.a);
  ForEachLane(chunk, [&](uint32_t i) { values[i] = Widened(column[i]); });
  for (size_t step = 1; step < kRows; step *= 2) {
    for (size_t row = 0; row < kRows; row += 2 * step) {
      for (size_t slot = 0; slot < kSlots; ++slot) {
        Computed<T>& value = values[row * kSlots + slot];
        value = Rounded<T>(operation(value, values[(row + step) * kSlots + slot]));
      }
    }
  }
  for (size_t half = kSlots / 2; half > 0; half /= 2) {
    for (size_t slot = 0; slot < half; ++slot) {
      values[slot] = Rounded<T>(operation(values[slot], values[slot + half]));
    }
  }
  const T result = Stored<T>(values[0]);
  ForEachLane(chunk, [=](uint32_t i) { out[i] = result; });
}

template <class T>
void ReduceTyped(Chunk& chunk, const Instruction& in) {
  using V = Computed<T>;
  using Limits = std::numeric_limits<V>;
  constexpr bool kIsFloat = std::is_floating_point_v<V>;
  constexpr V kNone = kIsFloat ? Limits::quiet_NaN() : V{0};
  switch (in.block_op()) {
    case isa::BlockOp::kAdd:
      return FoldBlock<T>(chunk, in, kIsFloat ? static_cast<V>(-0.0) : V{0},
                          [](V a, V b) { return Sum(a, b); });
    case isa::BlockOp::kMin:
      return FoldBlock<T>(chunk, in, kIsFloat ? kNone : Limits::max(),
                          [](V a, V b) { return Smaller(a, b); });
    case isa::BlockOp::kMax:
      return FoldBlock<T>(chunk, in, kIsFloat ? kNone : Limits::lowest(),
                          [](V a, V b) { return Larger(a, b); });
    case isa::BlockOp::kMul:
      return FoldBlock<T>(chunk, in, V{1}, [](V a, V b) { return Product(a, b); });
    default:
      break;
  }
  if constexpr (!kIsFloat) {
    if (in.block_op() == isa::BlockOp::kAnd) {
      FoldBlock<T>(chunk, in, static_cast<T>(~T{0}),
                   [](T a, T b) { return static_cast<T>(a & b); });
    } else if (in.block_op() == isa::BlockOp::kOr) {
      FoldBlock<T>(chunk, in, T{0}, [](T a, T b) { return static_cast<T>(a | b); });
    } else {
      FoldBlock<T>(chunk, in, T{0}, [](T a, T b) { return static_cast<T>(a ^ b); });
    }
  }
}

}  // namespace

void ReduceBlock(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() { ReduceTyped<T>(chunk, in); });
}

void Add(Chunk& chunk, const Instruction& in) {
  ForType(in.type,
          [&]<class T>() { MapBinary<T>(chunk, in, [](auto a, auto b) { return Sum(a, b); }); });
}

void Sub(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    MapBinary<T>(chunk, in, [](auto a, auto b) { return Difference(a, b); });
  });
}

void Mul(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    MapBinary<T>(chunk, in, [](auto a, auto b) { return Product(a, b); });
  });
}

void Div(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    if constexpr (kIsFloat<T>) {
      MapBinary<T>(chunk, in, [](auto a, auto b) { return Canonical(a / b); });
    } else {
      FaultOnZero<T>(chunk, in);
      MapBinary<T>(chunk, in, [](T a, T b) { return Quotient(a, b); });
    }
  });
}

void Rem(Chunk& chunk, const Instruction& in) {
  ForIntegerType(in.type, [&]<class T>() {
    FaultOnZero<T>(chunk, in);
    MapBinary<T>(chunk, in, [](T a, T b) { return Remainder(a, b); });
  });
}

void Mad(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    MapTernary<T>(chunk, in,
                  [](auto a, auto b, auto c) { return Sum(Rounded<T>(Product(a, b)), c); });
  });
}

void Fma(Chunk& chunk, const Instruction& in) {
  ForFloatType(in.type, [&]<class T>() { RunFma<T>(chunk, in); });
}

void Min(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    MapBinary<T>(chunk, in, [](auto a, auto b) { return Smaller(a, b); });
  });
}

void Max(Chunk& chunk, const Instruction& in) {
  ForType(in.type,
          [&]<class T>() { MapBinary<T>(chunk, in, [](auto a, auto b) { return Larger(a, b); }); });
}

// ABS and NEG of floats are bit operations: they keep the payload of a NaN.
void Abs(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    if constexpr (kIsFloat<T>) {
      using Bits = BitsOfFloat<T>;
      constexpr auto kMagnitude = static_cast<Bits>(std::numeric_limits<Bits>::max() >> 1);
      MapUnary<Bits, Bits>(chunk, in.d, in.a,
                           [](Bits a) { return static_cast<Bits>(a & kMagnitude); });
    } else {
      MapUnary<T, T>(chunk, in.d, in.a, [](T a) { return a < 0 ? Difference(T{0}, a) : a; });
    }
  });
}

void Neg(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    if constexpr (kIsFloat<T>) {
      using Bits = BitsOfFloat<T>;
      constexpr auto kSign = static_cast<Bits>(~(std::numeric_limits<Bits>::max() >> 1));
      MapUnary<Bits, Bits>(chunk, in.d, in.a, [](Bits a) { return static_cast<Bits>(a ^ kSign); });
    } else {
      MapUnary<T, T>(chunk, in.d, in.a, [](T a) { return Difference(T{0}, a); });
    }
  });
}

void ReduceAdd(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    Fold<T>(chunk, in, Computed<T>{0}, [](auto a, auto b) { return Sum(a, b); });
  });
}

void ReduceMin(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    Fold<T>(chunk, in, Highest<Computed<T>>(), [](auto a, auto b) { return Smaller(a, b); });
  });
}

void ReduceMax(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    Fold<T>(chunk, in, Lowest<Computed<T>>(), [](auto a, auto b) { return Larger(a, b); });
  });
}

void ReduceMul(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() {
    Fold<T>(chunk, in, Computed<T>{1}, [](auto a, auto b) { return Product(a, b); });
  });
}

}  // namespace hologram::interpreter
