#include "frontend/ast.h"

#include <algorithm>

namespace hologram::frontend {
namespace {

constexpr const char* kSymbols[] = {"+", "-",  "*",  "/", "//", "%", "**", "&",  "|",
                                    "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!="};

constexpr int kAtom = 20;

int PrecedenceOf(BinaryOp op) {
  switch (op) {
    case BinaryOp::kPow:
      return 12;
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kFloorDiv:
    case BinaryOp::kMod:
      return 10;
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return 9;
    case BinaryOp::kShl:
    case BinaryOp::kShr:
      return 8;
    case BinaryOp::kBitAnd:
      return 7;
    case BinaryOp::kBitXor:
      return 6;
    case BinaryOp::kBitOr:
      return 5;
    default:
      return 4;  // comparisons
  }
}

int PrecedenceOf(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kBinary:
      return PrecedenceOf(expr.binary);
    case ExprKind::kCompareChain:
      return 4;
    case ExprKind::kUnary:
      return expr.unary == UnaryOp::kNot ? 3 : 11;
    case ExprKind::kAnd:
      return 2;
    case ExprKind::kOr:
      return 1;
    case ExprKind::kIfExpr:
      return 0;
    case ExprKind::kLiteral:
      return expr.constant.AsDouble() < 0 ? 11 : kAtom;
    case ExprKind::kConvert:
      return expr.saturates ? kAtom : PrecedenceOf(*expr.operands[0]);
    default:
      return kAtom;
  }
}

std::string Operand(const Expr& expr, int least) {
  const std::string text = ToSource(expr);
  return PrecedenceOf(expr) < least ? "(" + text + ")" : text;
}

std::string Joined(const Expr& expr, const std::string& word, int least) {
  std::string text = Operand(*expr.operands[0], least);
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    text += word + Operand(*expr.operands[i], least);
  }
  return text;
}

std::string Called(const Expr& expr, const std::string& name) {
  std::string text = name + "(";
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    text += (i == 0 ? "" : ", ") + ToSource(*expr.operands[i]);
  }
  return text + ")";
}

}  // namespace

bool TypeVariable::Has(isa::Type type) const {
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::string TypeVariable::Choices() const {
  std::string text;
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0) text += i + 1 == types.size() ? " or " : ", ";
    text += isa::NameOf(types[i]);
  }
  return text;
}

const TypeVariable* Document::FindTypeVariable(const std::string& wanted) const {
  for (const TypeVariable& variable : type_variables) {
    if (variable.name == wanted) return &variable;
  }
  return nullptr;
}

std::string SymbolOf(BinaryOp op) {
  return kSymbols[static_cast<uint8_t>(op)];
}

std::string ToSource(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return ToString(expr.constant);
    case ExprKind::kVar:
      return expr.name;
    case ExprKind::kBinary: {
      const int level = PrecedenceOf(expr.binary);
      return Operand(*expr.operands[0], level) + " " + SymbolOf(expr.binary) + " " +
             Operand(*expr.operands[1], level + 1);
    }
    case ExprKind::kCompareChain: {
      std::string text = Operand(*expr.operands[0], 5);
      for (size_t i = 0; i < expr.chain.size(); ++i) {
        text += " " + SymbolOf(expr.chain[i]) + " " + Operand(*expr.operands[i + 1], 5);
      }
      return text;
    }
    case ExprKind::kAnd:
      return Joined(expr, " and ", 3);
    case ExprKind::kOr:
      return Joined(expr, " or ", 2);
    case ExprKind::kUnary: {
      constexpr const char* kWords[] = {"-", "+", "not ", "~"};
      const int least = expr.unary == UnaryOp::kNot ? 3 : 11;
      return kWords[static_cast<uint8_t>(expr.unary)] + Operand(*expr.operands[0], least);
    }
    case ExprKind::kIfExpr:
      return Operand(*expr.operands[1], 1) + " if " + Operand(*expr.operands[0], 1) + " else " +
             Operand(*expr.operands[2], 0);
    case ExprKind::kIndex:
    case ExprKind::kOldElement:
      if (!expr.text.empty()) return expr.text;
      return expr.name + "[" + (expr.operands.empty() ? "" : Joined(expr, ", ", 0)) + "]";
    case ExprKind::kShape:
      return expr.name + ".shape" +
             (expr.operands.empty() ? "" : "[" + ToSource(*expr.operands[0]) + "]");
    case ExprKind::kCall:
      return Called(expr, expr.name);
    case ExprKind::kInline:  // its arguments are in the statements
      return expr.inlined->name.substr(0, expr.inlined->name.find("__")) + "(...)";
    case ExprKind::kTuple:
      return Called(expr, "");
    case ExprKind::kConvert:
      if (!expr.saturates) return ToSource(*expr.operands[0]);
      return Called(expr, NameOf(expr.type));
  }
  return "";
}

}  // namespace hologram::frontend
