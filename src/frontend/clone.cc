#include <algorithm>

#include "frontend/ast.h"

namespace hologram::frontend {
namespace {

ExprPtr CloneIfAny(const ExprPtr& expr) {
  return expr == nullptr ? nullptr : Clone(*expr);
}

Stmt Clone(const Stmt& stmt) {
  Stmt copy;
  copy.kind = stmt.kind;
  copy.at = stmt.at;
  copy.path = stmt.path;
  copy.op = stmt.op;
  copy.name = stmt.name;
  copy.declared = stmt.declared;
  copy.text = stmt.text;
  copy.texts = stmt.texts;
  copy.formats = stmt.formats;
  copy.target = CloneIfAny(stmt.target);
  copy.value = CloneIfAny(stmt.value);
  copy.condition = CloneIfAny(stmt.condition);
  copy.start = CloneIfAny(stmt.start);
  copy.stop = CloneIfAny(stmt.stop);
  copy.step = CloneIfAny(stmt.step);
  copy.reversed = stmt.reversed;
  copy.body = Clone(stmt.body);
  copy.else_body = Clone(stmt.else_body);
  return copy;
}

void Place(Expr& expr, Position at) {
  expr.at = at;
  if (expr.inlined != nullptr) {
    expr.inlined->at = at;
    hologram::frontend::Place(expr.inlined->arguments, at);
    hologram::frontend::Place(expr.inlined->body, at);
  }
  for (const ExprPtr& operand : expr.operands) Place(*operand, at);
  for (const Keyword& keyword : expr.keywords) Place(*keyword.value, at);
}

TreeSize SizeOf(const Expr& expr) {
  TreeSize size;
  for (const ExprPtr& operand : expr.operands) {
    const TreeSize inner = SizeOf(*operand);
    size.nodes += inner.nodes;
    size.depth = std::max(size.depth, inner.depth);
  }
  return {size.nodes + 1, size.depth + 1};
}

}  // namespace

ExprPtr Clone(const Expr& expr) {
  auto copy = std::make_unique<Expr>();
  copy->kind = expr.kind;
  copy->at = expr.at;
  copy->constant = expr.constant;
  copy->name = expr.name;
  copy->text = expr.text;
  copy->binary = expr.binary;
  copy->unary = expr.unary;
  copy->chain = expr.chain;
  copy->type = expr.type;
  for (const ExprPtr& operand : expr.operands) copy->operands.push_back(Clone(*operand));
  for (const Keyword& keyword : expr.keywords) {
    copy->keywords.push_back({keyword.name, Clone(*keyword.value)});
  }
  return copy;
}

std::vector<Stmt> Clone(const std::vector<Stmt>& body) {
  std::vector<Stmt> copy;
  copy.reserve(body.size());
  for (const Stmt& stmt : body) copy.push_back(Clone(stmt));
  return copy;
}

void Place(std::vector<Stmt>& body, Position at) {
  for (Stmt& stmt : body) {
    stmt.at = at;
    stmt.path.clear();
    for (ExprPtr* expr :
         {&stmt.target, &stmt.value, &stmt.condition, &stmt.start, &stmt.stop, &stmt.step}) {
      if (*expr != nullptr) Place(**expr, at);
    }
    Place(stmt.body, at);
    Place(stmt.else_body, at);
  }
}

TreeSize SizeOf(const std::vector<Stmt>& body) {
  TreeSize size;
  const auto add = [&size](TreeSize inner) {
    size.nodes += inner.nodes;
    size.depth = std::max(size.depth, inner.depth);
  };
  for (const Stmt& stmt : body) {
    for (const ExprPtr* expr :
         {&stmt.target, &stmt.value, &stmt.condition, &stmt.start, &stmt.stop, &stmt.step}) {
      if (*expr != nullptr) add(SizeOf(**expr));
    }
    add(SizeOf(stmt.body));
    add(SizeOf(stmt.else_body));
  }
  return {size.nodes + body.size(), size.depth + 1};
}

}  // namespace hologram::frontend
