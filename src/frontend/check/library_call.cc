// Functions of the library that have forms for the types of their arguments.
#include "base/quote.h"
#include "frontend/check/checker.h"
#include "frontend/library.h"

namespace hologram::frontend {

using isa::Type;

namespace {

// Functions of f16 and bf16 are those of f32, rounded once more.
Type ComputedAs(Type type) {
  return isa::IsHalf(type) ? Type::kF32 : type;
}

bool Covers(std::string_view form, Type type) {
  if (form == "float") return isa::IsFloat(type);
  if (form == "integer") return isa::IsInteger(type);
  if (form == "signed") return isa::IsSignedInteger(type);
  if (form == "unsigned") return isa::IsUnsigned(type);
  return form == isa::NameOf(type);
}

// The end of the form for a type, one of its own first; empty if there is none.
std::string_view FormFor(const std::vector<std::string_view>& forms, Type type) {
  for (const Type wanted : {type, ComputedAs(type)}) {
    for (const std::string_view form : forms) {
      if (form == isa::NameOf(wanted)) return form;
    }
  }
  for (const std::string_view form : forms) {
    if (Covers(form, type)) return form;
  }
  return {};
}

std::string Taken(const std::vector<std::string_view>& forms) {
  if (!FormFor(forms, Type::kI32).empty()) return "an integer";
  return FormFor(forms, Type::kU32).empty() ? "a float" : "an unsigned integer";
}

std::string Advice(const std::vector<std::string_view>& forms, Type type) {
  if (!FormFor(forms, Type::kF32).empty()) return "write f32(...)";
  if (isa::IsFloat(type)) return "write u32(...), or bitcast(u32, ...) for its bits";
  return "write bitcast(u" + std::to_string(isa::BitsOf(type)) + ", ...)";
}

// f64(e), as the kernel would write it.
ExprPtr Written(const std::string& type, ExprPtr operand) {
  auto cast = std::make_unique<Expr>();
  cast->kind = ExprKind::kCall;
  cast->name = type;
  cast->at = operand->at;
  cast->operands.push_back(std::move(operand));
  return cast;
}

}  // namespace

std::string Checker::LibraryName(const std::string& name) const {
  if (!FormsOf(name).empty()) return name;
  if (!name.ends_with('f')) return "";
  const std::string plain = name.substr(0, name.size() - 1);  // asinf
  return FormFor(FormsOf(plain), Type::kF32) == "f32" ? plain : "";
}

// The arguments whose parameters have the type of the form get one type; the others are converted
// to those of their parameters. Literals follow the arguments that have a type; alone they have the
// type that literals have, and f32 where the function takes floats only.
void Checker::CheckLibraryCall(ExprPtr& expr, const std::string& function) {
  const std::vector<std::string_view> forms = FormsOf(function);
  const Helper& first = *FindLibraryHelper(function + "__" + std::string(forms[0]));
  if (!CheckCountOf(*expr, first, expr->name)) return;
  const auto decides = [&](size_t i) {
    const std::string& type = first.parameters[i].type;
    return type.empty() || type == forms[0];
  };
  // The same in f64, should it be wanted where nothing has given the arguments a type.
  ExprPtr wider = document_.exact_literals && function == expr->name ? Clone(*expr) : nullptr;
  std::optional<Type> type;
  bool floats = FormFor(forms, Type::kI32).empty() && FormFor(forms, Type::kU32).empty();
  const Helper* of_bools = FindLibraryHelper(function + "__bool");
  for (size_t i = 0; i < expr->operands.size(); ++i) {
    ExprPtr& operand = expr->operands[i];
    Check(operand);
    if (operand->type.is_error()) return;
    if (operand->type.is_bool() && decides(i) && of_bools != nullptr) {
      return CheckRest(expr, i, *of_bools);
    }
    if (!RequireNumber(operand, expr->name)) return;
    if (!decides(i)) {
      if (first.parameters[i].type == "u32") AsUnsigned(operand);
      continue;
    }
    if (operand->type.is_soft()) {
      floats |= operand->type.is_float();
      continue;
    }
    const Type found = operand->type.number;
    if (FormFor(forms, found).empty()) {
      return Error(operand->at, expr->name + " takes " + Taken(forms) + ", not " +
                                    NameOf(operand->type) + "; " + Advice(forms, found));
    }
    const std::optional<Type> common = type ? Promote(*type, found) : found;
    if (!common) {
      return Error(expr->at, expr->name + " of " + std::string(isa::NameOf(*type)) + " and " +
                                 NameOf(operand->type) +
                                 " has no common type; cast one, as in i64(...) or u64(...)");
    }
    type = common;
  }
  if (function == "clamp" && RefuseWrappedBound(*expr, *expr->operands[0], *expr->operands[1],
                                                ", " + ToSource(*expr->operands[2]))) {
    return;
  }
  if (!type) type = floats ? Type::kF32 : Type::kI32;
  if (floats && isa::IsInteger(*type)) type = Type::kF32;  // as in x + 0.5
  if (FormFor(forms, *type).empty()) type = Type::kU32;
  if (function != expr->name && *type != Type::kF32) {
    return Error(expr->at, expr->name + " takes f32, not " + std::string(isa::NameOf(*type)) +
                               "; write " + function + "(...)");
  }
  const std::string_view form = FormFor(forms, *type);
  for (size_t i = 0; i < expr->operands.size(); ++i) {
    if (!decides(i)) continue;
    Convert(expr->operands[i], *type);
    if (form == isa::NameOf(ComputedAs(*type))) Convert(expr->operands[i], ComputedAs(*type));
    if (expr->operands[i]->type.is_error()) return;
  }
  bool by_default = wider != nullptr && type == Type::kF32 && !FormFor(forms, Type::kF64).empty();
  std::vector<bool> literals;
  for (size_t i = 0; i < expr->operands.size(); ++i) {
    if (!decides(i)) continue;
    const Expr& operand = *expr->operands[i];
    by_default &= operand.by_default;
    if (operand.kind == ExprKind::kLiteral) literals.push_back(operand.by_default);
    if (wider != nullptr) wider->operands[i] = Written("f64", std::move(wider->operands[i]));
  }
  const bool named = function != expr->name;  // asinf says f32
  CheckForm(expr, *FindLibraryHelper(function + "__" + std::string(form)), *type);
  if (expr->kind != ExprKind::kInline) return;
  expr->inlined->computes = !named && form == isa::NameOf(ComputedAs(*type));
  expr->inlined->literals = std::move(literals);
  expr->by_default = by_default;
  if (by_default) expr->wider = std::move(wider);
}

// An i32 that counts lanes or bits: one below 0 is beyond all of them.
void Checker::AsUnsigned(ExprPtr& operand) {
  if (operand->type != ValueType::Number(Type::kI32)) return;
  auto bits = std::make_unique<Expr>();
  bits->kind = ExprKind::kCall;
  bits->name = "bitcast";
  bits->builtin = FindBuiltin(bits->name);
  bits->at = operand->at;
  bits->type = ValueType::Number(Type::kU32);
  bits->operands.push_back(std::move(operand));
  operand = std::move(bits);
}

// Of bools: the arguments up to `checked` are.
void Checker::CheckRest(ExprPtr& expr, size_t checked, const Helper& helper) {
  for (size_t i = checked + 1; i < expr->operands.size(); ++i) {
    Check(expr->operands[i]);
    if (helper.parameters[i].type == "u32") AsUnsigned(expr->operands[i]);
  }
  CheckForm(expr, helper, Type::kU8);
}

void Checker::CheckForm(ExprPtr& expr, const Helper& helper, Type type) {
  if (!WriteInPlace(expr, helper, ArgumentsAre::kChecked)) return;
  const ValueType result = symbols().at(expr->inlined->results[0]).type;
  expr->type = result;
  if (result.is_float() && isa::IsHalf(type)) Convert(expr, type);
}

// bitcast(u32, x)
void Checker::CheckBitcast(Expr& expr) {
  const std::string wanted = expr.operands[0]->kind == ExprKind::kVar ? expr.operands[0]->name : "";
  const std::optional<Type> type = symbols().FindType(wanted);
  if (!type) {
    return Error(expr.operands[0]->at,
                 "the first argument of bitcast is a type, as in bitcast(u32, x)");
  }
  ExprPtr& operand = expr.operands[1];
  Check(operand);
  if (operand->type.is_error() || !RequireNumber(operand, expr.name)) return;
  Harden(operand);
  if (operand->type.is_error()) return;
  if (isa::SizeOf(*type) != isa::SizeOf(operand->type.number)) {
    return Error(expr.at, "bitcast keeps all bits: " + NameOf(operand->type) + " has " +
                              std::to_string(isa::BitsOf(operand->type.number)) + ", " +
                              std::string(isa::NameOf(*type)) + " " +
                              std::to_string(isa::BitsOf(*type)));
  }
  expr.type = ValueType::Number(*type);
  expr.operands.erase(expr.operands.begin());
}

void Checker::CheckPopc(Expr& expr) {
  ExprPtr& operand = expr.operands[0];
  if (!RequireNumber(operand, expr.name)) return;
  Harden(operand);
  if (operand->type.is_error()) return;
  if (!operand->type.is_integer()) {
    return Error(operand->at, expr.name + " takes an integer, not " + NameOf(operand->type) +
                                  "; write bitcast(u32, ...) for its bits");
  }
  expr.type = operand->type;
}

}  // namespace hologram::frontend
