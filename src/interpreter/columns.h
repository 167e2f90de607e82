// Loops over the lanes that run, and the step from an ISA type to a C++ type. Every instruction is
// written with these.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/check.h"
#include "interpreter/chunk.h"
#include "isa/half.h"

// Two columns are the same array or share nothing, so a lane never depends on another lane's
// iteration and the loop may be vectorised without asking where the columns are.
#if defined(__clang__)
#define HOLOGRAM_COLUMN_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define HOLOGRAM_COLUMN_LOOP _Pragma("GCC ivdep")
#endif

namespace hologram::interpreter {

// Calls function(i) for every running lane; `function` captures column pointers by value. The
// ranges are copied, because for the compiler a column may be the memory that they are in.
template <class Function>
void ForEachLane(const Chunk& chunk, Function function) {
  for (const Range range : chunk.ranges()) {
    HOLOGRAM_COLUMN_LOOP
    for (uint32_t i = range.begin; i < range.end; ++i) function(i);
  }
}

// Values of 16-bit float types are computed as f32: operations get and give floats, and the loops
// below widen and round whole tiles.
template <class T>
using Computed = std::conditional_t<isa::kIsHalf<T>, float, T>;

inline constexpr uint32_t kTile = 256;

// Calls function(first, count) for stretches of at most kTile running lanes.
template <class Function>
void ForEachTile(const Chunk& chunk, Function function) {
  for (const Range range : chunk.ranges()) {
    for (uint32_t i = range.begin; i < range.end; i += kTile) {
      function(i, range.end - i < kTile ? range.end - i : kTile);
    }
  }
}

// A stretch of a column, as the operation sees it.
template <class T>
class Tile {
 public:
  Tile(const T* column, uint32_t first, uint32_t count) : in_(column + first) {
    if constexpr (isa::kIsHalf<T>) isa::WidenBatch(in_, wide_.values, count);
  }
  const Computed<T>* data() const {
    if constexpr (isa::kIsHalf<T>) {
      return wide_.values;
    } else {
      return in_;
    }
  }

