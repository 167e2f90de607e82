// print: all values first, so that a lane that faults in one of them prints nothing; then the
// texts and values in their order.
#include "frontend/lower/lowerer.h"

namespace hologram::frontend {

using isa::Opcode;

void Lowerer::LowerPrint(const Stmt& stmt) {
  const std::vector<ExprPtr>& values = stmt.value->operands;
  std::vector<Value> lowered;
  for (const ExprPtr& value : values) lowered.push_back(Lower(*value));
  EmitText(stmt.texts[0], stmt.at);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i]->type.is_bool()) {
      EmitBool(lowered[i].reg, stmt.at);
    } else {
      emitter_.Emit({.op = Opcode::kPrint,
                     .type = values[i]->type.register_type(),
                     .a = lowered[i].reg,
                     .imm = isa::ImmediateOf(stmt.formats[i])},
                    At(stmt.at));
    }
    EmitText(stmt.texts[i + 1], stmt.at);
  }
  emitter_.Emit({.op = Opcode::kPrintEnd}, At(stmt.at));
  for (const Value value : lowered) Free(value);
}

void Lowerer::EmitText(const std::string& text, Position at) {
  for (size_t i = 0; i < text.size(); i += isa::kMaxTextBytes) {
    const std::string_view piece = std::string_view(text).substr(i, isa::kMaxTextBytes);
    emitter_.Emit({.op = Opcode::kPrintText, .imm = isa::ImmediateOf(piece)}, At(at));
  }
}

// As Python writes it.
void Lowerer::EmitBool(uint8_t reg, Position at) {
  const Label is_true = emitter_.NewLabel();
  const Label end = emitter_.NewLabel();
  const Value zero = LowerConstant(isa::Type::kU8, Constant::Int(0), at);
  JumpOnComparison(BinaryOp::kNe, isa::Type::kU8, {reg, false}, zero, at, is_true, true);
  EmitText("False", at);
  emitter_.Branch(end, at);
  emitter_.Bind(is_true);
  EmitText("True", at);
  emitter_.Bind(end);
}

}  // namespace hologram::frontend
