// ADD SUB MUL DIV REM MAD FMA MIN MAX ABS NEG, and the REDUCE family. Integers wrap. Floats round
// to nearest even, and a NaN that is computed is the canonical one. Operations on 16-bit floats are
// those of f32 (columns.h), except where f32 would round twice or not often enough.
#include <array>
#include <cmath>
#include <limits>

#include "interpreter/columns.h"
#include "interpreter/instructions.h"
#include "interpreter/operations.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;

template <class T>
T Difference(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return Canonical(a - b);
  else
    return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
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
  return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
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
