// What circuits do: gates, measurements and resets on registers, and the expressions of parameters.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "base/quote.h"
#include "statevector/qasm.h"
#include "statevector/qasm_parser.h"

namespace hologram::statevector {
namespace {

// Infinite for what is too large.
double ReadDouble(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  // Too large or too small: from_chars does not say which.
  if (read.ec == std::errc::result_out_of_range) {
    return std::strtod(std::string(text).c_str(), nullptr);
  }
  return value;
}

}  // namespace

bool QasmParser::FindGateNamed(const QasmToken& name, uint32_t& gate) {
  const auto found = symbols_.find(name.text);
  if (found == symbols_.end()) {
    std::string message = "there is no gate " + Shown(name.text);
    if (name.text == defining_) {
      message = "the definition of " + std::string(name.text) + " uses itself";
    } else if (!has_library_ && FindGate(name.text) != nullptr) {
      message += "; it is one of qelib1.inc: include \"qelib1.inc\";";
    }
    return Fail(name, std::move(message));
  }
  if (found->second.meaning != Meaning::kGate) {
    return Fail(name, Shown(name.text) + " is a register, expected a gate");
  }
  gate = found->second.index;
  return true;
}

bool QasmParser::CheckCounts(const QasmToken& name, uint32_t gate, size_t parameters,
                             size_t operands) {
  const QasmGate& called = expansion_.gates[gate];
  if (parameters != called.parameters) {
    return Fail(name, called.name + " has " + Counted(called.parameters, "parameter") + ", not " +
                          std::to_string(parameters));
  }
  if (operands != called.operands) {
    return Fail(name, called.name + " acts on " + Counted(called.operands, "qubit") + ", not " +
                          std::to_string(operands));
  }
  return true;
}

// Everything is counted before it is expanded.
bool QasmParser::CheckRoom(const QasmToken& at, const std::string& what, uint64_t operations,
                           uint64_t steps) {
  const uint64_t before = circuit_.operations.size();
  if (operations > kMaxOperations - before) {
    const std::string figure = operations == kEndlessSteps
                                   ? "at least " + std::to_string(operations)
                                   : std::to_string(operations);
    return Fail(at,
                what + " stands for " + figure + (operations == 1 ? " operation" : " operations") +
                    " after " + std::to_string(before) + ", a circuit has at most " +
                    std::to_string(kMaxOperations),
                ErrorCode::kResourceLimit);
  }
  if (steps_ + steps > kMaxExpansionSteps) {
    return Fail(at,
                "expanding " + what + " takes " + std::to_string(steps) + " steps after " +
                    std::to_string(steps_) + ", a circuit has at most " +
                    std::to_string(kMaxExpansionSteps),
                ErrorCode::kResourceLimit);
  }
  steps_ += steps;
  return true;
}

bool QasmParser::ReadArgument(Meaning meaning, Argument& argument) {
  const bool is_quantum = meaning == Meaning::kQubits;
  argument = Argument{};
  argument.name = token_;
  if (token_.kind != QasmToken::Kind::kName) {
    return Fail(token_, std::string("expected a ") + (is_quantum ? "quantum" : "classical") +
                            " register, found " + Described(token_));
  }
  const auto found = symbols_.find(token_.text);
  if (found == symbols_.end()) return Fail(token_, "there is no register " + Shown(token_.text));
  argument.symbol = found->second;
  if (argument.symbol.meaning != meaning) {
    return Fail(token_, Shown(token_.text) + " is no " + (is_quantum ? "quantum" : "classical") +
                            " register");
  }
  if (!Advance() || !Is("[")) return !error_;
  if (!Advance()) return false;
  const QasmToken at = token_;
  uint64_t element = 0;
  if (!ExpectNumber("the number of an element", element)) return false;
  const uint32_t size = argument.symbol.size;
  if (element >= size) {
    return Fail(at, std::string(argument.name.text) + " has " + Counted(size, "element") +
                        ", from 0: there is no " + std::string(argument.name.text) + "[" +
                        std::to_string(element) + "]");
  }
  argument.is_whole = false;
  argument.element = static_cast<uint32_t>(element);
  return Expect("]");
}

bool QasmParser::ReadArguments(std::vector<Argument>& arguments) {
  while (true) {
    // A longer list is no list of different qubits.
    if (arguments.size() == kMaxQubits) {
      return Fail(token_, "more than " + std::to_string(kMaxQubits) + " qubits in a statement",
                  ErrorCode::kResourceLimit);
    }
    arguments.emplace_back();
    if (!ReadArgument(Meaning::kQubits, arguments.back())) return false;
    if (!Is(",")) return true;
    if (!Advance()) return false;
  }
}

std::string QasmParser::QubitName(uint32_t qubit) const {
  for (std::string_view name : qubit_registers_) {
    const Symbol& symbol = symbols_.at(name);
    if (qubit >= symbol.index && qubit - symbol.index < symbol.size) {
      return std::string(name) + "[" + std::to_string(qubit - symbol.index) + "]";
    }
  }
  return {};
}

bool QasmParser::QuantumOperation(uint32_t condition) {
  if (token_.text == "measure") return Measure(condition);
  if (token_.text == "reset") return Reset(condition);
  return Apply(condition);
}

bool QasmParser::Measure(uint32_t condition) {
  const QasmToken at = token_;
  Argument qubits;
  Argument bits;
  if (!Advance() || !ReadArgument(Meaning::kQubits, qubits) || !Expect("->") ||
      !ReadArgument(Meaning::kBits, bits)) {
    return false;
  }
  return AddMeasurements(at, qubits, bits, condition) && Expect(";");
}

bool QasmParser::AddMeasurements(const QasmToken& at, const Argument& qubits, const Argument& bits,
                                 uint32_t condition) {
  const uint32_t count = qubits.is_whole ? qubits.symbol.size : 1;
  const uint32_t room = bits.is_whole ? bits.symbol.size : 1;
  // In OpenQASM 3 a single qubit or bit is no register.
  const bool mixed = qubits.is_whole != bits.is_whole && !(is_version3_ && count == 1);
  if (count != room || mixed) {
    return Fail(at, "measure takes one qubit to one bit, or a register to one of its size: here " +
                        Counted(count, "qubit") + " to " + Counted(room, "bit"));
  }
  if (!CheckRoom(at, "measure", count, count)) return false;
  const uint32_t first_bit = circuit_.registers[bits.symbol.index].first + bits.element;
  for (uint32_t i = 0; i < count; ++i) {
    Operation operation;
    operation.kind = Operation::Kind::kMeasure;
    operation.target = static_cast<uint8_t>(qubits.symbol.index + qubits.element + i);
    operation.bit = static_cast<uint16_t>(first_bit + i);
    operation.condition = condition;
    circuit_.operations.push_back(operation);
  }
  return true;
}

bool QasmParser::Reset(uint32_t condition) {
  const QasmToken at = token_;
  Argument qubits;
  if (!Advance() || !ReadArgument(Meaning::kQubits, qubits)) return false;
  const uint32_t count = qubits.is_whole ? qubits.symbol.size : 1;
  if (!CheckRoom(at, "reset", count, count)) return false;
  for (uint32_t i = 0; i < count; ++i) {
    Operation operation;
    operation.kind = Operation::Kind::kReset;
    operation.target = static_cast<uint8_t>(qubits.symbol.index + qubits.element + i);
    operation.condition = condition;
    circuit_.operations.push_back(operation);
  }
  return Expect(";");
}

bool QasmParser::Apply(uint32_t condition) {
  const QasmToken name = token_;
  uint32_t gate = 0;
  std::vector<QasmExpression> parameters;
  std::vector<Argument> arguments;
  if (!FindGateNamed(name, gate) || !Advance() || !Parameters(nullptr, parameters) ||
      !ReadArguments(arguments) || !CheckCounts(name, gate, parameters.size(), arguments.size())) {
    return false;
  }
  return ApplyTo(name, gate, parameters, arguments, condition) && Expect(";");
}

// Whole registers have one size: the gate is applied to their first elements, then to the second
// ones and so on, together with the single qubits.
bool QasmParser::ApplyTo(const QasmToken& name, uint32_t gate,
                         const std::vector<QasmExpression>& parameters,
                         const std::vector<Argument>& arguments, uint32_t condition) {
  const Argument* whole = nullptr;
  for (const Argument& argument : arguments) {
    if (!argument.is_whole) continue;
    if (whole == nullptr) whole = &argument;
    if (argument.symbol.size != whole->symbol.size) {
      return Fail(argument.name, std::string(whole->name.text) + " has " +
                                     Counted(whole->symbol.size, "qubit") + ", " +
                                     std::string(argument.name.text) + " has " +
                                     std::to_string(argument.symbol.size));
    }
  }
  const uint32_t count = whole == nullptr ? 1 : whole->symbol.size;
  const QasmGate& called = expansion_.gates[gate];
  if (!CheckRoom(name, called.name, std::min(count * called.operations, kEndlessSteps),
                 std::min(count * called.steps, kEndlessSteps))) {
    return false;
  }
  std::vector<double> values;
  std::vector<double> stack;
  for (const QasmExpression& parameter : parameters) {
    values.push_back(ValueOf(parameter, {}, stack));
  }
  std::vector<uint32_t> qubits(arguments.size());
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t used = 0;
    for (size_t k = 0; k < arguments.size(); ++k) {
      qubits[k] = arguments[k].symbol.index + (arguments[k].is_whole ? i : arguments[k].element);
      const uint32_t bit = uint32_t{1} << qubits[k];
      if ((used & bit) != 0) {
        return Fail(arguments[k].name, std::string(name.text) + " needs different qubits, " +
                                           QubitName(qubits[k]) + " is given twice");
      }
      used |= bit;
    }
    if (auto error = expansion_.Apply(gate, values, qubits, condition)) return Fail(name, *error);
  }
  return true;
}

