#include "statevector/qasm_expression.h"

#include <cmath>
#include <utility>

#include "math/evaluate.h"

namespace hologram::statevector {
namespace {

using math::Function;

constexpr std::pair<std::string_view, QasmOp> kFunctions[] = {
    {"sin", QasmOp::kSin}, {"cos", QasmOp::kCos}, {"tan", QasmOp::kTan},
    {"exp", QasmOp::kExp}, {"ln", QasmOp::kLn},   {"sqrt", QasmOp::kSqrt},
};

double Power(double base, double exponent) {
  constexpr double kMaxWhole = 1024;
  if (std::abs(exponent) > kMaxWhole || std::trunc(exponent) != exponent) {
    return math::Evaluate(Function::kPow, base, exponent);
  }
  double product = 1;
  double square = base;
  for (uint32_t n = static_cast<uint32_t>(std::abs(exponent)); n > 0; n /= 2) {
    if (n % 2 == 1) product *= square;
    square *= square;
  }
  return exponent < 0 ? 1 / product : product;
}

double Unary(QasmOp op, double x) {
  switch (op) {
    case QasmOp::kNegate:
      return -x;
    case QasmOp::kSin:
      return math::Evaluate(Function::kSin, x);
    case QasmOp::kCos:
      return math::Evaluate(Function::kCos, x);
    case QasmOp::kTan:
      return math::Evaluate(Function::kTan, x);
    case QasmOp::kExp:
      return math::Evaluate(Function::kExp, x);
    case QasmOp::kLn:
      return math::Evaluate(Function::kLog, x);
    default:
      return std::sqrt(x);
  }
}

double Binary(QasmOp op, double x, double y) {
  switch (op) {
    case QasmOp::kAdd:
      return x + y;
    case QasmOp::kSubtract:
      return x - y;
    case QasmOp::kMultiply:
      return x * y;
    case QasmOp::kDivide:
      return x / y;
    default:
      return Power(x, y);
  }
}

}  // namespace

QasmOp FunctionNamed(std::string_view name) {
  for (const auto& [known, op] : kFunctions) {
    if (known == name) return op;
  }
  return QasmOp::kNumber;
}

double ValueOf(std::span<const QasmNode> expression, std::span<const double> parameters,
               std::vector<double>& stack) {
  stack.clear();
  for (const QasmNode& node : expression) {
    if (node.op == QasmOp::kNumber) {
      stack.push_back(node.number);
    } else if (node.op == QasmOp::kParameter) {
      stack.push_back(parameters[node.parameter]);
    } else if (node.op >= QasmOp::kAdd && node.op <= QasmOp::kPower) {
      const double right = stack.back();
      stack.pop_back();
      stack.back() = Binary(node.op, stack.back(), right);
    } else {
      stack.back() = Unary(node.op, stack.back());
    }
  }
  return stack.back();
}

}  // namespace hologram::statevector
