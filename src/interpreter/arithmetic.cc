// ADD SUB MUL DIV REM MAD FMA MIN MAX ABS NEG. Integers wrap: they are computed as unsigned numbers
// of at least 32 bits (a product of two promoted 16-bit numbers would overflow int). Floats round
// to nearest even, and a NaN that is computed is the canonical one. Operations on 16-bit floats are
// those of f32 (columns.h), except where f32 would round twice or not often enough.
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
void FaultOnZero(Chunk& chunk, uint8_t divisor) {
  const T* const column = chunk.Column<T>(divisor);
  bool any = false;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) any |= column[i] == 0;
  }
  if (!any) return;
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      if (column[i] == 0) chunk.Fault(i, HOLOGRAM_FAULT_DIVISION_BY_ZERO, 0);
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

}  // namespace

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
      FaultOnZero<T>(chunk, in.b);
      MapBinary<T>(chunk, in, [](T a, T b) { return Quotient(a, b); });
    }
  });
}

void Rem(Chunk& chunk, const Instruction& in) {
  ForIntegerType(in.type, [&]<class T>() {
    FaultOnZero<T>(chunk, in.b);
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

}  // namespace hologram::interpreter
