#include "frontend/lower/lowerer.h"

namespace hologram::frontend {

using isa::Instruction;
using isa::Opcode;
using isa::Type;

Lowerer::Value Lowerer::LowerCall(const Expr& expr, std::optional<uint8_t> dest) {
  const Builtin& builtin = *expr.builtin;
  const Type type = expr.type.register_type();
  switch (builtin.kind) {
    case BuiltinKind::kId: {
      const auto dimension =
          expr.operands.empty() ? 0 : static_cast<uint8_t>(expr.operands[0]->constant.integer);
      const auto sreg = static_cast<isa::Sreg>(static_cast<uint8_t>(builtin.sreg) + dimension);
      const Value id{emitter_.Special(sreg, expr.at), false};
      return dest ? Apply(Opcode::kMov, type, id, expr, dest) : id;
    }
    case BuiltinKind::kAtomic:
    case BuiltinKind::kAtomicFirst:
    case BuiltinKind::kAtomicSwap:
      return LowerAtomic(expr, dest);
    case BuiltinKind::kAbs:
    case BuiltinKind::kPopc:
      return Apply(builtin.op, type, Lower(*expr.operands[0]), expr, dest);
    case BuiltinKind::kFloatMath:
      return LowerFloatMath(expr, dest);
    case BuiltinKind::kBitcast:
      return LowerOfOne(expr, static_cast<uint8_t>(expr.operands[0]->type.register_type()), dest);
    case BuiltinKind::kBlockReduce: {
      const int of_warp = builtin.of_warp ? isa::kNumBlockOps : 0;
      return LowerOfOne(expr, static_cast<uint8_t>(static_cast<int>(builtin.block_op) + of_warp),
                        dest);
    }
    case BuiltinKind::kMinMax: {
      const Value a = Lower(*expr.operands[0]);
      const Value b = Lower(*expr.operands[1]);
      return Apply(builtin.op, type, a, b, expr, dest);
    }
    case BuiltinKind::kFma:
    case BuiltinKind::kSelect:
      return LowerOfThree(expr, dest);
    case BuiltinKind::kBarrier:
    case BuiltinKind::kUnique:
    case BuiltinKind::kLen:
    case BuiltinKind::kShared:
    case BuiltinKind::kLocal:
    case BuiltinKind::kCast:
    case BuiltinKind::kBoolCast:
    case BuiltinKind::kUnsupported:
      break;
  }
  HOLOGRAM_CHECK(false);  // the checker leaves none of these in an expression
}

Lowerer::Value Lowerer::LowerFloatMath(const Expr& expr, std::optional<uint8_t> dest) {
  const bool binary = expr.operands.size() == 2;
  const Value a = Lower(*expr.operands[0]);
  Value b;
  if (binary) b = Lower(*expr.operands[1]);
  Free(a);
  if (binary) Free(b);
  const Value result = Dest(dest);
  emitter_.Emit({.op = expr.builtin->op,
                 .type = expr.type.register_type(),
                 .mod = static_cast<uint8_t>(expr.fast ? 1 : 0),
                 .d = result.reg,
                 .a = a.reg,
                 .b = binary ? b.reg : uint8_t{0}},
                At(expr.at));
  return result;
}

Lowerer::Value Lowerer::LowerOfOne(const Expr& expr, uint8_t mod, std::optional<uint8_t> dest) {
  const Value operand = Lower(*expr.operands[0]);
  Free(operand);
  const Value result = Dest(dest);
  emitter_.Emit({.op = expr.builtin->op,
                 .type = expr.type.register_type(),
                 .mod = mod,
                 .d = result.reg,
                 .a = operand.reg},
                At(expr.at));
  return result;
}

Lowerer::Value Lowerer::LowerOfThree(const Expr& expr, std::optional<uint8_t> dest) {
  const bool select = expr.builtin->kind == BuiltinKind::kSelect;
  Value a;
  if (!select) a = Lower(*expr.operands[0]);
  const Value b = Lower(*expr.operands[1]);
  const Value c = Lower(*expr.operands[2]);
  uint8_t predicate = 0;
  if (select) {
    predicate = LowerPredicate(*expr.operands[0]);
    emitter_.FreePredicate(predicate);
  }
  Free(a);
  Free(b);
  Free(c);
  const Value result = Dest(dest);
  emitter_.Emit({.op = expr.builtin->op,
                 .type = expr.type.register_type(),
                 .d = result.reg,
                 .a = select ? predicate : a.reg,
                 .b = b.reg,
                 .c = c.reg},
                At(expr.at));
  return result;
}

Lowerer::Value Lowerer::LowerAtomic(const Expr& expr, std::optional<uint8_t> dest) {
  const bool swaps = expr.builtin->kind == BuiltinKind::kAtomicSwap;
  const Value index = Lower(*expr.operands[0]);
  const Value value = Lower(*expr.operands[1]);
  Value desired;
  if (swaps) desired = Lower(*expr.operands[2]);
  Free(index);
  Free(value);
  if (swaps) Free(desired);
  const Value result = Dest(dest);
  AccessOpcodes opcodes{Opcode::kAtg, Opcode::kAts, Opcode::kExit};
  if (symbol(expr.symbol).type.is_float()) {
    opcodes = {Opcode::kAtgFloat, Opcode::kAtsFloat, Opcode::kExit};
  }
  if (swaps) opcodes = {Opcode::kAtgCas, Opcode::kAtsCas, Opcode::kExit};
  Instruction atomic = Access(symbol(expr.symbol), opcodes, index);
  atomic.mod = swaps ? desired.reg : static_cast<uint8_t>(expr.builtin->atomic);
  atomic.d = result.reg;
  atomic.c = value.reg;
  emitter_.Emit(atomic, AccessDebug(expr, *expr.operands[0]));
  return result;
}

}  // namespace hologram::frontend
