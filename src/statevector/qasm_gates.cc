#include "statevector/qasm_gates.h"

#include <algorithm>

namespace hologram::statevector {
namespace {

uint64_t Sum(uint64_t a, uint64_t b) {
  return std::min(a + b, kEndlessSteps);
}

}  // namespace

QasmGate NativeGate(const GateInfo& info) {
  QasmGate gate;
  gate.name = info.name;
  gate.native = &info;
  gate.parameters = info.parameters;
  gate.operands = OperandsOf(info);
  gate.operations = 1;
  gate.steps = 1 + gate.operands + gate.parameters;
  return gate;
}

void Append(QasmGate& definition, QasmCall call, const std::vector<QasmGate>& gates) {
  const QasmGate& callee = gates[call.gate];
  definition.operations = Sum(definition.operations, callee.operations);
  uint64_t steps = Sum(callee.steps, call.operands.size());
  for (const QasmExpression& expression : call.parameters) steps = Sum(steps, expression.size());
  definition.steps = Sum(definition.steps, steps);
  definition.depth = std::max(definition.depth, callee.depth + 1);
  definition.body.push_back(std::move(call));
}

std::optional<std::string> QasmExpansion::Apply(uint32_t gate, std::span<const double> parameters,
                                                std::span<const uint32_t> qubits,
                                                uint32_t condition) {
  const QasmGate& applied = gates[gate];
  if (applied.native != nullptr) {
    return ApplyNative(*applied.native, parameters, qubits, condition);
  }
  std::vector<double> values;
  std::vector<uint32_t> operands;
  for (const QasmCall& call : applied.body) {
    values.clear();
    for (const QasmExpression& expression : call.parameters) {
      values.push_back(ValueOf(expression, parameters, stack_));
    }
    operands.clear();
    for (uint8_t operand : call.operands) operands.push_back(qubits[operand]);
    if (auto error = Apply(call.gate, values, operands, condition)) {
      return "in " + applied.name + ": " + *error;
    }
  }
  return std::nullopt;
}

std::optional<std::string> QasmExpansion::ApplyNative(const GateInfo& info,
                                                      std::span<const double> parameters,
                                                      std::span<const uint32_t> qubits,
                                                      uint32_t condition) {
  Operation operation;
  operation.condition = condition;
  operation.gate = static_cast<uint8_t>(&info - AllGates().data());
  const uint32_t controls = info.controls + added_controls;
  for (uint32_t control : qubits.first(controls)) operation.controls |= uint32_t{1} << control;
  operation.target = static_cast<uint8_t>(qubits[controls]);
  if (info.base == GateBase::kSwap) {
    operation.kind = Operation::Kind::kSwap;
    operation.other = static_cast<uint8_t>(qubits.back());
  } else if (auto error = SetMatrix(info, parameters, operation)) {
    return error;
  }
  circuit_.operations.push_back(operation);
  return std::nullopt;
}

std::optional<std::string> QasmExpansion::SetMatrix(const GateInfo& info,
                                                    std::span<const double> parameters,
                                                    Operation& operation) {
  if (inverse) return SetInverse(info, parameters, operation);
  if (parameters.empty()) {
    const auto known = matrices_.find(info.base);
    if (known != matrices_.end()) {
      operation.matrix = known->second;
      return std::nullopt;
    }
  }
  const Result<Matrix> matrix = MatrixOf(info, parameters);
  if (!matrix.ok()) return matrix.errors()[0].message;
  operation.matrix = static_cast<uint32_t>(circuit_.matrices.size());
  circuit_.matrices.push_back(matrix.value());
  if (parameters.empty()) matrices_.emplace(info.base, operation.matrix);
  return std::nullopt;
}

std::optional<std::string> QasmExpansion::SetInverse(const GateInfo& info,
                                                     std::span<const double> parameters,
                                                     Operation& operation) {
  const Result<Matrix> matrix = MatrixOf(info, parameters);
  if (!matrix.ok()) return matrix.errors()[0].message;
  const Matrix& m = matrix.value();
  operation.matrix = static_cast<uint32_t>(circuit_.matrices.size());
  circuit_.matrices.push_back({std::conj(m[0]), std::conj(m[2]), std::conj(m[1]), std::conj(m[3])});
  return std::nullopt;
}

}  // namespace hologram::statevector
