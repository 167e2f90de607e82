#include <algorithm>

#include "frontend/lower/lowerer.h"
#include "frontend/lower/rules.h"

namespace hologram::frontend {

using isa::Instruction;
using isa::Opcode;
using isa::Type;

Opcode OpcodeOf(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
      return Opcode::kAdd;
    case BinaryOp::kSub:
      return Opcode::kSub;
    case BinaryOp::kMul:
      return Opcode::kMul;
    case BinaryOp::kPow:
      return Opcode::kPow;
    case BinaryOp::kBitAnd:
      return Opcode::kAnd;
    case BinaryOp::kBitOr:
      return Opcode::kOr;
    case BinaryOp::kBitXor:
      return Opcode::kXor;
    case BinaryOp::kShl:
      return Opcode::kShl;
    case BinaryOp::kShr:
      return Opcode::kShr;
    default:
      return Opcode::kDiv;
  }
}

namespace {

constexpr int kPredicatesOfBool = 4;  // free ones, to compute a bool in predicates

}  // namespace

bool IsProduct(const Expr& expr) {
  return expr.kind == ExprKind::kBinary && expr.binary == BinaryOp::kMul;
}

void Lowerer::LowerInto(const Expr& expr, uint8_t dest) {
  LowerTo(expr, dest);
}

Lowerer::Value Lowerer::LowerTo(const Expr& expr, std::optional<uint8_t> dest) {
  Value value;
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return LowerLiteral(expr, dest);
    case ExprKind::kVar:
      value = {RegisterOf(expr.symbol), false};
      break;
    case ExprKind::kOldElement:
      value = old_element_;
      break;
    case ExprKind::kBinary:
      // `&` and `|` of bools are AND and OR of bytes where predicates are few.
      return IsComparison(expr.binary) ||
                     (expr.type.is_bool() && emitter_.free_predicates() >= kPredicatesOfBool)
                 ? LowerBool(expr, dest)
                 : LowerBinary(expr, dest);
    case ExprKind::kCompareChain:
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return LowerBool(expr, dest);
    case ExprKind::kUnary:
      return LowerUnary(expr, dest);
    case ExprKind::kIfExpr:
      return LowerIfExpr(expr, dest);
    case ExprKind::kIndex:
      return LowerLoad(expr, dest);
    case ExprKind::kCall:
      return LowerCall(expr, dest);
    case ExprKind::kConvert:
      return LowerConvert(expr, dest);
    case ExprKind::kInline:
      return LowerInline(expr, dest);
    case ExprKind::kTuple:
    case ExprKind::kShape:
      HOLOGRAM_CHECK(false);  // the checker leaves none of these where a value is
  }
  if (!dest || *dest == value.reg) return value;
  return Apply(Opcode::kMov, expr.type.register_type(), value, expr, dest);
}

Lowerer::Value Lowerer::Apply(Opcode op, Type type, Value a, Value b, const Expr& expr,
                              std::optional<uint8_t> dest) {
  Free(a);
  Free(b);
  const Value result = Dest(dest);
  emitter_.Emit({.op = op, .type = type, .d = result.reg, .a = a.reg, .b = b.reg}, At(expr.at));
  return result;
}

Lowerer::Value Lowerer::Apply(Opcode op, Type type, Value a, const Expr& expr,
                              std::optional<uint8_t> dest) {
  Free(a);
  const Value result = Dest(dest);
  emitter_.Emit({.op = op, .type = type, .d = result.reg, .a = a.reg}, At(expr.at));
  return result;
}

// ---- Literals

Lowerer::Value Lowerer::LowerLiteral(const Expr& expr, std::optional<uint8_t> dest) {
  return LowerConstant(expr.type.register_type(), expr.constant, expr.at, dest);
}

Lowerer::Value Lowerer::LowerConstant(Type type, Constant constant, Position at,
                                      std::optional<uint8_t> dest) {
  const uint64_t bits = BitsOf(constant, type);
  if (!dest && !loops_.empty() && emitter_.has_room_for_constants()) {
    return {emitter_.EntryConstant(type, bits, at), false};
  }
  const Value result = Dest(dest);
  emitter_.Emit({.op = Opcode::kMovImm, .type = type, .d = result.reg, .imm = bits}, At(at));
  return result;
}

// ---- Operators

Lowerer::Value Lowerer::LowerBinary(const Expr& expr, std::optional<uint8_t> dest) {
  const Type type = expr.type.number;
  if (expr.binary == BinaryOp::kFloorDiv || expr.binary == BinaryOp::kMod) {
    return LowerFloorDivide(expr, dest);
  }
  if (expr.binary == BinaryOp::kPow && expr.operands[1]->type.is_soft()) {
    return LowerPower(expr, dest);
  }
  if (auto fused = LowerContracted(expr, dest)) return *fused;
  const Value a = Lower(*expr.operands[0]);
  Value b = Lower(*expr.operands[1]);
  const bool shift = expr.binary == BinaryOp::kShl || expr.binary == BinaryOp::kShr;
  if (shift && type != Type::kU32) {  // a count is u32; the bits that matter survive wrapping
    Free(b);
    const Value count = Dest(std::nullopt);
    emitter_.Emit({.op = Opcode::kCvt,
                   .type = Type::kU32,
                   .mod = static_cast<uint8_t>(type),
                   .d = count.reg,
                   .a = b.reg},
                  At(expr.at));
    b = count;
  }
  return Apply(OpcodeOf(expr.binary), type, a, b, expr, dest);
}

