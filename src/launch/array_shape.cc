#include "launch/array_shape.h"

#include <algorithm>
#include <string>

#include "base/quote.h"

namespace hologram::launch {
namespace {

Diagnostic Wrong(const isa::Parameter& array, const std::string& what) {
  return Error(ErrorCode::kInvalidArgument, "array " + Shown(array.name) + " " + what);
}

std::string Dimensions(uint64_t rank) {
  return Counted(rank, "dimension");
}

Status CheckShape(const isa::Parameter& array, const ArrayShape& shape) {
  const uint32_t rank = std::max<uint32_t>(array.rank, 1);
  switch (FaultOf(rank, shape)) {
    case ShapeFault::kNone:
      return Success{};
    case ShapeFault::kRank:
      return Wrong(array, "needs " + Dimensions(rank) + "; the argument has " +
                              (shape.rank == 0 ? "no shape" : std::to_string(shape.rank)));
    case ShapeFault::kGaps:
      return Wrong(array, "has gaps in its last dimension (stride " +
                              std::to_string(shape.strides[rank - 1]) +
                              "); copy it to a contiguous one");
    case ShapeFault::kSpan:
      return Wrong(array,
                   "spans more than 2^32 elements, which is more than an array of several "
                   "dimensions can have; declare it with one dimension and compute its "
                   "index in u64");
  }
  return Success{};
}

}  // namespace

// The memory must be one block of rows: what lies between their ends is never touched.
ShapeFault FaultOf(uint32_t rank, const ArrayShape& shape) {
  if (shape.rank != rank) return ShapeFault::kRank;
  if (shape.strides[rank - 1] != 1 && shape.extents[rank - 1] > 1) return ShapeFault::kGaps;
  // Kernels compute places in u32.
  constexpr uint64_t kMaxSpan = uint64_t{1} << 32;
  uint64_t span = 1;
  for (uint32_t d = 0; d < rank && rank > 1; ++d) {
    uint64_t step = 0;
    if (shape.extents[d] == 0) return ShapeFault::kNone;  // no element, no place
    if (__builtin_mul_overflow(shape.extents[d] - 1, shape.strides[d], &step) ||
        __builtin_add_overflow(span, step, &span) || span > kMaxSpan) {
      return ShapeFault::kSpan;
    }
  }
  return ShapeFault::kNone;
}

ArrayShape ArrayShape::Contiguous(std::span<const uint64_t> extents) {
  ArrayShape shape;
  shape.rank = static_cast<uint32_t>(std::min<size_t>(extents.size(), isa::kMaxRank + 1));
  if (shape.rank > isa::kMaxRank) return shape;
  uint64_t stride = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    shape.extents[d] = extents[d];
    shape.strides[d] = stride;
    // Too large for any memory; it stays too large.
    if (__builtin_mul_overflow(stride, extents[d], &stride)) stride = UINT64_MAX;
  }
  return shape;
}

Result<std::vector<uint64_t>> ShapeScalars(const isa::Program& program,
                                           std::span<const ArrayShape> shapes) {
  std::vector<const ArrayShape*> shape_of(program.parameters.size(), nullptr);
  size_t buffer = 0;
  Diagnostics errors;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    if (!parameter.is_buffer) continue;
    shape_of[k] = &shapes[buffer++];
    if (parameter.rank == 0) continue;
    const Status status = CheckShape(parameter, *shape_of[k]);
    if (!status.ok()) errors.push_back(status.errors()[0]);
  }
  if (!errors.empty()) return errors;
  std::vector<uint64_t> values;
  values.reserve(program.parameters.size() - program.NumArguments());
  for (size_t k = program.NumArguments(); k < program.parameters.size(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    const ArrayShape& shape = *shape_of[parameter.array];
    const bool extent = parameter.source == isa::Source::kExtent;
    const uint64_t value = (extent ? shape.extents : shape.strides)[parameter.dimension];
    if (value > UINT32_MAX) {
      return Wrong(program.parameters[parameter.array],
                   std::string(extent ? "has extent " : "has stride ") + std::to_string(value) +
                       " in dimension " + std::to_string(parameter.dimension) +
                       ", which is more than u32 holds");
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace hologram::launch
