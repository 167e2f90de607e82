#include <cmath>
#include <limits>

#include "base/quote.h"
#include "frontend/json/nodes.h"
#include "isa/program.h"

namespace hologram::frontend {
namespace {

std::optional<BinaryOp> ParseBinaryOp(const std::string& name) {
  constexpr const char* kNames[] = {"add", "sub",     "mul",    "div",     "floor_div", "mod",
                                    "pow", "bit_and", "bit_or", "bit_xor", "shl",       "shr",
                                    "lt",  "le",      "gt",     "ge",      "eq",        "ne"};
  for (uint8_t i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i]) return static_cast<BinaryOp>(i);
  }
  return std::nullopt;
}

}  // namespace

ExprPtr Reader::ReadField(const Json& object, const char* name) {
  const Json* field = Field(object, name);
  if (field == nullptr) return Make(ExprKind::kLiteral);
  const Step step(*this, name);
  return ReadExpr(*field);
}

ExprPtr Reader::ReadExpr(const Json& json) {
  if (json.is_string()) {  // the shorthand of version 1.0
    ExprPtr expr = Make(ExprKind::kVar);
    expr->name = *json.get_ptr<const std::string*>();
    if (!IsIdentifier(expr->name)) Fail("expected an identifier");
    return expr;
  }
  if (!CheckObject(json, "an expression")) return Make(ExprKind::kLiteral);
  const std::string type = Word(json, "type");
  if (type.empty()) return Make(ExprKind::kLiteral);
  if (depth_ >= kMaxNesting) {
    if (!too_deep_) Fail("nested more than " + std::to_string(kMaxNesting) + " levels deep");
    too_deep_ = true;
    return Make(ExprKind::kLiteral);
  }
  ++depth_;
  ExprPtr expr = ReadExprOfType(type, json);
  --depth_;
  expr->at = ReadPosition(json);
  return expr;
}

ExprPtr Reader::ReadExprOfType(const std::string& type, const Json& json) {
  if (type == "var") {
    ExprPtr expr = Make(ExprKind::kVar);
    expr->name = Identifier(json, "name");
    return expr;
  }
  if (type == "literal") return ReadLiteral(json);
  if (type == "binary_op") return ReadBinary(json);
  if (type == "compare_chain") return ReadChain(json);
  if (type == "bool_op") return ReadBool(json);
  if (type == "unary_op") return ReadUnary(json);
  if (type == "index") return ReadIndex(json);
  if (type == "shape") return ReadShape(json);
  if (type == "call") return ReadCall(json);
  if (type == "tuple") return ReadTuple(json, "values");
  if (type == "if_expr") {
    ExprPtr expr = Make(ExprKind::kIfExpr);
    for (const char* name : {"condition", "then", "else"}) {
      expr->operands.push_back(ReadField(json, name));
    }
    return expr;
  }
  Fail("expression \"" + type + "\" is not known");
  return Make(ExprKind::kLiteral);
}

std::optional<Constant> Reader::ReadNumber(const Json& json, const std::string& kind) {
  if (json.is_boolean() && (kind.empty() || kind == "bool")) {
    return Constant::Bool(*json.get_ptr<const bool*>());
  }
  if (json.is_number_integer() && kind != "bool") {
    const __int128 value = json.is_number_unsigned()
                               ? static_cast<__int128>(*json.get_ptr<const uint64_t*>())
                               : static_cast<__int128>(*json.get_ptr<const int64_t*>());
    if (kind == "float") return Constant::Float(static_cast<double>(value));
    return Constant::Int(value);
  }
  if (json.is_number_float() && (kind.empty() || kind == "float")) {
    const double value = *json.get_ptr<const double*>();
    if (std::isfinite(value)) return Constant::Float(value);
    Fail("the number is too large for f64");
    return std::nullopt;
  }
  if (json.is_string() && (kind.empty() || kind == "float")) {  // JSON has no such numbers
    const std::string& word = *json.get_ptr<const std::string*>();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (word == "inf") return Constant::Float(kInfinity);
    if (word == "-inf") return Constant::Float(-kInfinity);
    if (word == "nan") return Constant::Float(std::numeric_limits<double>::quiet_NaN());
  }
  if (json.is_number_float() && kind == "int") {
    // Of integers only those that no 64 bits hold are floats to the parser.
    const double value = *json.get_ptr<const double*>();
    const bool fits = value > -0x1p63 && value < 0x1p64;
    Fail(fits ? "an integer has no point and no exponent" : "the integer does not fit in 64 bits");
    return std::nullopt;
  }
  Fail("expected a " + (kind.empty() ? std::string("number or bool") : kind + " value") +
       ", found " + json.type_name());
  return std::nullopt;
}

ExprPtr Reader::ReadLiteral(const Json& json) {
  ExprPtr expr = Make(ExprKind::kLiteral);
  const Json* value = Field(json, "value");
  if (value == nullptr) return expr;
  std::string kind;
  if (OptionalField(json, "kind") != nullptr) kind = Word(json, "kind");
  if (!kind.empty() && kind != "int" && kind != "float" && kind != "bool") {
    Fail("literal kind \"" + kind + "\" is not known");
    return expr;
  }
  const Step step(*this, "value");
  if (const auto number = ReadNumber(*value, kind)) expr->constant = *number;
  return expr;
}

std::optional<BinaryOp> Reader::ReadOperator(const Json& json) {
  const std::string name = Word(json, "op");
  if (name.empty()) return std::nullopt;
  const std::optional<BinaryOp> op = ParseBinaryOp(name);
  if (!op) Fail("operator \"" + name + "\" is not known");
  return op;
}

