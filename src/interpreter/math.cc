// The canonical functions (math/functions.def), and SQRT FLOOR CEIL TRUNC ROUND. A function of
// f16 or bf16 is that of f32, rounded once.
#include <cmath>

#include "interpreter/columns.h"
#include "interpreter/instructions.h"
#include "math/batch.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;
namespace math = math;

template <class T>
void RunBatch(Chunk& chunk, const Instruction& in, bool binary, math::Batch<T> function) {
  T* const y = chunk.Column<T>(in.d);
  const T* const a = chunk.Column<T>(in.a);
  const T* const b = chunk.Column<T>(binary ? in.b : in.a);
  for (const Range range : chunk.ranges()) {
    function(a + range.begin, b + range.begin, y + range.begin, range.end - range.begin);
  }
}

// The result of f32, rounded once.
template <class T>
void RunHalf(Chunk& chunk, const Instruction& in, bool binary, math::Batch<float> function) {
  T* const y = chunk.Column<T>(in.d);
  const T* const a = chunk.Column<T>(in.a);
  const T* const b = chunk.Column<T>(binary ? in.b : in.a);
  ForEachTile(chunk, [=](uint32_t first, uint32_t count) {
    const Tile<T> wide_a(a, first, count);
    const Tile<T> wide_b(b, first, count);
    alignas(64) float results[kTile];
    function(wide_a.data(), wide_b.data(), results, count);
    isa::NarrowBatch(results, y + first, count);
  });
}

void RunFunction(Chunk& chunk, const Instruction& in, math::Function function) {
  const math::BatchTable& batch = math::BestBatch();
  const bool binary = math::InfoOf(function).num_operands == 2;
  ForFloatType(in.type, [&]<class T>() {
    if constexpr (isa::kIsHalf<T>) {
      RunHalf<T>(chunk, in, binary, batch.Find32(function, in.fast()));
    } else if constexpr (std::is_same_v<T, float>) {
      RunBatch<T>(chunk, in, binary, batch.Find32(function, in.fast()));
    } else {
      RunBatch<T>(chunk, in, binary, batch.Find64(function));
    }
  });
}

template <class Operation>
void MapFloat(Chunk& chunk, const Instruction& in, Operation operation) {
  ForFloatType(in.type, [&]<class T>() {
    MapUnary<T, T>(chunk, in.d, in.a, [=](auto a) { return Canonical(operation(a)); });
  });
}

}  // namespace

#define FUNCTION(Name, operands, has_fast)           \
  void Name(Chunk& chunk, const Instruction& in) {   \
    RunFunction(chunk, in, math::Function::k##Name); \
  }
#include "math/functions.def"

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
