// EXP SIGMOID SQRT FLOOR CEIL TRUNC ROUND. EXP and SIGMOID are the canonical algorithms of
// isa/math. f64 has no separate fast form: there, fast means the precise one.
#include <cmath>

#include "interpreter/columns.h"
#include "interpreter/instructions.h"
#include "isa/math/batch.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;
namespace math = isa::math;

template <class T>
void RunBatch(Chunk& chunk, const Instruction& in, void (*function)(const T*, T*, size_t)) {
  for (const Range range : chunk.ranges()) {
    function(chunk.Column<T>(in.a) + range.begin, chunk.Column<T>(in.d) + range.begin,
             range.end - range.begin);
  }
}

template <class Operation>
void MapFloat(Chunk& chunk, const Instruction& in, Operation operation) {
  ForFloatType(in.type, [&]<class T>() {
    MapUnary<T, T>(chunk, in.d, in.a, [=](T a) { return Canonical(operation(a)); });
  });
}

}  // namespace

void Exp(Chunk& chunk, const Instruction& in) {
  if (in.type == isa::Type::kF64) return RunBatch<double>(chunk, in, math::ExpBatch);
  if (in.fast()) return RunBatch<float>(chunk, in, math::ExpFastBatch);
  RunBatch<float>(chunk, in, math::ExpBatch);
}

void Sigmoid(Chunk& chunk, const Instruction& in) {
  if (in.type == isa::Type::kF64) return RunBatch<double>(chunk, in, math::SigmoidBatch);
  if (in.fast()) return RunBatch<float>(chunk, in, math::SigmoidFastBatch);
  RunBatch<float>(chunk, in, math::SigmoidBatch);
}

void Sqrt(Chunk& chunk, const Instruction& in) {
  MapFloat(chunk, in, [](auto a) { return std::sqrt(a); });
}

void Floor(Chunk& chunk, const Instruction& in) {
  MapFloat(chunk, in, [](auto a) { return std::floor(a); });
}

void Ceil(Chunk& chunk, const Instruction& in) {
  MapFloat(chunk, in, [](auto a) { return std::ceil(a); });
}

void Trunc(Chunk& chunk, const Instruction& in) {
  MapFloat(chunk, in, [](auto a) { return std::trunc(a); });
}

void Round(Chunk& chunk, const Instruction& in) {
  // To nearest, ties to even: the rounding mode that a process starts with.
  MapFloat(chunk, in, [](auto a) { return std::nearbyint(a); });
}

}  // namespace hologram::interpreter
