// The parser behind ParseQasm: recursive descent, one token ahead, the first mistake ends it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "statevector/circuit.h"
#include "statevector/qasm_gates.h"
#include "statevector/qasm_lexer.h"

namespace hologram::statevector {

// Functions that may meet a mistake return false then, and leave it in error_.
class QasmParser {
 public:
  QasmParser(std::string_view text, const std::string& file)
      : lexer_(text), file_(file), expansion_(circuit_) {}

  Result<Circuit> Parse();

 private:
  enum class Meaning : uint8_t { kQubits, kBits, kGate };
  struct Symbol {
    Meaning meaning = Meaning::kGate;
    uint32_t index = 0;  // of a gate or a classical register, the first of qubits
    uint32_t size = 0;   // of a register
    uint32_t line = 0;   // of the declaration; 0: built in
  };
  // A register or one element of it.
  struct Argument {
    QasmToken name;
    Symbol symbol;
    bool is_whole = true;
    uint32_t element = 0;
  };
  // Formal names of a definition; null outside of one.
  struct Scope {
    std::vector<std::string_view> parameters;
    std::vector<std::string_view> operands;
  };

  bool Fail(const QasmToken& at, std::string message, ErrorCode code = ErrorCode::kInvalidText);
  bool Advance();
  bool Is(std::string_view symbol) const;
  bool Expect(std::string_view symbol);
  bool ExpectName(const char* what, QasmToken& name);
  bool ExpectNumber(const char* what, uint64_t& number);

  bool Program();
  bool Version();
  bool Statement();
  bool Include();
  bool Library(const QasmToken& at);
  bool Declare(Meaning meaning);
  bool Register(Meaning meaning, const QasmToken& name, const QasmToken& at, uint64_t size);
  bool Define(const QasmToken& name, Symbol symbol);
  bool Definition();
  bool Names(std::vector<std::string_view>& names, const char* what, size_t limit);
  bool Body(QasmGate& definition, const Scope& scope);
  bool BodyCall(QasmGate& definition, const Scope& scope);
  bool FormalOperands(const Scope& scope, std::vector<uint8_t>& operands);
  bool Barrier();
  bool If();
  bool QuantumOperation(uint32_t condition);
  bool Measure(uint32_t condition);
  bool AddMeasurements(const QasmToken& at, const Argument& qubits, const Argument& bits,
                       uint32_t condition);
  bool Reset(uint32_t condition);
  bool Apply(uint32_t condition);
  bool ApplyTo(const QasmToken& name, uint32_t gate, const std::vector<QasmExpression>& parameters,
               const std::vector<Argument>& arguments, uint32_t condition);
  bool FindGateNamed(const QasmToken& name, uint32_t& gate);
  bool CheckCounts(const QasmToken& name, uint32_t gate, size_t parameters, size_t operands);
  bool CheckRoom(const QasmToken& at, const std::string& what, uint64_t operations, uint64_t steps);
  bool ReadArgument(Meaning meaning, Argument& argument);
  bool ReadArguments(std::vector<Argument>& arguments);
  std::string QubitName(uint32_t qubit) const;

  // OpenQASM 3: qasm3.cc.
  bool StandardGates(const QasmToken& at);
  bool Statement3();
  bool Declare3(Meaning meaning);
  bool Assign(uint32_t condition);
  bool Modified(uint32_t condition);
  bool Conditioned(uint32_t condition);
  bool ConditionedStatement(uint32_t condition);

  bool Parameters(const Scope* scope, std::vector<QasmExpression>& parameters);
  bool Expression(const Scope* scope, int power, QasmExpression& expression);
  bool Operand(const Scope* scope, QasmExpression& expression);
  bool NamedOperand(const Scope* scope, QasmExpression& expression);

  QasmLexer lexer_;
  std::string file_;
  QasmToken token_;
  std::optional<Diagnostic> error_;
  Circuit circuit_;
  QasmExpansion expansion_;
  // Keys are text of the file, of the library or of the table of gates.
  std::unordered_map<std::string_view, Symbol> symbols_;
  std::vector<std::string_view> qubit_registers_;
  std::string_view defining_;  // the gate whose definition is read
  uint32_t nesting_ = 0;
  uint64_t steps_ = 0;
  bool has_library_ = false;
  bool is_version3_ = false;
};

}  // namespace hologram::statevector
