// Loops over the lanes that run, and the step from an ISA type to a C++ type. Every instruction is
// written with these.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/check.h"
#include "interpreter/chunk.h"

// Two columns are the same array or share nothing, so a lane never depends on another lane's
// iteration and the loop may be vectorised without asking where the columns lie.
#if defined(__clang__)
#define HOLOGRAM_COLUMN_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define HOLOGRAM_COLUMN_LOOP _Pragma("GCC ivdep")
#endif

namespace hologram::interpreter {

// Calls function(i) for every running lane; `function` captures column pointers by value. The
// ranges are copied, because for the compiler a column may be the memory that they lie in.
template <class Function>
void ForEachLane(const Chunk& chunk, Function function) {
  for (const Range range : chunk.ranges()) {
    HOLOGRAM_COLUMN_LOOP
    for (uint32_t i = range.begin; i < range.end; ++i) function(i);
  }
}

// d = operation(a)
template <class To, class From, class Operation>
void MapUnary(Chunk& chunk, uint8_t d, uint8_t a, Operation operation) {
  To* const out = chunk.Column<To>(d);
  const From* const in = chunk.Column<From>(a);
  ForEachLane(chunk, [=](uint32_t i) { out[i] = operation(in[i]); });
}

// d = operation(a, b)
template <class T, class Operation>
void MapBinary(Chunk& chunk, const isa::Instruction& in, Operation operation) {
  T* const out = chunk.Column<T>(in.d);
  const T* const a = chunk.Column<T>(in.a);
  const T* const b = chunk.Column<T>(in.b);
  ForEachLane(chunk, [=](uint32_t i) { out[i] = operation(a[i], b[i]); });
}

// d = operation(a, b, c)
template <class T, class Operation>
void MapTernary(Chunk& chunk, const isa::Instruction& in, Operation operation) {
  T* const out = chunk.Column<T>(in.d);
  const T* const a = chunk.Column<T>(in.a);
  const T* const b = chunk.Column<T>(in.b);
  const T* const c = chunk.Column<T>(in.c);
  ForEachLane(chunk, [=](uint32_t i) { out[i] = operation(a[i], b[i], c[i]); });
}

// ---- From isa::Type to a C++ type: function.operator()<T>(). REQUIRES: the type is executable and
// of the named kind (the verifier has seen to it).
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
  HOLOGRAM_CHECK(type == isa::Type::kF32 || type == isa::Type::kF64);
  if (type == isa::Type::kF32) return function.template operator()<float>();
  function.template operator()<double>();
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
using BitsOfFloat = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

// What every computed NaN becomes.
template <class T>
T Canonical(T value) {
  constexpr auto kQuietNan =
      static_cast<BitsOfFloat<T>>(sizeof(T) == 4 ? 0x7fc00000 : 0x7ff8000000000000);
  return value != value ? __builtin_bit_cast(T, kQuietNan) : value;
}

}  // namespace hologram::interpreter
