// Gates of an OpenQASM file, those with a matrix and those defined by others, and how a call of one
// becomes operations. Part of the parser; tested with it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "statevector/circuit.h"
#include "statevector/gates.h"
#include "statevector/qasm_expression.h"

namespace hologram::statevector {

// One statement of a definition.
struct QasmCall {
  uint32_t gate = 0;
  std::vector<QasmExpression> parameters;
  std::vector<uint8_t> operands;  // of the definition
};

struct QasmGate {
  std::string name;
  const GateInfo* native = nullptr;  // null for a definition
  uint32_t parameters = 0;
  uint32_t operands = 0;
  std::vector<QasmCall> body;
  // Of one call; at most kEndlessSteps, which also means more.
  uint64_t operations = 0;
  uint64_t steps = 0;
  uint32_t depth = 0;
};

inline constexpr uint64_t kEndlessSteps = uint64_t{1} << 56;

QasmGate NativeGate(const GateInfo& info);
// Adds a statement to the body of a definition, and its cost. REQUIRES: call.gate is one of `gates`
void Append(QasmGate& definition, QasmCall call, const std::vector<QasmGate>& gates);

class QasmExpansion {
 public:
  explicit QasmExpansion(Circuit& circuit) : circuit_(circuit) {}

  // Of the next call, of a gate with a matrix: the first qubits are controls, the matrix is that of
  // the inverse.
  uint32_t added_controls = 0;
  bool inverse = false;
  std::vector<QasmGate> gates;  // by their numbers; a body uses lower numbers only

  // Appends the expansion of a call. Nothing, or the error of a parameter.
  // REQUIRES: the gate's numbers of parameters and qubits; the caller has looked at its cost.
  std::optional<std::string> Apply(uint32_t gate, std::span<const double> parameters,
                                   std::span<const uint32_t> qubits, uint32_t condition);

 private:
  std::optional<std::string> ApplyNative(const GateInfo& info, std::span<const double> parameters,
                                         std::span<const uint32_t> qubits, uint32_t condition);
  std::optional<std::string> SetMatrix(const GateInfo& info, std::span<const double> parameters,
                                       Operation& operation);
  std::optional<std::string> SetInverse(const GateInfo& info, std::span<const double> parameters,
                                        Operation& operation);

  Circuit& circuit_;
  std::map<GateBase, uint32_t> matrices_;  // of gates without parameters
  std::vector<double> stack_;
};

}  // namespace hologram::statevector