bool QasmParser::Parameters(const Scope* scope, std::vector<QasmExpression>& parameters) {
  if (!Is("(")) return true;
  if (!Advance()) return false;
  while (!Is(")")) {
    if (!parameters.empty() && !Expect(",")) return false;
    parameters.emplace_back();
    if (!Expression(scope, 0, parameters.back())) return false;
    steps_ += parameters.back().size();
  }
  return Advance();
}

// Operators that bind at least as tightly as `power`.
bool QasmParser::Expression(const Scope* scope, int power, QasmExpression& expression) {
  struct Binary {
    char symbol;
    QasmOp op;
    int power;
    int right;  // what its right side binds at least
  };
  constexpr Binary kBinary[] = {{'+', QasmOp::kAdd, 1, 2},
                                {'-', QasmOp::kSubtract, 1, 2},
                                {'*', QasmOp::kMultiply, 3, 4},
                                {'/', QasmOp::kDivide, 3, 4},
                                {'^', QasmOp::kPower, 6, 6}};
  if (++nesting_ > kMaxQasmNesting) {
    return Fail(
        token_,
        "the expression is nested more than " + std::to_string(kMaxQasmNesting) + " levels deep",
        ErrorCode::kResourceLimit);
  }
  if (!Operand(scope, expression)) return false;
  while (token_.kind == QasmToken::Kind::kSymbol) {
    const Binary* found = std::find_if(
        std::begin(kBinary), std::end(kBinary),
        [&](const Binary& binary) { return token_.text == std::string_view(&binary.symbol, 1); });
    if (found == std::end(kBinary) || found->power < power) break;
    if (!Advance() || !Expression(scope, found->right, expression)) return false;
    expression.push_back({found->op, 0, 0});
  }
  --nesting_;
  return true;
}