// contract=True: a float product that is an operand of + or - is fused with it; if both are
// products, the left one is.
std::optional<Lowerer::Value> Lowerer::LowerContracted(const Expr& expr,
                                                       std::optional<uint8_t> dest) {
  const bool sum = expr.binary == BinaryOp::kAdd || expr.binary == BinaryOp::kSub;
  if (!kernel_.contract || !sum || !isa::IsFloat(expr.type.number)) return std::nullopt;
  const bool left = IsProduct(*expr.operands[0]);
  if (!left && !IsProduct(*expr.operands[1])) return std::nullopt;
  const Expr& product = *expr.operands[left ? 0 : 1];
  const Expr& other = *expr.operands[left ? 1 : 0];
  const Type type = expr.type.number;
  Value addend;
  if (!left) addend = Lower(other);
  Value a = Lower(*product.operands[0]);
  const Value b = Lower(*product.operands[1]);
  if (left) addend = Lower(other);
  if (expr.binary == BinaryOp::kSub) {  // a*b - c and c - a*b: negation is exact
    Value& negated = left ? addend : a;
    negated = Apply(Opcode::kNeg, type, negated, expr, std::nullopt);
  }
  Free(a);
  Free(b);
  Free(addend);
  const Value result = Dest(dest);
  emitter_.Emit(
      {.op = Opcode::kFma, .type = type, .d = result.reg, .a = a.reg, .b = b.reg, .c = addend.reg},
      At(expr.at));
  return result;
}

Lowerer::Value Lowerer::LowerUnary(const Expr& expr, std::optional<uint8_t> dest) {
  if (expr.unary == UnaryOp::kNot) return LowerBool(expr, dest);
  const Type type = expr.type.number;
  const bool negates = expr.unary == UnaryOp::kNeg;
  if (negates && isa::IsUnsigned(type)) {  // wraps, as 0 - x
    const Value zero = LowerConstant(type, Constant::Int(0), expr.at);
    const Value operand = Lower(*expr.operands[0]);
    return Apply(Opcode::kSub, type, zero, operand, expr, dest);
  }
  const Value operand = Lower(*expr.operands[0]);
  return Apply(negates ? Opcode::kNeg : Opcode::kNot, type, operand, expr, dest);
}

// A bool as a value: 0 or 1 in a u8 register.
Lowerer::Value Lowerer::LowerBool(const Expr& expr, std::optional<uint8_t> dest) {
  const bool logic = expr.kind == ExprKind::kAnd || expr.kind == ExprKind::kOr ||
                     expr.kind == ExprKind::kCompareChain;
  const bool branches = expr.kind == ExprKind::kCompareChain || (logic && !IsCheap(expr)) ||
                        emitter_.free_predicates() < kPredicatesOfBool;
  if (!branches) {
    const uint8_t predicate = LowerPredicate(expr);
    const Value one = LowerConstant(Type::kU8, Constant::Int(1), expr.at);
    const Value zero = LowerConstant(Type::kU8, Constant::Int(0), expr.at);
    Free(one);
    Free(zero);
    const Value result = Dest(dest);
    emitter_.Emit({.op = Opcode::kSel,
                   .type = Type::kU8,
                   .d = result.reg,
                   .a = predicate,
                   .b = one.reg,
                   .c = zero.reg},
                  At(expr.at));
    emitter_.FreePredicate(predicate);
    return result;
  }
  const Label otherwise = emitter_.NewLabel();
  const Label end = emitter_.NewLabel();
  LowerCondition(expr, otherwise, false);
  const Value result = Dest(dest);
  LowerConstant(Type::kU8, Constant::Int(1), expr.at, result.reg);
  emitter_.Branch(end, expr.at);
  emitter_.Bind(otherwise);
  LowerConstant(Type::kU8, Constant::Int(0), expr.at, result.reg);
  emitter_.Bind(end);
  return result;
}

