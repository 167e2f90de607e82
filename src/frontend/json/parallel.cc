// The parallel statements: short forms of an element-wise loop over the lanes, and of a reduction
// that lane 0 makes in the order of the elements. They become the tree of
//
//   if get_global_id() < count:                     if get_global_id() == 0:
//       output[get_global_id()] = exp(input[...])       output[0] = 0
//                                                       for k in range(count): output[0] +=
//                                                       input[k]
#include <array>
#include <string_view>

#include "frontend/json/nodes.h"

namespace hologram::frontend {
namespace {

// A name that no source can have.
constexpr const char* kCounter = "parallel counter";

ExprPtr NewNode(ExprKind kind, Position at) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->at = at;
  return expr;
}

ExprPtr Call(const char* name, Position at, ExprPtr a = nullptr, ExprPtr b = nullptr) {
  ExprPtr expr = NewNode(ExprKind::kCall, at);
  expr->name = name;
  if (a != nullptr) expr->operands.push_back(std::move(a));
  if (b != nullptr) expr->operands.push_back(std::move(b));
  return expr;
}

ExprPtr Binary(BinaryOp op, ExprPtr a, ExprPtr b) {
  ExprPtr expr = NewNode(ExprKind::kBinary, a->at);
  expr->binary = op;
  expr->operands.push_back(std::move(a));
  expr->operands.push_back(std::move(b));
  return expr;
}

ExprPtr Index(const Expr& array, ExprPtr index) {
  ExprPtr expr = NewNode(ExprKind::kIndex, array.at);
  expr->name = array.name;
  expr->operands.push_back(std::move(index));
  return expr;
}

Stmt Store(ExprPtr target, ExprPtr value, Position at) {
  Stmt stmt;
  stmt.kind = StmtKind::kAssign;
  stmt.at = at;
  stmt.target = std::move(target);
  stmt.value = std::move(value);
  return stmt;
}

struct Operator {
  std::string_view name;
  BinaryOp op;
};
constexpr Operator kOperators[] = {{"add", BinaryOp::kAdd},    {"sub", BinaryOp::kSub},
                                   {"mul", BinaryOp::kMul},    {"div", BinaryOp::kDiv},
                                   {"pow", BinaryOp::kPow},    {"sum", BinaryOp::kAdd},
                                   {"product", BinaryOp::kMul}};
constexpr const char* kUnary[] = {"abs",   "neg",   "sqrt",       "exp",  "log",  "sin",
                                  "cos",   "tan",   "sigmoid",    "tanh", "relu", "ceil",
                                  "floor", "round", "reciprocal", "erf"};
constexpr const char* kBinary[] = {"add", "sub", "mul", "div", "pow", "min", "max", "atan2"};
constexpr const char* kReduce[] = {"sum", "product", "min", "max"};

ExprPtr ApplyUnary(const char* name, ExprPtr x) {
  const std::string_view op = name;
  const Position at = x->at;
  if (op == "neg") {
    ExprPtr expr = NewNode(ExprKind::kUnary, at);
    expr->unary = UnaryOp::kNeg;
    expr->operands.push_back(std::move(x));
    return expr;
  }
  if (op == "reciprocal") {
    return Binary(BinaryOp::kDiv, MakeLiteral(Constant::Int(1), at), std::move(x));
  }
  if (op == "relu") return Call("max", at, std::move(x), MakeLiteral(Constant::Int(0), at));
  return Call(name, at, std::move(x));
}

ExprPtr ApplyBinary(const char* name, ExprPtr a, ExprPtr b) {
  for (const Operator& op : kOperators) {
    if (op.name == name) return Binary(op.op, std::move(a), std::move(b));
  }
  const Position at = a->at;
  return Call(name, at, std::move(a), std::move(b));
}

}  // namespace

template <size_t N>
const char* Reader::ReadOperation(const Json& json, const char* const (&known)[N]) {
  const std::string name = Word(json, "operation");
  std::string names;
  for (const char* one : known) {
    if (name == one) return one;
    names += std::string(names.empty() ? "" : " ") + one;
  }
  const Step step(*this, "operation");
  if (!name.empty()) Fail("operation \"" + name + "\" is not known; there are: " + names);
  return known[0];
}

ExprPtr Reader::ReadArrayName(const Json& json, const char* name) {
  ExprPtr expr = ReadField(json, name);
  if (expr->kind != ExprKind::kVar) {
    const Step step(*this, name);
    Fail("expected the name of an array");
  }
  return expr;
}

bool Reader::ReadParallel(const std::string& type, const Json& json, Stmt& stmt) {
  const Position at = stmt.at;
  const auto id = [at] { return Call("get_global_id", at); };
  stmt.kind = StmtKind::kIf;
  if (type == "parallel_map_unary") {
    const char* operation = ReadOperation(json, kUnary);
    const ExprPtr input = ReadArrayName(json, "input");
    const ExprPtr output = ReadArrayName(json, "output");
    stmt.condition = Binary(BinaryOp::kLt, id(), ReadField(json, "count"));
    stmt.body.push_back(
        Store(Index(*output, id()), ApplyUnary(operation, Index(*input, id())), at));
  } else if (type == "parallel_map_binary") {
    const char* operation = ReadOperation(json, kBinary);
    const ExprPtr a = ReadArrayName(json, "input_a");
    const ExprPtr b = ReadArrayName(json, "input_b");
    const ExprPtr output = ReadArrayName(json, "output");
    stmt.condition = Binary(BinaryOp::kLt, id(), ReadField(json, "count"));
    stmt.body.push_back(
        Store(Index(*output, id()), ApplyBinary(operation, Index(*a, id()), Index(*b, id())), at));
  } else if (type == "parallel_reduce") {
    ReadReduce(json, stmt);
  } else {
    return false;
  }
  return true;
}

void Reader::ReadReduce(const Json& json, Stmt& stmt) {
  const Position at = stmt.at;
  const auto number = [at](int value) { return MakeLiteral(Constant::Int(value), at); };
  const char* operation = ReadOperation(json, kReduce);
  const std::string_view name = operation;
  const ExprPtr input = ReadArrayName(json, "input");
  const ExprPtr output = ReadArrayName(json, "output");
  // The least and the largest of nothing do not exist: they begin with the first element.
  const bool empty_is_known = name == "sum" || name == "product";
  stmt.condition = Binary(BinaryOp::kEq, Call("get_global_id", at), number(0));
  stmt.body.push_back(
      Store(Index(*output, number(0)),
            empty_is_known ? number(name == "sum" ? 0 : 1) : Index(*input, number(0)), at));
  Stmt loop;
  loop.kind = StmtKind::kFor;
  loop.at = at;
  loop.name = kCounter;
  loop.start = number(0);
  loop.stop = ReadField(json, "count");
  loop.step = number(1);
  ExprPtr counter = NewNode(ExprKind::kVar, at);
  counter->name = kCounter;
  loop.body.push_back(Store(
      Index(*output, number(0)),
      ApplyBinary(operation, Index(*output, number(0)), Index(*input, std::move(counter))), at));
  stmt.body.push_back(std::move(loop));
}

}  // namespace hologram::frontend
