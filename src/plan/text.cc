#include <functional>

#include "base/quote.h"
#include "plan/plan.h"

namespace hologram::pipeline {
namespace {

// "x", "t3[64..]"; those of the plan by their numbers.
std::string OperandText(const Plan& plan, const Operand& operand) {
  if (operand.array == kNoArray) return "-";
  const Array& array = plan.arrays[operand.array];
  std::string text = array.is_public() ? array.name
                                       : (array.role == Role::kConstant ? "c" : "t") +
                                             std::to_string(operand.array);
  if (operand.first != 0) text += "[" + std::to_string(operand.first) + "..]";
  return text;
}

std::string CountsText(const uint32_t (&counts)[3]) {
  return std::to_string(counts[0]) + "," + std::to_string(counts[1]) + "," +
         std::to_string(counts[2]);
}

}  // namespace

std::string TextOf(const Plan& plan, const Layout& layout,
                   const std::function<std::string_view(uint32_t)>& name_of) {
  uint64_t constants = 0;
  size_t num_constants = 0;
  size_t num_temporaries = 0;
  for (const Array& array : plan.arrays) {
    num_temporaries += array.role == Role::kTemporary ? 1 : 0;
    if (array.role != Role::kConstant) continue;
    constants += array.bytes;
    ++num_constants;
  }
  std::string text = "pipeline " + plan.name + "(";
  for (const Array& array : plan.arguments()) {
    text += (text.back() == '(' ? "" : ", ") + SignatureOf(array);
  }
  text += ")\n  arrays    " + Counted(num_constants, "constant") + " of " +
          std::to_string(constants) + " bytes, " + std::to_string(num_temporaries) +
          (num_temporaries == 1 ? " temporary" : " temporaries") + " of " +
          std::to_string(layout.unshared) + " bytes in " + std::to_string(layout.bytes) + "\n";
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    const Step& step = plan.steps[k];
    text += "  launch " + std::to_string(k) + "  " + std::string(name_of(step.kernel)) + "(";
    for (size_t j = 0; j < step.operands.size(); ++j) {
      text += (j == 0 ? "" : ", ") + OperandText(plan, step.operands[j]);
    }
    text +=
        ") grid " + CountsText(step.shape.grid) + " block " + CountsText(step.shape.block) + "\n";
  }
  return text;
}

}  // namespace hologram::pipeline
