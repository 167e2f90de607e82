#include <map>
#include <utility>

#include "drawing/drawing.h"
#include "drawing/sheet.h"

namespace hologram::drawing {
namespace {

using pipeline::Array;
using pipeline::Role;

std::string BytesText(uint64_t bytes) {
  const std::string count = picture::Short(static_cast<double>(bytes));
  return count + (bytes < 1000 ? " B" : "B");
}

class Launches {
 public:
  Launches(const pipeline::Plan& plan, std::span<const isa::Program* const> kernels)
      : plan_(plan), kernels_(kernels), sheet_("pipeline " + plan.name, SubtitleOf(plan)) {}

  Result<std::string> Draw() {
    for (uint32_t k = 0; k < plan_.arrays.size(); ++k) {
      if (plan_.arrays[k].role == Role::kInput) Show(k);
    }
    for (size_t k = 0; k < plan_.steps.size(); ++k) AddStep(k);
    sheet_.Explain({"●", "accent", "arrays of the caller"});
    sheet_.Explain({"●", "faint", "constants and temporaries"});
    return sheet_.Draw();
  }

 private:
  static std::string SubtitleOf(const pipeline::Plan& plan) {
    return std::to_string(plan.steps.size()) +
           (plan.steps.size() == 1 ? " launch" : " launches, one call");
  }

  Card CardOf(uint32_t number) const {
    const Array& array = plan_.arrays[number];
    Card card;
    card.round = 15;
    card.centred = true;
    if (array.is_public()) {
      card.style = "soft";
      card.lines = {{SignatureOf(array), "text"}};
    } else {
      const char* name = array.role == Role::kConstant ? "constant " : "temporary ";
      card.lines = {{name + BytesText(array.bytes), "small faint"}};
    }
    return card;
  }

  // A box for what the array holds now.
  size_t Show(uint32_t number) { return shown_[number] = sheet_.Add(CardOf(number)); }

  void AddStep(size_t k) {
    const pipeline::Step& step = plan_.steps[k];
    const isa::Program& kernel = *kernels_[step.kernel];
    for (const pipeline::Operand& operand : step.operands) {
      const bool first = operand.array != pipeline::kNoArray && !shown_.contains(operand.array);
      if (first && plan_.arrays[operand.array].role == Role::kConstant) Show(operand.array);
    }
    Card card;
    const auto& shape = step.shape;
    const uint64_t lanes = uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] *
                           shape.block[0] * shape.block[1] * shape.block[2];
    card.lines = {{kernel.name, "text"},
                  {"launch " + std::to_string(k) + ", " +
                       picture::Short(static_cast<double>(lanes)) + " lanes",
                   "small faint"}};
    card.centred = true;
    const size_t box = sheet_.Add(std::move(card));
    std::vector<uint32_t> written;
    size_t number = 0;
    for (const isa::Parameter& parameter : kernel.parameters) {
      if (!parameter.is_buffer) continue;
      const pipeline::Operand& operand = step.operands[number++];
      if (operand.array == pipeline::kNoArray) continue;
      const auto holds = shown_.find(operand.array);
      if (parameter.direction != isa::Direction::kOut && holds != shown_.end()) {
        sheet_.Join(holds->second, box);
      }
      if (parameter.direction != isa::Direction::kIn) written.push_back(operand.array);
    }
    for (const uint32_t array : written) sheet_.Join(box, Show(array));
  }

  const pipeline::Plan& plan_;
  std::span<const isa::Program* const> kernels_;
  Sheet sheet_;
  std::map<uint32_t, size_t> shown_;  // the box of what an array holds
};

}  // namespace

Result<std::string> DrawPipeline(const pipeline::Plan& plan,
                                 std::span<const isa::Program* const> kernels) {
  return Launches(plan, kernels).Draw();
}

}  // namespace hologram::drawing