Lowerer::Value Lowerer::LowerIfExpr(const Expr& expr, std::optional<uint8_t> dest) {
  const Expr& condition = *expr.operands[0];
  const Expr& taken = *expr.operands[1];
  const Expr& other = *expr.operands[2];
  if (condition.kind == ExprKind::kLiteral) {
    return LowerTo(condition.constant.integer != 0 ? taken : other, dest);
  }
  if (IsCheap(taken) && IsCheap(other)) {
    const Value a = Lower(taken);
    const Value b = Lower(other);
    const uint8_t predicate = LowerPredicate(condition);
    Free(a);
    Free(b);
    const Value result = Dest(dest);
    emitter_.Emit({.op = Opcode::kSel,
                   .type = expr.type.register_type(),
                   .d = result.reg,
                   .a = predicate,
                   .b = a.reg,
                   .c = b.reg},
                  At(expr.at));
    emitter_.FreePredicate(predicate);
    return result;
  }
  const Label otherwise = emitter_.NewLabel();
  const Label end = emitter_.NewLabel();
  LowerCondition(condition, otherwise, false);
  const Value result = Dest(dest);
  LowerInto(taken, result.reg);
  emitter_.Branch(end, expr.at);
  emitter_.Bind(otherwise);
  LowerInto(other, result.reg);
  emitter_.Bind(end);
  return result;
}

// ---- Conversions

Lowerer::Value Lowerer::LowerConvert(const Expr& expr, std::optional<uint8_t> dest) {
  const Expr& operand = *expr.operands[0];
  const Type from = operand.type.register_type();
  const Type to = expr.type.number;
  if (from == to) return LowerTo(operand, dest);  // a bool as u8
  if (expr.saturates && isa::IsInteger(from) && isa::IsInteger(to)) {
    return LowerIntegerCast(expr, dest);
  }
  const Value value = Lower(operand);
  Free(value);
  const Value result = Dest(dest);
  emitter_.Emit({.op = Opcode::kCvt,
                 .type = to,
                 .mod = static_cast<uint8_t>(from),
                 .d = result.reg,
                 .a = value.reg},
                At(expr.at));
  return result;
}

// Saturates: CVT between integers wraps, so the value is first brought into the target's range.
Lowerer::Value Lowerer::LowerIntegerCast(const Expr& expr, std::optional<uint8_t> dest) {
  const Expr& operand = *expr.operands[0];
  const Type from = operand.type.register_type();
  const Type to = expr.type.number;
  Value value = Lower(operand);
  if (isa::MinOf(from) < isa::MinOf(to)) {
    const Value least = LowerConstant(from, Constant::Int(isa::MinOf(to)), expr.at);
    value = Apply(Opcode::kMax, from, value, least, expr, std::nullopt);
  }
  if (isa::MaxOf(from) > isa::MaxOf(to)) {
    const Value most = LowerConstant(from, Constant::Int(isa::MaxOf(to)), expr.at);
    value = Apply(Opcode::kMin, from, value, most, expr, std::nullopt);
  }
  Free(value);
  const Value result = Dest(dest);
  emitter_.Emit({.op = Opcode::kCvt,
                 .type = to,
                 .mod = static_cast<uint8_t>(from),
                 .d = result.reg,
                 .a = value.reg},
                At(expr.at));
  return result;
}

// ---- Accesses

Instruction Lowerer::Access(const Symbol& array, const AccessOpcodes& opcodes, Value index) {
  const bool is_global = array.kind == Symbol::Kind::kArray;
  const bool is_shared = array.kind == Symbol::Kind::kShared;
  return {.op = is_global   ? opcodes.global
                : is_shared ? opcodes.shared
                            : opcodes.local,
          .type = array.type.number,
          .a = is_global ? isa::Program::RegisterOfParameter(array.number)
                         : static_cast<uint8_t>(array.number),
          .b = index.reg,
          .mode = isa::kIndexedMode};
}

void Lowerer::CollectVariables(const Expr& expr, std::vector<isa::DebugVariable>& variables) {
  // Extents and counters of parallel statements have names that no source has.
  const bool named = expr.kind == ExprKind::kVar && expr.symbol >= 0 &&
                     !symbol(expr.symbol).from_shape && expr.name.find(' ') == std::string::npos;
  if (named && variables.size() < isa::kMaxNamedVariables) {
    isa::DebugVariable variable{expr.name, RegisterOf(expr.symbol)};
    if (std::find(variables.begin(), variables.end(), variable) == variables.end()) {
      variables.push_back(std::move(variable));
    }
  }
  for (const ExprPtr& operand : expr.operands) CollectVariables(*operand, variables);
}

isa::DebugLine Lowerer::AccessDebug(const Expr& expr, const Expr& index) {
  isa::DebugLine debug{expr.at.line, expr.at.column, expr.text, {}};
  CollectVariables(index, debug.variables);
  return debug;
}

Lowerer::Value Lowerer::LowerLoad(const Expr& expr, std::optional<uint8_t> dest) {
  const Expr& index_expr = *expr.operands[0];
  const Value index = Lower(index_expr);
  Free(index);
  const Value result = Dest(dest);
  Instruction load = Access(symbol(expr.symbol), {Opcode::kLdg, Opcode::kLds, Opcode::kLdl}, index);
  load.d = result.reg;
  emitter_.Emit(load, AccessDebug(expr, index_expr));
  return result;
}

}  // namespace hologram::frontend
