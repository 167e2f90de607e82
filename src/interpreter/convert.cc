// MOV MOV_IMM CVT BITCAST. All but CVT are bit operations, and so is CVT from a type to itself.
#include <algorithm>
#include <limits>

#include "interpreter/columns.h"
#include "interpreter/instructions.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;

// Toward zero; NaN is 0, and what does not fit becomes the nearest limit. kPast, a power of two, is
// exact in every float type; the lower limit is exact too.
template <class Integer, class Float>
Integer Saturate(Float value) {
  using Limits = std::numeric_limits<Integer>;
  constexpr Float kPast = static_cast<Float>(Limits::max() / 2 + 1) * 2;
  constexpr Float kLowest = static_cast<Float>(Limits::min());
  if (value != value) return 0;
  if (value >= kPast) return Limits::max();
  if (value <= kLowest) return Limits::min();
  return static_cast<Integer>(value);
}

// The f32 whose rounding to 16 bits is the rounding of the value.
template <class From>
float BeforeNarrowing(From value) {
  if constexpr (std::is_same_v<From, double>) {
    return isa::RoundToOdd(value);
  } else if constexpr (std::is_same_v<From, float> || sizeof(From) <= 2) {
    return static_cast<float>(value);
  } else {
    return isa::RoundToOdd(isa::ToOddDouble(value));
  }
}

// Between integers the low bits are kept, with sign extension from signed types; an integer becomes
// the nearest float, and so does a float of the other size. 16-bit floats come and go as f32.
template <class To, class From>
Computed<To> Convert(From value) {
  if constexpr (isa::kIsHalf<To>) {
    return BeforeNarrowing(value);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return Saturate<To>(value);
  } else if constexpr (std::is_floating_point_v<To> && std::is_floating_point_v<From>) {
    return Canonical(static_cast<To>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace

void Mov(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type),
          [&]<class T>() { MapUnary<T, T>(chunk, in.d, in.a, [](T a) { return a; }); });
}

void MovImm(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    T* const out = chunk.Column<T>(in.d);
    const T value = static_cast<T>(in.imm);
    ForEachLane(chunk, [=](uint32_t i) { out[i] = value; });
  });
}

void Cvt(Chunk& chunk, const Instruction& in) {
  if (in.type == in.source_type()) return Mov(chunk, in);
  ForType(in.type, [&]<class To>() {
    ForType(in.source_type(), [&]<class From>() {
      MapUnary<To, From>(chunk, in.d, in.a, [](Computed<From> a) { return Convert<To>(a); });
    });
  });
}

void Bitcast(Chunk& chunk, const Instruction& in) {
  Mov(chunk, in);  // a register has one column per size, not per type
}

void FillColumn(Chunk& chunk, uint8_t reg, isa::Type type, uint64_t bits) {
  ForBits(isa::SizeOf(type), [&]<class T>() {
    T* const column = chunk.Column<T>(reg);
    std::fill(column, column + chunk.count(), static_cast<T>(bits));
  });
}

}  // namespace hologram::interpreter
