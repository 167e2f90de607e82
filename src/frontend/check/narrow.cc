// Integers of arrays are added and multiplied in their own type, as NumPy does, and wrap there. One
// that becomes wider only then, as in `total += a[i] * b[i]` with a total of 64 bits, has lost what
// the wider type is for: that is right by the rules, hardly meant, and so a warning.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "frontend/check/checker.h"

namespace hologram::frontend {
namespace {

class NarrowWalk {
 public:
  NarrowWalk(size_t symbols, std::string file)
      : reporter_(std::move(file)), elements_(symbols, false) {}

  Diagnostics Run(const std::vector<Stmt>& body) {
    do {
      changed_ = false;
      Body(body);
    } while (changed_);
    reports_ = true;
    Body(body);
    return std::move(reporter_.errors());
  }

 private:
  void Body(const std::vector<Stmt>& body) {
    for (const Stmt& stmt : body) {
      for (const ExprPtr* part :
           {&stmt.target, &stmt.value, &stmt.condition, &stmt.start, &stmt.stop, &stmt.step}) {
        if (*part != nullptr) Look(**part);
      }
      if (stmt.kind == StmtKind::kAssign && stmt.symbol >= 0 && stmt.value != nullptr &&
          !elements_[static_cast<size_t>(stmt.symbol)] && IsOfElements(*stmt.value)) {
        elements_[static_cast<size_t>(stmt.symbol)] = changed_ = true;
      }
      Body(stmt.body);
      Body(stmt.else_body);
    }
  }

  void Look(const Expr& expr) {
    if (expr.inlined != nullptr) {
      if (expr.inlined->computes) return;  // of the library, which casts where it must
      Body(expr.inlined->arguments);
      Body(expr.inlined->body);
    }
    if (reports_ && expr.kind == ExprKind::kConvert && !expr.saturates && !expr.stated) {
      const Expr& operand = *expr.operands[0];
      if (IsWider(operand.type, expr.type)) Report(operand, expr.type);
    }
    for (const ExprPtr& operand : expr.operands) Look(*operand);
  }

  // Whether integers of `from` that did not wrap could be more than it holds in `to`.
  static bool IsWider(ValueType from, ValueType to) {
    if (!from.is_number() || !from.is_integer() || !to.is_number()) return false;
    return isa::SizeOf(to.number) > isa::SizeOf(from.number);
  }

  // An element of an array, or a sum or product of elements.
  bool IsOfElements(const Expr& expr) const {
    if (!expr.type.is_number() || !expr.type.is_integer()) return false;
    switch (expr.kind) {
      case ExprKind::kIndex:
        return true;
      case ExprKind::kVar:
        return expr.symbol >= 0 && elements_[static_cast<size_t>(expr.symbol)];
      case ExprKind::kBinary:
        return IsArithmetic(expr.binary) &&
               (IsOfElements(*expr.operands[0]) || IsOfElements(*expr.operands[1]));
      case ExprKind::kIfExpr:
        return IsOfElements(*expr.operands[1]) || IsOfElements(*expr.operands[2]);
      default:
        return false;
    }
  }

  static bool IsArithmetic(BinaryOp op) {
    return op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kMul;
  }

  void Report(const Expr& expr, ValueType to) {
    if (expr.kind == ExprKind::kIfExpr) {
      Report(*expr.operands[1], to);
      Report(*expr.operands[2], to);
    }
    if (expr.kind != ExprKind::kBinary || !IsArithmetic(expr.binary)) return;
    const Expr& left = *expr.operands[0];
    const Expr& right = *expr.operands[1];
    if (!IsOfElements(left) || !IsOfElements(right)) {
      Report(left, to);
      Report(right, to);
      return;
    }
    const std::string wide = NameOf(to);
    const std::string text = ToSource(expr);
    const std::string first = ToSource(left);
    const size_t end = text.starts_with(first) ? first.size() : first.size() + 2;  // in parentheses
    reporter_.Error(expr.at, text + " is computed in " + NameOf(expr.type) +
                                 ", may wrap there, and then becomes " + wide + "; write " + wide +
                                 "(" + first + ")" + text.substr(std::min(end, text.size())) +
                                 ", or " + wide + "(" + text + ") to mean that");
  }

  Reporter reporter_;
  std::vector<bool> elements_;  // locals that hold elements, or sums or products of them
  bool changed_ = false;
  bool reports_ = false;
};

}  // namespace

Diagnostics NarrowResults(const Kernel& kernel, const Symbols& symbols, const std::string& file) {
  return NarrowWalk(symbols.size(), file).Run(kernel.body);
}

}  // namespace hologram::frontend