ExprPtr Reader::ReadBinary(const Json& json) {
  ExprPtr expr = Make(ExprKind::kBinary);
  const Json* op = Find(json, "op");
  if (op != nullptr && (*op == "and" || *op == "or")) {
    expr->kind = *op == "and" ? ExprKind::kAnd : ExprKind::kOr;
  } else if (const auto known = ReadOperator(json)) {
    expr->binary = *known;
  }
  expr->operands.push_back(ReadField(json, "left"));
  expr->operands.push_back(ReadField(json, "right"));
  return expr;
}

ExprPtr Reader::ReadChain(const Json& json) {
  ExprPtr expr = Make(ExprKind::kCompareChain);
  expr->operands.push_back(ReadField(json, "first"));
  const Json* rest = Array(json, "rest");
  for (size_t i = 0; rest != nullptr && i < rest->size(); ++i) {
    const Step step(*this, "rest[" + std::to_string(i) + "]");
    if (!CheckObject((*rest)[i], "an object")) continue;
    const std::optional<BinaryOp> op = ReadOperator((*rest)[i]);
    if (op && !IsComparison(*op)) Fail("operator is no comparison");
    expr->chain.push_back(op.value_or(BinaryOp::kLt));
    expr->operands.push_back(ReadField((*rest)[i], "operand"));
  }
  if (rest != nullptr && rest->empty()) Fail("a comparison needs a second operand");
  return expr;
}

void Reader::ReadOperands(const Json& array, Expr& expr) {
  for (size_t i = 0; i < array.size(); ++i) {
    const Step step(*this, "[" + std::to_string(i) + "]");
    expr.operands.push_back(ReadExpr(array[i]));
  }
}

ExprPtr Reader::ReadBool(const Json& json) {
  const std::string op = Word(json, "op");
  if (!op.empty() && op != "and" && op != "or") Fail("operator \"" + op + "\" is not known");
  ExprPtr expr = Make(op == "or" ? ExprKind::kOr : ExprKind::kAnd);
  if (const Json* values = Array(json, "values")) {
    const Step step(*this, "values");
    if (values->empty()) Fail("expected at least one value");
    ReadOperands(*values, *expr);
  }
  // Messages about what stands around it write the expression out, before the document is refused.
  if (expr->operands.empty()) expr->operands.push_back(Make(ExprKind::kLiteral));
  return expr;
}

ExprPtr Reader::ReadTuple(const Json& json, const char* name) {
  ExprPtr expr = Make(ExprKind::kTuple);
  expr->at = ReadPosition(json);
  if (const Json* parts = Array(json, name)) {
    const Step step(*this, name);
    if (parts->size() < 2) Fail("expected at least two values");
    ReadOperands(*parts, *expr);
  }
  return expr;
}

ExprPtr Reader::ReadUnary(const Json& json) {
  ExprPtr expr = Make(ExprKind::kUnary);
  const std::string op = Word(json, "op");
  if (op == "neg") {
    expr->unary = UnaryOp::kNeg;
  } else if (op == "pos") {
    expr->unary = UnaryOp::kPos;
  } else if (op == "not") {
    expr->unary = UnaryOp::kNot;
  } else if (op == "inv") {
    expr->unary = UnaryOp::kInvert;
  } else if (!op.empty()) {
    Fail("operator \"" + op + "\" is not known");
  }
  expr->operands.push_back(ReadField(json, "operand"));
  return expr;
}

ExprPtr Reader::ReadIndex(const Json& json) {
  ExprPtr expr = Make(ExprKind::kIndex);
  const ExprPtr array = ReadField(json, "array");
  if (array->kind != ExprKind::kVar) {
    const Step step(*this, "array");
    Fail("only an array that has a name can be indexed");
  }
  expr->name = array->name;
  if (OptionalField(json, "text") != nullptr) expr->text = EscapeLine(String(json, "text"));
  if (OptionalField(json, "indices") != nullptr) {
    const Json* indices = Array(json, "indices");
    const Step step(*this, "indices");
    if (indices != nullptr && (indices->empty() || indices->size() > isa::kMaxRank)) {
      Fail("expected 1 to " + std::to_string(isa::kMaxRank) + " indices");
    } else if (indices != nullptr) {
      ReadOperands(*indices, *expr);
    }
    if (expr->operands.empty()) expr->operands.push_back(Make(ExprKind::kLiteral));
  } else {
    expr->operands.push_back(ReadField(json, "index"));
  }
  return expr;
}

ExprPtr Reader::ReadShape(const Json& json) {
  ExprPtr expr = Make(ExprKind::kShape);
  const ExprPtr array = ReadField(json, "array");
  if (array->kind != ExprKind::kVar) {
    const Step step(*this, "array");
    Fail("only an array that has a name has a shape");
  }
  expr->name = array->name;
  if (OptionalField(json, "dimension") != nullptr) {
    expr->operands.push_back(ReadField(json, "dimension"));
  }
  return expr;
}

ExprPtr Reader::ReadCall(const Json& json) {
  ExprPtr expr = Make(ExprKind::kCall);
  expr->name = Identifier(json, "function");
  if (OptionalField(json, "args") != nullptr) {
    if (const Json* args = Array(json, "args")) {
      const Step step(*this, "args");
      ReadOperands(*args, *expr);
    }
  }
  const Json* kwargs = OptionalField(json, "kwargs");
  if (kwargs == nullptr) return expr;
  const Step step(*this, "kwargs");
  if (!CheckObject(*kwargs, "an object")) return expr;
  for (const auto& [name, value] : kwargs->items()) {
    const Step inner(*this, name.empty() ? "\"\"" : name);
    read_.insert(&value);
    expr->keywords.push_back({name, ReadExpr(value)});
  }
  return expr;
}

}  // namespace hologram::frontend