 private:
  struct Wide {
    alignas(64) float values[kTile];
  };
  struct Nothing {};
  const T* in_;
  std::conditional_t<isa::kIsHalf<T>, Wide, Nothing> wide_;
};

// Stores value(i) for i below count, at `first` of a column.
template <class T, class Value>
void StoreTile(T* column, uint32_t first, uint32_t count, Value value) {
  if constexpr (isa::kIsHalf<T>) {
    alignas(64) float wide[kTile];
    for (uint32_t i = 0; i < count; ++i) wide[i] = value(i);
    isa::NarrowBatch(wide, column + first, count);
  } else {
    T* const out = column + first;
    HOLOGRAM_COLUMN_LOOP
    for (uint32_t i = 0; i < count; ++i) out[i] = value(i);
  }
}

// d = operation(a)
template <class To, class From, class Operation>
void MapUnary(Chunk& chunk, uint8_t d, uint8_t a, Operation operation) {
  To* const out = chunk.Column<To>(d);
  const From* const in = chunk.Column<From>(a);
  if constexpr (isa::kIsHalf<To> || isa::kIsHalf<From>) {
    ForEachTile(chunk, [=](uint32_t first, uint32_t count) {
      const Tile<From> x(in, first, count);
      StoreTile(out, first, count, [&, v = x.data()](uint32_t i) { return operation(v[i]); });
    });
  } else {
    ForEachLane(chunk, [=](uint32_t i) { out[i] = operation(in[i]); });
  }
}

// d = operation(a, b)
template <class T, class Operation>
void MapBinary(Chunk& chunk, const isa::Instruction& in, Operation operation) {
  T* const out = chunk.Column<T>(in.d);
  const T* const a = chunk.Column<T>(in.a);
  const T* const b = chunk.Column<T>(in.b);
  if constexpr (isa::kIsHalf<T>) {
    ForEachTile(chunk, [=](uint32_t first, uint32_t count) {
      const Tile<T> x(a, first, count);
      const Tile<T> y(b, first, count);
      StoreTile(out, first, count,
                [&, v = x.data(), w = y.data()](uint32_t i) { return operation(v[i], w[i]); });
    });
  } else {
    ForEachLane(chunk, [=](uint32_t i) { out[i] = operation(a[i], b[i]); });
  }
}

// d = operation(a, b, c)
template <class T, class Operation>
void MapTernary(Chunk& chunk, const isa::Instruction& in, Operation operation) {
  T* const out = chunk.Column<T>(in.d);
  const T* const a = chunk.Column<T>(in.a);
  const T* const b = chunk.Column<T>(in.b);
  const T* const c = chunk.Column<T>(in.c);
  if constexpr (isa::kIsHalf<T>) {
    ForEachTile(chunk, [=](uint32_t first, uint32_t count) {
      const Tile<T> x(a, first, count);
      const Tile<T> y(b, first, count);
      const Tile<T> z(c, first, count);
      StoreTile(out, first, count, [&, u = x.data(), v = y.data(), w = z.data()](uint32_t i) {
        return operation(u[i], v[i], w[i]);
      });
    });
  } else {
    ForEachLane(chunk, [=](uint32_t i) { out[i] = operation(a[i], b[i], c[i]); });
  }
}

// ---- From isa::Type to a C++ type: function.operator()<T>(). REQUIRES: the type is of the named
// kind (the verifier has seen to it).
template <class Function>
void ForIntegerType(isa::Type type, Function function) {
  switch (type) {
    case isa::Type::kI8:
      return function.template operator()<int8_t>();
    case isa::Type::kI16:
      return function.template operator()<int16_t>();
    case isa::Type::kI32:
      return function.template operator()<int32_t>();
    case isa::Type::kI64:
      return function.template operator()<int64_t>();
    case isa::Type::kU8:
      return function.template operator()<uint8_t>();
    case isa::Type::kU16:
      return function.template operator()<uint16_t>();
    case isa::Type::kU32:
      return function.template operator()<uint32_t>();
    case isa::Type::kU64:
      return function.template operator()<uint64_t>();
    case isa::Type::kF16:
    case isa::Type::kBF16:
    case isa::Type::kF32:
    case isa::Type::kF64:
      HOLOGRAM_CHECK(false);
  }
}

template <class Function>
void ForFloatType(isa::Type type, Function function) {
  switch (type) {
    case isa::Type::kF16:
      return function.template operator()<isa::F16>();
    case isa::Type::kBF16:
      return function.template operator()<isa::BF16>();
    case isa::Type::kF32:
      return function.template operator()<float>();
    default:
      HOLOGRAM_CHECK(type == isa::Type::kF64);
      return function.template operator()<double>();
  }
}

template <class Function>
void ForType(isa::Type type, Function function) {
  if (isa::IsFloat(type)) return ForFloatType(type, function);
  ForIntegerType(type, function);
}

// For instructions that move bits: the unsigned type of as many bytes.
template <class Function>
void ForBits(uint32_t bytes, Function function) {
  switch (bytes) {
    case 1:
      return function.template operator()<uint8_t>();
    case 2:
      return function.template operator()<uint16_t>();
    case 4:
      return function.template operator()<uint32_t>();
    default:
      return function.template operator()<uint64_t>();
  }
}

template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || isa::kIsHalf<T>;

template <class T>
using BitsOfFloat = std::conditional_t<sizeof(T) == 2, uint16_t,
                                       std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

// Canonicalises every computed NaN. (Rounding to 16 bits does the same by itself.)
template <class T>
T Canonical(T value) {
  constexpr auto kQuietNan =
      static_cast<BitsOfFloat<T>>(sizeof(T) == 4 ? 0x7fc00000 : 0x7ff8000000000000);
  return value != value ? __builtin_bit_cast(T, kQuietNan) : value;
}

}  // namespace hologram::interpreter
