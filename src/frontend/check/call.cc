#include "base/quote.h"
#include "base/spelling.h"
#include "frontend/check/checker.h"
#include "frontend/library.h"

namespace hologram::frontend {

using isa::Type;

void Checker::CheckCall(ExprPtr& expr) {
  const std::string& name = expr->name;
  if (FindHelper(name) != nullptr) return CheckHelperCall(expr);
  if (const std::string function = LibraryName(name); !function.empty()) {
    return CheckLibraryCall(expr, function);
  }
  const Builtin* builtin = FindBuiltin(name);
  if (builtin == nullptr) {
    if (const std::optional<Type> type = symbols().FindType(name)) {
      builtin = FindBuiltin(isa::NameOf(*type));
    } else {
      if (document_.FindTypeVariable(name) != nullptr) {
        return Error(expr->at, "type variable " + name +
                                   " has no type here; write it as the type of a parameter");
      }
      std::string near = NearestBuiltin(name);
      for (const std::string& function : LibraryFunctions()) {
        if (IsNear(name, function)) near = function;
      }
      for (const Helper& helper : document_.helpers) {
        if (IsNear(name, helper.name)) near = helper.name;
      }
      return Error(expr->at, "undefined function '" + name + "'" +
                                 (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
  }
  if (builtin->kind == BuiltinKind::kUnsupported) {
    return Error(expr->at, "`" + name + "` is not supported yet" +
                               (builtin->hint.empty() ? "" : "; " + builtin->hint));
  }
  if (builtin->kind == BuiltinKind::kShared || builtin->kind == BuiltinKind::kLocal) {
    return Error(expr->at, name + "(...) declares an array; write name = " + name + "(f32, 256)");
  }
  if (builtin->kind == BuiltinKind::kBarrier) {
    return Error(expr->at, "barrier() is a statement and has no value");
  }
  if (builtin->kind == BuiltinKind::kUnique) {
    return Error(expr->at, "unique(...) is a statement and has no value");
  }
  if (!CheckArity(*expr, *builtin)) return;
  expr->builtin = builtin;
  CheckKeywords(*expr, *builtin);
  CheckKnownCall(expr, *builtin);
}

bool Checker::CheckArity(const Expr& expr, const Builtin& builtin) {
  const size_t count = expr.operands.size();
  if (count >= builtin.min_arguments && count <= builtin.max_arguments) return true;
  std::string expected = Counted(builtin.max_arguments, "argument");
  if (builtin.min_arguments != builtin.max_arguments) {
    expected = std::to_string(builtin.min_arguments) + " or " + expected;
  }
  Error(expr.at, expr.name + " takes " + expected + ", not " + std::to_string(count));
  return false;
}

void Checker::CheckKeywords(Expr& expr, const Builtin& builtin) {
  for (Keyword& keyword : expr.keywords) {
    if (keyword.name != "fast" || !builtin.has_fast) {
      Error(expr.at, "`" + expr.name + "` has no keyword argument `" + keyword.name + "=`; " +
                         (builtin.has_fast ? "it has: `fast=`"
                                           : "write values in their places, without names"));
      continue;
    }
    Check(keyword.value);
    if (keyword.value->type.is_error()) continue;
    if (keyword.value->kind == ExprKind::kLiteral && keyword.value->constant.is_bool()) {
      expr.fast = keyword.value->constant.integer != 0;
    } else {
      Error(keyword.value->at, "`fast=` is True or False, known at compile time");
    }
  }
}

void Checker::CheckKnownCall(ExprPtr& expr, const Builtin& builtin) {
  switch (builtin.kind) {
    case BuiltinKind::kLen:
      return CheckLen(expr);
    case BuiltinKind::kId:
      return CheckId(*expr, builtin);
    case BuiltinKind::kAtomic:
    case BuiltinKind::kAtomicFirst:
    case BuiltinKind::kAtomicSwap:
      return CheckAtomic(*expr, builtin);
    case BuiltinKind::kBitcast:
      return CheckBitcast(*expr);
    default:
      break;
  }
  if (builtin.kind == BuiltinKind::kSelect) {
    CheckTruth(expr->operands[0], "the first argument of " + expr->name + " is");
  } else if (builtin.kind == BuiltinKind::kBoolCast && expr->operands[0]->kind == ExprKind::kAnd) {
    CheckTruth(expr->operands[0], "`and` needs");
  } else if (builtin.kind == BuiltinKind::kBoolCast && expr->operands[0]->kind == ExprKind::kOr) {
    CheckTruth(expr->operands[0], "`or` needs");
  } else {
    Check(expr->operands[0]);
  }
  for (size_t i = 1; i < expr->operands.size(); ++i) Check(expr->operands[i]);
  for (const ExprPtr& operand : expr->operands) {
    if (operand->type.is_error()) return;
  }
  switch (builtin.kind) {
    case BuiltinKind::kCast:
      return CheckCast(expr, builtin);
    case BuiltinKind::kBoolCast:
      return CheckBoolCast(expr);
    case BuiltinKind::kFloatMath:
      return CheckFloatMath(*expr, builtin);
    case BuiltinKind::kAbs:
      return CheckAbs(expr, builtin);
    case BuiltinKind::kMinMax:
      return CheckMinMax(*expr, builtin);
    case BuiltinKind::kFma:
      return CheckFloats(*expr, builtin);
    case BuiltinKind::kSelect:
      return CheckSelect(*expr, builtin);
    case BuiltinKind::kBlockReduce:
      return CheckBlockReduce(*expr, builtin);
    case BuiltinKind::kPopc:
      return CheckPopc(*expr);
    case BuiltinKind::kId:
    case BuiltinKind::kLen:
    case BuiltinKind::kBitcast:
    case BuiltinKind::kBarrier:
    case BuiltinKind::kUnique:
    case BuiltinKind::kShared:
    case BuiltinKind::kLocal:
    case BuiltinKind::kAtomic:
    case BuiltinKind::kAtomicFirst:
    case BuiltinKind::kAtomicSwap:
    case BuiltinKind::kUnsupported:
      break;  // dealt with above
  }
}

void Checker::CheckId(Expr& expr, const Builtin&) {
  expr.type = ValueType::Number(Type::kU32);
  if (expr.operands.empty()) return;
  Check(expr.operands[0]);
  const Expr& dimension = *expr.operands[0];
  if (dimension.type.is_error()) return;
  if (dimension.kind != ExprKind::kLiteral || !dimension.constant.is_int() ||
      dimension.constant.integer < 0 || dimension.constant.integer > 2) {
    Error(dimension.at, "the dimension of " + expr.name + " is 0, 1 or 2, known at compile time");
  }
}

// ---- Casts

void Checker::CheckCast(ExprPtr& expr, const Builtin& builtin) {
  const Type type = *builtin.type;
  ExprPtr& operand = expr->operands[0];
  if (operand->kind == ExprKind::kLiteral && !operand->type.is_number()) {
    const std::optional<Constant> value = Cast(operand->constant, type);
    if (!value) {
      return Error(operand->at,
                   "literal " + ToString(operand->constant) + " does not fit " + builtin.name);
    }
    expr = MakeLiteral(*value, expr->at);
    expr->type = ValueType::Number(type);
    expr->stated = true;
    return;
  }
  Harden(operand);
  if (operand->by_default && type == Type::kF64) Convert(operand, type);
  if (operand->type == ValueType::Number(type)) {
    ExprPtr inner = std::move(operand);
    expr = std::move(inner);
    expr->by_default = false;
    expr->stated = true;
    return;
  }
  expr->kind = ExprKind::kConvert;
  expr->saturates = true;
  expr->type = ValueType::Number(type);
}

void Checker::CheckBoolCast(ExprPtr& expr) {
  ExprPtr& operand = expr->operands[0];
  if (operand->type.is_bool()) {
    ExprPtr inner = std::move(operand);
    expr = std::move(inner);
    return;
  }
  if (!operand->type.is_integer()) {
    return Error(expr->at,
                 "bool(x) needs an integer, not " + NameOf(operand->type) + "; write x != 0.0");
  }
  const Position at = expr->at;
  ExprPtr inner = std::move(operand);
  expr = std::move(inner);
  CompareWithZero(expr, at);
}

// ---- Mathematics

bool Checker::CheckSuffix(const Expr& expr, const Builtin& builtin, Type type) {
  if (!builtin.type || *builtin.type == type) return true;
  Error(expr.at, expr.name + " takes f32, not " + std::string(isa::NameOf(type)) + "; write " +
                     expr.name.substr(0, expr.name.size() - 1) + "(...)");
  return false;
}

void Checker::CheckFloatMath(Expr& expr, const Builtin& builtin) {
  if (expr.operands.size() > 1) return CheckFloats(expr, builtin);
  ExprPtr& operand = expr.operands[0];
  if (operand->type == ValueType::SoftInt()) Convert(operand, Type::kF32);
  Harden(operand);
  if (operand->type.is_error()) return;
  if (!operand->type.is_float()) {
    return Error(operand->at, expr.name + " takes a float, not " + NameOf(operand->type) +
                                  "; write " + expr.name + "(f32(...))");
  }
  if (!CheckSuffix(expr, builtin, operand->type.number)) return;
  expr.type = operand->type;
  if (!builtin.type) NoteDefault(expr);
}

void Checker::CheckAbs(ExprPtr& expr, const Builtin& builtin) {
  ExprPtr& operand = expr->operands[0];
  if (!RequireNumber(operand, expr->name)) return;
  Harden(operand);
  if (operand->type.is_error()) return;
  if (!CheckSuffix(*expr, builtin, operand->type.number)) return;
  expr->type = operand->type;
  if (!builtin.type) NoteDefault(*expr);
  if (isa::IsUnsigned(operand->type.number)) {
    ExprPtr inner = std::move(operand);
    expr = std::move(inner);
  }
}

void Checker::CheckMinMax(Expr& expr, const Builtin& builtin) {
  const bool is_max = builtin.op == isa::Opcode::kMax;
  const Expr& first = *expr.operands[0];
  const Expr& second = *expr.operands[1];
  if (is_max && RefuseWrappedBound(expr, first, second, "")) return;
  if (is_max && RefuseWrappedBound(expr, second, first, "")) return;
  Type type = Type::kI32;
  if (!Unify(expr.operands[0], expr.operands[1], expr.at, expr.name, type)) return;
  if (CheckSuffix(expr, builtin, type)) expr.type = ValueType::Number(type);
  if (!builtin.type) NoteDefault(expr);
}

void Checker::CheckFloats(Expr& expr, const Builtin& builtin) {
  // One type for all: literals follow the others, alone they are f32.
  std::optional<Type> type;
  for (ExprPtr& operand : expr.operands) {
    if (!RequireNumber(operand, expr.name)) return;
    if (operand->type.is_soft()) continue;
    if (!operand->type.is_float()) {
      const bool power = expr.name == "pow";
      return Error(operand->at, expr.name + " takes a float, not " + NameOf(operand->type) +
                                    "; write " + (power ? "x ** y" : "f32(...)"));
    }
    type = type ? Promote(*type, operand->type.number) : operand->type.number;
  }
  for (ExprPtr& operand : expr.operands) Convert(operand, type.value_or(Type::kF32));
  if (!CheckSuffix(expr, builtin, type.value_or(Type::kF32))) return;
  expr.type = ValueType::Number(type.value_or(Type::kF32));
  if (!builtin.type) NoteDefault(expr);
}

void Checker::CheckSelect(Expr& expr, const Builtin& builtin) {
  ExprPtr& taken = expr.operands[1];
  ExprPtr& other = expr.operands[2];
  if (taken->type.is_bool() && other->type.is_bool()) {
    expr.type = ValueType::Bool();
    return;
  }
  if (taken->type.is_soft() && other->type.is_soft()) {
    const bool floats = taken->type.is_float() || other->type.is_float();
    expr.type = floats ? ValueType::SoftFloat() : ValueType::SoftInt();
    return;
  }
  Type type = Type::kI32;
  if (!Unify(taken, other, expr.at, expr.name, type)) return;
  if (CheckSuffix(expr, builtin, type)) expr.type = ValueType::Number(type);
  if (!builtin.type) NoteDefault(expr, 1);
}

void Checker::CheckBlockReduce(Expr& expr, const Builtin& builtin) {
  ExprPtr& operand = expr.operands[0];
  if (!RequireNumber(operand, expr.name)) return;
  Harden(operand);
  if (operand->type.is_error()) return;
  const bool bitwise = builtin.block_op > isa::BlockOp::kMul;
  if (bitwise && !operand->type.is_integer()) {
    return Error(operand->at, expr.name + " takes integers, not " + NameOf(operand->type));
  }
  expr.type = operand->type;
}

// ---- Atomics

// What the array of an atomic function must be; empty if it is that.
std::string Checker::ElementsOf(const Builtin& builtin, Type type) {
  const bool swaps = builtin.kind == BuiltinKind::kAtomicSwap;
  const bool floats = swaps || isa::HasFloatForm(builtin.atomic);
  const bool known = isa::IsFloat(type) ? floats : isa::SizeOf(type) >= 4;
  if (known && (!builtin.type || *builtin.type == type)) return "";
  if (builtin.type) return std::string(isa::NameOf(*builtin.type));
  return floats ? "i32, u32, i64, u64, f16, bf16, f32 or f64" : "i32, u32, i64 or u64";
}

// Becomes operands {index, value} or {index, expected, desired} with the array in `symbol`.
void Checker::CheckAtomic(Expr& expr, const Builtin& builtin) {
  const Expr& array_name = *expr.operands[0];
  const int found = array_name.kind == ExprKind::kVar ? symbols().Find(array_name.name) : -1;
  if (found < 0 && refused_arrays_.contains(array_name.name)) return;
  if (array_name.kind == ExprKind::kVar && found < 0) {
    return Error(array_name.at, "undefined name '" + array_name.name + "'" +
                                    symbols().Suggestion(array_name.name));
  }
  if (found < 0 || !symbols().at(found).is_array()) {
    return Error(array_name.at, "the first argument of " + expr.name + " is an array");
  }
  if (symbols().at(found).kind == Symbol::Kind::kLocalArray) {
    return Error(array_name.at, "'" + array_name.name +
                                    "' belongs to one lane, so nothing needs to be atomic; write " +
                                    array_name.name + "[i] = ...");
  }
  const Position array_at = array_name.at;
  symbols().at(found).read = symbols().at(found).written = true;
  const bool first = builtin.kind == BuiltinKind::kAtomicFirst;
  ExprPtr index = first ? MakeLiteral(Constant::Int(0), expr.at) : std::move(expr.operands[1]);
  std::vector<ExprPtr> values;
  for (size_t i = first ? 1 : 2; i < expr.operands.size(); ++i) {
    values.push_back(std::move(expr.operands[i]));
  }
  auto access = std::make_unique<Expr>();
  access->kind = ExprKind::kIndex;
  access->at = expr.at;
  access->name = array_name.name;
  if (index->kind == ExprKind::kTuple) {  // atomic_add(a, (i, j), 1)
    access->operands = std::move(index->operands);
  } else {
    access->operands.push_back(std::move(index));
  }
  CheckIndex(*access, true, true);
  for (ExprPtr& value : values) Check(value);
  expr.text = access->text;
  expr.symbol = found;
  expr.operands.clear();
  expr.operands.push_back(std::move(access->operands[0]));
  for (ExprPtr& value : values) expr.operands.push_back(std::move(value));
  // Not before: what is checked may add symbols, which moves them.
  const Symbol& array = symbols().at(found);
  if (array.type.is_error()) return;
  const std::string takes = ElementsOf(builtin, array.type.number);
  if (!takes.empty()) {
    return Error(array_at, expr.name + " takes an array of " + takes + "; " + array.name +
                               " is an array of " + NameOf(array.type));
  }
  expr.type = array.type;
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    ConvertSilently(expr.operands[i], array.type, "use",
                    "as the value of " + expr.name + " on " + array.name + ", an array of " +
                        NameOf(array.type));
  }
}

}  // namespace hologram::frontend