bool QasmParser::Operand(const Scope* scope, QasmExpression& expression) {
  constexpr int kUnaryMinus = 5;
  if (Is("-")) {
    if (!Advance() || !Expression(scope, kUnaryMinus, expression)) return false;
    expression.push_back({QasmOp::kNegate, 0, 0});
    return true;
  }
  if (Is("(")) return Advance() && Expression(scope, 0, expression) && Expect(")");
  if (token_.kind == QasmToken::Kind::kName) return NamedOperand(scope, expression);
  if (token_.kind != QasmToken::Kind::kInteger && token_.kind != QasmToken::Kind::kReal) {
    return Fail(token_, "expected a number, found " + Described(token_));
  }
  const double number = ReadDouble(token_.text);
  if (!std::isfinite(number)) {
    return Fail(token_, "the number " + Shown(token_.text) + " is too large");
  }
  expression.push_back({QasmOp::kNumber, 0, number});
  return Advance();
}

bool QasmParser::NamedOperand(const Scope* scope, QasmExpression& expression) {
  const QasmToken name = token_;
  if (name.text == "pi") {
    expression.push_back({QasmOp::kNumber, 0, std::numbers::pi});
    return Advance();
  }
  const QasmOp function = FunctionNamed(name.text);
  if (function != QasmOp::kNumber) {
    if (!Advance() || !Expect("(") || !Expression(scope, 0, expression) || !Expect(")")) {
      return false;
    }
    expression.push_back({function, 0, 0});
    return true;
  }
  if (scope != nullptr) {
    const auto found = std::find(scope->parameters.begin(), scope->parameters.end(), name.text);
    if (found != scope->parameters.end()) {
      const auto index = static_cast<uint32_t>(found - scope->parameters.begin());
      expression.push_back({QasmOp::kParameter, index, 0});
      return Advance();
    }
  }
  return Fail(name, Shown(name.text) + (scope == nullptr
                                            ? " is no number; there are pi, sin, cos, tan, exp, ln "
                                              "and sqrt"
                                            : " is no parameter of the gate"));
}

}  // namespace hologram::statevector
