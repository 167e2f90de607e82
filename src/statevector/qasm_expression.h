// Expressions of OpenQASM 2.0: + - * / ^ and the unary minus, pi, numbers, sin cos tan exp ln sqrt,
// and the parameters of a gate definition. ^ binds tightest and to the right, then comes the unary
// minus, then * and /, then + and -: -2^2 is -4, 2^-1 is 0.5. Arithmetic is that of doubles; sin,
// cos, tan, exp, ln and ^ are the canonical functions of the instruction set (whole exponents up to
// 1024 multiply), so values have the same bits everywhere. Tested by
// tests/statevector/qasm_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hologram::statevector {

enum class QasmOp : uint8_t {
  kNumber,
  kParameter,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kNegate,
  kSin,
  kCos,
  kTan,
  kExp,
  kLn,
  kSqrt,
};

struct QasmNode {
  QasmOp op = QasmOp::kNumber;
  uint32_t parameter = 0;
  double number = 0;
};

// Operands before their operators.
using QasmExpression = std::vector<QasmNode>;

// kNumber for a name that is not a function.
QasmOp FunctionNamed(std::string_view name);

// REQUIRES: an expression of the parser, and all parameters that it has. `stack` is scratch memory.
double ValueOf(std::span<const QasmNode> expression, std::span<const double> parameters,
               std::vector<double>& stack);

}  // namespace hologram::statevector
