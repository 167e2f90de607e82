// AND OR XOR NOT POPC SHL SHR SET SEL and the operations on predicates.
#include <bit>

#include "interpreter/columns.h"
#include "interpreter/instructions.h"

namespace hologram::interpreter {
namespace {

using isa::Condition;
using isa::Instruction;

// The shift amount is taken modulo the number of bits.
template <class T>
uint32_t Amount(uint32_t amount) {
  return amount & (sizeof(T) * 8 - 1);
}

template <class T, class Operation>
void Shift(Chunk& chunk, const Instruction& in, Operation operation) {
  T* const out = chunk.Column<T>(in.d);
  const T* const a = chunk.Column<T>(in.a);
  const uint32_t* const amount = chunk.Column<uint32_t>(in.b);
  ForEachLane(chunk, [=](uint32_t i) { out[i] = operation(a[i], Amount<T>(amount[i])); });
}

template <class T, class Relation>
void Compare(Chunk& chunk, const Instruction& in, Relation relation) {
  uint8_t* const out = chunk.Predicate(in.d);
  const T* const a = chunk.Column<T>(in.a);
  const T* const b = chunk.Column<T>(in.b);
  if constexpr (isa::kIsHalf<T>) {
    ForEachTile(chunk, [=](uint32_t first, uint32_t count) {
      const Tile<T> x(a, first, count);
      const Tile<T> y(b, first, count);
      StoreTile(out, first, count,
                [&, v = x.data(), w = y.data()](uint32_t i) { return relation(v[i], w[i]); });
    });
  } else {
    ForEachLane(chunk, [=](uint32_t i) { out[i] = relation(a[i], b[i]); });
  }
}

// C++ compares floats as the ISA does: with a NaN everything is false, except !=.
template <class T>
void SetTyped(Chunk& chunk, const Instruction& in) {
  switch (in.condition()) {
    case Condition::kEq:
      return Compare<T>(chunk, in, [](auto a, auto b) { return a == b; });
    case Condition::kNe:
      return Compare<T>(chunk, in, [](auto a, auto b) { return a != b; });
    case Condition::kLt:
      return Compare<T>(chunk, in, [](auto a, auto b) { return a < b; });
    case Condition::kLe:
      return Compare<T>(chunk, in, [](auto a, auto b) { return a <= b; });
    case Condition::kGt:
      return Compare<T>(chunk, in, [](auto a, auto b) { return a > b; });
    case Condition::kGe:
      return Compare<T>(chunk, in, [](auto a, auto b) { return a >= b; });
  }
}

template <class Operation>
void MapPredicates(Chunk& chunk, const Instruction& in, Operation operation) {
  uint8_t* const out = chunk.Predicate(in.d);
  const uint8_t* const a = chunk.Predicate(in.a);
  const uint8_t* const b = chunk.Predicate(in.b);
  ForEachLane(chunk, [=](uint32_t i) { out[i] = operation(a[i], b[i]); });
}

}  // namespace

void And(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    MapBinary<T>(chunk, in, [](T a, T b) { return static_cast<T>(a & b); });
  });
}

void Or(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    MapBinary<T>(chunk, in, [](T a, T b) { return static_cast<T>(a | b); });
  });
}

void Xor(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    MapBinary<T>(chunk, in, [](T a, T b) { return static_cast<T>(a ^ b); });
  });
}

void Not(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    MapUnary<T, T>(chunk, in.d, in.a, [](T a) { return static_cast<T>(~a); });
  });
}

void Popc(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    MapUnary<T, T>(chunk, in.d, in.a, [](T a) { return static_cast<T>(std::popcount(a)); });
  });
}

void Shl(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    using Wide = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;
    Shift<T>(chunk, in, [](T a, uint32_t n) { return static_cast<T>(static_cast<Wide>(a) << n); });
  });
}

void Shr(Chunk& chunk, const Instruction& in) {
  ForIntegerType(in.type, [&]<class T>() {
    Shift<T>(chunk, in, [](T a, uint32_t n) { return static_cast<T>(a >> n); });
  });
}

void Set(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() { SetTyped<T>(chunk, in); });
}

// Moves bits: a NaN keeps its payload.
void Sel(Chunk& chunk, const Instruction& in) {
  ForBits(isa::SizeOf(in.type), [&]<class T>() {
    T* const out = chunk.Column<T>(in.d);
    const uint8_t* const predicate = chunk.Predicate(in.a);
    const T* const yes = chunk.Column<T>(in.b);
    const T* const no = chunk.Column<T>(in.c);
    ForEachLane(chunk, [=](uint32_t i) { out[i] = predicate[i] != 0 ? yes[i] : no[i]; });
  });
}

void Pand(Chunk& chunk, const Instruction& in) {
  MapPredicates(chunk, in, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a & b); });
}

void Por(Chunk& chunk, const Instruction& in) {
  MapPredicates(chunk, in, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a | b); });
}

void Pxor(Chunk& chunk, const Instruction& in) {
  MapPredicates(chunk, in, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a ^ b); });
}

void Pnot(Chunk& chunk, const Instruction& in) {
  uint8_t* const out = chunk.Predicate(in.d);
  const uint8_t* const a = chunk.Predicate(in.a);
  ForEachLane(chunk, [=](uint32_t i) { out[i] = a[i] ^ 1; });
}

}  // namespace hologram::interpreter
