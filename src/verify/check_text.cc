#include "verify/check_text.h"

namespace hologram::verify {
namespace {

class Words {
 public:
  Words(const isa::Program& program, const LaunchCheck& check) : program_(program), check_(check) {}

  std::string Of(uint32_t index, int depth, bool weak) const {
    constexpr char kAxis[] = {'x', 'y', 'z'};
    constexpr int kMaxDepth = 12;
    const CheckNode& node = check_.nodes[index];
    const auto number = static_cast<size_t>(node.value);
    if (depth > kMaxDepth) return std::string(100, '.');
    switch (node.op) {
      case CheckOp::kConstant:
        return std::to_string(node.value);
      case CheckOp::kScalar:
        return program_.parameters[number].name;
      case CheckOp::kGridDim:
        return std::string("grid.") + kAxis[number];
      case CheckOp::kBlockDim:
        return std::string("block.") + kAxis[number];
      case CheckOp::kExtent:
        return "len(" + program_.parameters[number].name + ")";
      case CheckOp::kIdLow:
      case CheckOp::kIdHigh:
        return std::string(node.op == CheckOp::kIdLow ? "lowest " : "highest ") +
               (number < 3 ? "block." : "global.") + kAxis[number % 3];
      case CheckOp::kMin:
      case CheckOp::kMax:
        return (node.op == CheckOp::kMin ? "min(" : "max(") + Of(node.lhs, depth + 1, false) +
               ", " + Of(node.rhs, depth + 1, false) + ")";
      case CheckOp::kAdd:
      case CheckOp::kSub: {
        const bool minus = node.op == CheckOp::kSub;
        const std::string sum = Of(node.lhs, depth + 1, false) + (minus ? " - " : " + ") +
                                Of(node.rhs, depth + 1, minus);
        return weak ? "(" + sum + ")" : sum;
      }
      case CheckOp::kMul:
        return Of(node.lhs, depth + 1, true) + "*" + Of(node.rhs, depth + 1, true);
      case CheckOp::kFloorDiv:
        return "(" + Of(node.lhs, depth + 1, true) + " // " + Of(node.rhs, depth + 1, true) + ")";
    }
    return "?";
  }

 private:
  const isa::Program& program_;
  const LaunchCheck& check_;
};

}  // namespace

std::string NodeInWords(const isa::Program& program, const LaunchCheck& check, uint32_t node,
                        bool weak) {
  return Words(program, check).Of(node, 0, weak);
}

}  // namespace hologram::verify
