#include "launch/node_values.h"

#include "base/wide.h"

namespace hologram::launch {
namespace {

std::optional<Wide> Combine(verify::CheckOp op, Wide a, Wide b) {
  Wide result = 0;
  switch (op) {
    case verify::CheckOp::kAdd:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case verify::CheckOp::kSub:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case verify::CheckOp::kMul:
      return ProductOverflows(a, b, result) ? std::nullopt : std::optional(result);
    case verify::CheckOp::kMin:
      return a < b ? a : b;
    case verify::CheckOp::kMax:
      return a < b ? b : a;
    default:  // kFloorDiv
      if (b <= 0) return std::nullopt;
      return a / b - (a % b < 0 ? 1 : 0);
  }
}

class Leaves {
 public:
  Leaves(const isa::Program& program, const Launch& launch, const IdRanges* ids)
      : program_(program), launch_(launch), ids_(ids) {
    size_t buffers = 0;
    size_t scalars = 0;
    for (const isa::Parameter& parameter : program.parameters) {
      argument_.push_back(parameter.is_buffer ? buffers++ : scalars++);
    }
  }

  std::optional<Wide> Of(const verify::CheckNode& node) const {
    const auto index = static_cast<size_t>(node.value);
    switch (node.op) {
      case verify::CheckOp::kScalar:
        return ScalarOf(program_.parameters[index].type, launch_.scalars[argument_[index]]);
      case verify::CheckOp::kGridDim:
        return launch_.shape.grid[index];
      case verify::CheckOp::kBlockDim:
        return launch_.shape.block[index];
      case verify::CheckOp::kExtent:
        return launch_.ElementsOf(argument_[index], program_.parameters[index].type);
      case verify::CheckOp::kIdLow:
        if (ids_ == nullptr) return std::nullopt;
        return ids_->low[index];
      case verify::CheckOp::kIdHigh:
        if (ids_ == nullptr) return std::nullopt;
        return ids_->high[index];
      default:
        return node.value;
    }
  }

 private:
  const isa::Program& program_;
  const Launch& launch_;
  const IdRanges* ids_;
  std::vector<size_t> argument_;  // parameter -> place in launch_.buffers or launch_.scalars
};

}  // namespace

Wide ScalarOf(isa::Type type, uint64_t bits) {
  const uint32_t unused = 64 - isa::BitsOf(type);
  if (IsSignedInteger(type)) return static_cast<int64_t>(bits << unused) >> unused;
  return bits << unused >> unused;
}

NodeValues ValuesOf(std::span<const verify::CheckNode> nodes, const isa::Program& program,
                    const Launch& launch, const IdRanges* ids) {
  const Leaves leaves(program, launch, ids);
  NodeValues values;
  values.reserve(nodes.size());
  for (const verify::CheckNode& node : nodes) {
    if (node.op < verify::CheckOp::kAdd) {
      values.push_back(leaves.Of(node));
    } else if (values[node.lhs] && values[node.rhs]) {
      values.push_back(Combine(node.op, *values[node.lhs], *values[node.rhs]));
    } else {
      values.push_back(std::nullopt);
    }
  }
  return values;
}

}  // namespace hologram::launch
