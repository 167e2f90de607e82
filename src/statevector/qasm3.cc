// The common part of OpenQASM 3: declarations, assignments from measurements, modifiers of gates
// and blocks under a condition. All else is what version 2 has.
#include <algorithm>

#include "base/quote.h"
#include "statevector/qasm_parser.h"

namespace hologram::statevector {

namespace {

// What stdgates.inc calls otherwise than qelib1.inc.
struct Alias {
  std::string_view name, known;
};
constexpr Alias kAliases[] = {{"phase", "p"}, {"cphase", "cp"}};

constexpr std::string_view kRefused[] = {"const", "def",  "defcal",   "for",   "while",  "let",
                                         "int",   "uint", "float",    "angle", "array",  "input",
                                         "else",  "box",  "duration", "delay", "gphase", "output"};

}  // namespace

bool QasmParser::StandardGates(const QasmToken& at) {
  if (!Library(at)) return false;
  for (const Alias& alias : kAliases) {
    QasmToken name = at;
    name.text = alias.name;
    if (!Define(name, symbols_.at(alias.known))) return false;
  }
  return true;
}

bool QasmParser::Statement3() {
  const std::string_view word = token_.text;
  if (word == "qubit") return Declare3(Meaning::kQubits);
  if (word == "bit") return Declare3(Meaning::kBits);
  if (word == "ctrl" || word == "inv") return Modified(kUnconditional);
  if (std::find(std::begin(kRefused), std::end(kRefused), word) != std::end(kRefused)) {
    return Fail(token_, Shown(word) +
                            " is not supported; of OpenQASM 3 there are qubit, bit, gate, ctrl @, "
                            "inv @, measure, reset, barrier and if");
  }
  const auto found = symbols_.find(word);
  if (found != symbols_.end() && found->second.meaning == Meaning::kBits) {
    return Assign(kUnconditional);
  }
  return QuantumOperation(kUnconditional);
}

// qubit[3] q; or qubit q;
bool QasmParser::Declare3(Meaning meaning) {
  uint64_t size = 1;
  if (!Advance()) return false;
  QasmToken at = token_;
  if (Is("[")) {
    if (!Advance()) return false;
    at = token_;
    if (!ExpectNumber("the size of the register", size) || !Expect("]")) return false;
  }
  QasmToken name;
  return ExpectName("the name of a register", name) && Register(meaning, name, at, size) &&
         Expect(";");
}

// c = measure q; or c[0] = measure q[0];
bool QasmParser::Assign(uint32_t condition) {
  const QasmToken at = token_;
  Argument bits;
  Argument qubits;
  if (!ReadArgument(Meaning::kBits, bits) || !Expect("=")) return false;
  if (token_.text != "measure") {
    return Fail(token_, "expected measure, found " + Described(token_));
  }
  return Advance() && ReadArgument(Meaning::kQubits, qubits) &&
         AddMeasurements(at, qubits, bits, condition) && Expect(";");
}

// ctrl(2) @ inv @ s q[0], q[1], q[2];
bool QasmParser::Modified(uint32_t condition) {
  uint64_t controls = 0;
  bool inverse = false;
  while (token_.text == "ctrl" || token_.text == "inv") {
    uint64_t count = 1;
    const bool controlled = token_.text == "ctrl";
    if (!Advance()) return false;
    if (controlled && Is("(")) {
      const QasmToken at = token_;
      if (!Advance() || !ExpectNumber("a number of controls", count) || !Expect(")")) return false;
      if (count == 0 || count >= kMaxQubits) {
        return Fail(at, "ctrl takes 1 to " + std::to_string(kMaxQubits - 1) + " controls, not " +
                            std::to_string(count));
      }
    }
    if (!Expect("@")) return false;
    controls = controlled ? std::min<uint64_t>(controls + count, kMaxQubits) : controls;
    inverse = inverse != !controlled;
  }
  const QasmToken name = token_;
  uint32_t gate = 0;
  std::vector<QasmExpression> parameters;
  std::vector<Argument> arguments;
  if (name.kind != QasmToken::Kind::kName) {
    return Fail(name, "expected a gate, found " + Described(name));
  }
  if (!FindGateNamed(name, gate) || !Advance() || !Parameters(nullptr, parameters) ||
      !ReadArguments(arguments)) {
    return false;
  }
  const QasmGate& called = expansion_.gates[gate];
  if (called.native == nullptr) {
    return Fail(name, "ctrl and inv are for gates with a matrix, " + called.name +
                          " is made of other gates");
  }
  if (arguments.size() <= controls) {
    return Fail(name, called.name + " with " + Counted(controls, "added control") +
                          " acts on more than " + Counted(arguments.size(), "qubit"));
  }
  if (!CheckCounts(name, gate, parameters.size(), arguments.size() - controls)) return false;
  expansion_.added_controls = static_cast<uint32_t>(controls);
  expansion_.inverse = inverse;
  const bool applied = ApplyTo(name, gate, parameters, arguments, condition);
  expansion_.added_controls = 0;
  expansion_.inverse = false;
  return applied && Expect(";");
}

// Statements under a condition: one, or those between braces.
bool QasmParser::Conditioned(uint32_t condition) {
  if (!Is("{")) return ConditionedStatement(condition);
  if (!Advance()) return false;
  while (!Is("}")) {
    if (!ConditionedStatement(condition)) return false;
  }
  return Advance();
}

bool QasmParser::ConditionedStatement(uint32_t condition) {
  if (token_.kind != QasmToken::Kind::kName) {
    return Fail(token_, "expected a gate, measure or reset behind if, found " + Described(token_));
  }
  if (token_.text == "ctrl" || token_.text == "inv") return Modified(condition);
  const auto found = symbols_.find(token_.text);
  if (found != symbols_.end() && found->second.meaning == Meaning::kBits) return Assign(condition);
  return QuantumOperation(condition);
}

}  // namespace hologram::statevector
