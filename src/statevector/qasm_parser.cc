// Statements and names; qasm_calls.cc has what is applied, with its arguments and expressions.
#include "statevector/qasm_parser.h"

#include <algorithm>
#include <charconv>

#include "base/quote.h"
#include "statevector/qasm.h"

namespace hologram::statevector {
namespace {

constexpr size_t kMaxParameters = 64;

constexpr std::string_view kKeywords[] = {
    "OPENQASM", "include", "qreg", "creg", "gate", "opaque", "measure", "reset", "barrier", "if",
    "pi",       "U",       "CX",   "sin",  "cos",  "tan",    "exp",     "ln",    "sqrt"};

// What qelib1.inc has besides the table of gates. The first two have a matrix of two qubits; of the
// others the library says that they are a controlled X up to the phases of single states.
constexpr std::string_view kLibrary =
    "gate rzz(theta) a,b { cx a,b; rz(theta) b; cx a,b; }"
    "gate rxx(theta) a,b { h a; h b; rzz(theta) a,b; h a; h b; }"
    "gate rccx a,b,c { h c; t c; cx b,c; tdg c; cx a,c; t c; cx b,c; tdg c; h c; }"
    "gate rc3x a,b,c,d { h d; t d; cx c,d; tdg d; h d; cx a,d; t d; cx b,d; tdg d; cx a,d; t d;"
    " cx b,d; tdg d; h d; t d; cx c,d; tdg d; h d; }";

bool IsKeyword(std::string_view name) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords);
}

}  // namespace

bool QasmParser::Fail(const QasmToken& at, std::string message, ErrorCode code) {
  if (!error_) error_ = Diagnostic{code, {file_, at.line, at.column}, std::move(message), nullptr};
  return false;
}

bool QasmParser::Advance() {
  std::string message;
  if (lexer_.Next(token_, message)) return true;
  return Fail(token_, std::move(message));
}

bool QasmParser::Is(std::string_view symbol) const {
  return token_.kind == QasmToken::Kind::kSymbol && token_.text == symbol;
}

bool QasmParser::Expect(std::string_view symbol) {
  if (Is(symbol)) return Advance();
  return Fail(token_, "expected '" + std::string(symbol) + "', found " + Described(token_));
}

// A name that the file may give.
bool QasmParser::ExpectName(const char* what, QasmToken& name) {
  if (token_.kind != QasmToken::Kind::kName) {
    return Fail(token_, "expected " + std::string(what) + ", found " + Described(token_));
  }
  if (IsKeyword(token_.text)) {
    return Fail(token_, Shown(token_.text) + " is a word of the language, expected " + what);
  }
  if (token_.text[0] < 'a' || token_.text[0] > 'z') {
    return Fail(token_, "a name begins with a lower-case letter, found " + Shown(token_.text));
  }
  name = token_;
  return Advance();
}

bool QasmParser::ExpectNumber(const char* what, uint64_t& number) {
  if (token_.kind != QasmToken::Kind::kInteger) {
    return Fail(token_, "expected " + std::string(what) + ", found " + Described(token_));
  }
  const char* end = token_.text.data() + token_.text.size();
  if (std::from_chars(token_.text.data(), end, number).ec != std::errc()) {
    return Fail(token_, "the number " + Shown(token_.text) + " is too large");
  }
  return Advance();
}

Result<Circuit> QasmParser::Parse() {
  for (const GateInfo& gate : AllGates()) {
    if (!gate.needs_no_library) continue;
    symbols_[gate.name] = {Meaning::kGate, static_cast<uint32_t>(expansion_.gates.size()), 0, 0};
    expansion_.gates.push_back(NativeGate(gate));
  }
  if (!Advance() || !Program()) return *error_;
  return std::move(circuit_);
}

bool QasmParser::Program() {
  if (!Version()) return false;
  while (token_.kind != QasmToken::Kind::kEnd) {
    if (!Statement()) return false;
  }
  return true;
}

bool QasmParser::Version() {
  if (token_.kind != QasmToken::Kind::kName || token_.text != "OPENQASM") {
    return Fail(token_, "expected OPENQASM 2.0; at the beginning, found " + Described(token_));
  }
  if (!Advance()) return false;
  is_version3_ = token_.text == "3" || token_.text == "3.0" || token_.text == "3.1";
  if (token_.text != "2.0" && !is_version3_) {
    return Fail(token_, "expected version 2.0 or 3.0 of OpenQASM, found " + Described(token_));
  }
  if (is_version3_) lexer_.set_version3();
  return Advance() && Expect(";");
}

bool QasmParser::Statement() {
  if (token_.kind != QasmToken::Kind::kName) {
    return Fail(token_, "expected a statement, found " + Described(token_));
  }
  if (token_.text == "include") return Include();
  if (token_.text == "qreg") return Declare(Meaning::kQubits);
  if (token_.text == "creg") return Declare(Meaning::kBits);
  if (token_.text == "gate") return Definition();
  if (token_.text == "barrier") return Barrier();
  if (token_.text == "if") return If();
  if (token_.text == "opaque") {
    return Fail(token_, "opaque is not supported: nothing says what such a gate does");
  }
  return is_version3_ ? Statement3() : QuantumOperation(kUnconditional);
}

bool QasmParser::Include() {
  if (!Advance()) return false;
  const QasmToken file = token_;
  if (file.kind != QasmToken::Kind::kString) {
    return Fail(file, "expected \"qelib1.inc\", found " + Described(file));
  }
  if (is_version3_ && file.text == "stdgates.inc") {
    if (has_library_) return Fail(file, "the gates are included already");
    return Advance() && StandardGates(file) && Expect(";");
  }
  if (file.text != "qelib1.inc") {
    return Fail(file,
                "cannot include " + Shown(file.text) + ": only \"qelib1.inc\", which is built in");
  }
  if (has_library_) return Fail(file, "qelib1.inc is included already");
  return Advance() && Library(file) && Expect(";");
}

// The gates of the table, then the definitions of kLibrary, which are read as if they stood here.
bool QasmParser::Library(const QasmToken& at) {
  has_library_ = true;
  for (const GateInfo& gate : AllGates()) {
    if (gate.needs_no_library) continue;
    QasmToken name = at;
    name.text = gate.name;
    const auto number = static_cast<uint32_t>(expansion_.gates.size());
    if (!Define(name, {Meaning::kGate, number, 0, 0})) return false;
    expansion_.gates.push_back(NativeGate(gate));
  }
  const QasmLexer rest = lexer_;
  const QasmToken next = token_;
  const uint64_t steps = steps_;
  lexer_ = QasmLexer(kLibrary);
  bool ok = Advance();
  while (ok && token_.kind != QasmToken::Kind::kEnd) ok = Definition();
  lexer_ = rest;
  token_ = next;
  steps_ = steps;
  if (ok) return true;
  // A name of the file is in the way; say so at the include.
  error_->where.line = at.line;
  error_->where.column = at.column;
  return false;
}

bool QasmParser::Define(const QasmToken& name, Symbol symbol) {
  const auto [at, is_new] = symbols_.emplace(name.text, symbol);
  if (is_new) return true;
  const uint32_t line = at->second.line;
  return Fail(name, Shown(name.text) + " is declared already, " +
                        (line == 0 ? "in qelib1.inc" : "in line " + std::to_string(line)));
}

bool QasmParser::Declare(Meaning meaning) {
  QasmToken name;
  if (!Advance() || !ExpectName("the name of a register", name) || !Expect("[")) return false;
  const QasmToken at = token_;
  uint64_t size = 0;
  if (!ExpectNumber("the size of the register", size)) return false;
  return Register(meaning, name, at, size) && Expect("]") && Expect(";");
}

// `at` is where the size is.
bool QasmParser::Register(Meaning meaning, const QasmToken& name, const QasmToken& at,
                          uint64_t size) {
  const bool is_quantum = meaning == Meaning::kQubits;
  uint32_t& all = is_quantum ? circuit_.qubits : circuit_.bits;
  const uint32_t most = is_quantum ? kMaxQubits : kMaxClassicalBits;
  if (size == 0) return Fail(at, "the register " + Shown(name.text) + " has no elements");
  if (!is_quantum && size > kMaxRegisterBits) {
    return Fail(at,
                "a classical register has at most " + std::to_string(kMaxRegisterBits) +
                    " bits, not " + std::to_string(size),
                ErrorCode::kResourceLimit);
  }
  if (size > most - all) {
    const std::string before =
        all == 0 ? "" : " with the " + std::to_string(all) + " declared before";
    return Fail(at,
                std::to_string(size) + (is_quantum ? " qubits" : " bits") + before +
                    " are too many, there may be " + std::to_string(most),
                ErrorCode::kResourceLimit);
  }
  const auto count = static_cast<uint32_t>(size);
  const uint32_t index = is_quantum ? all : static_cast<uint32_t>(circuit_.registers.size());
  if (!Define(name, {meaning, index, count, name.line})) return false;
  if (is_quantum) {
    qubit_registers_.push_back(name.text);
  } else {
    circuit_.registers.push_back({std::string(name.text), all, count});
  }
  all += count;
  return true;
}

// Names separated by commas, at least one.
bool QasmParser::Names(std::vector<std::string_view>& names, const char* what, size_t limit) {
  while (true) {
    QasmToken name;
    if (!ExpectName(what, name)) return false;
    if (std::find(names.begin(), names.end(), name.text) != names.end()) {
      return Fail(name, Shown(name.text) + " is named twice");
    }
    if (names.size() == limit) {
      return Fail(name, "more than " + std::to_string(limit) + " names of this kind in a gate",
                  ErrorCode::kResourceLimit);
    }
    names.push_back(name.text);
    if (!Is(",")) return true;
    if (!Advance()) return false;
  }
}

bool QasmParser::Definition() {
  if (token_.text != "gate") return Fail(token_, "expected gate, found " + Described(token_));
  QasmToken name;
  if (!Advance() || !ExpectName("the name of a gate", name)) return false;
  if (symbols_.contains(name.text)) return Define(name, {});
  Scope scope;
  if (Is("(")) {
    if (!Advance()) return false;
    if (!Is(")") && !Names(scope.parameters, "the name of a parameter", kMaxParameters)) {
      return false;
    }
    if (!Expect(")")) return false;
  }
  if (!Names(scope.operands, "the name of a qubit", kMaxQubits)) return false;
  QasmGate gate;
  gate.name = name.text;
  gate.parameters = static_cast<uint32_t>(scope.parameters.size());
  gate.operands = static_cast<uint32_t>(scope.operands.size());
  gate.steps = 1;
  defining_ = name.text;
  if (!Expect("{") || !Body(gate, scope)) return false;
  defining_ = {};
  const auto number = static_cast<uint32_t>(expansion_.gates.size());
  expansion_.gates.push_back(std::move(gate));
  const bool is_library =
      name.text.data() >= kLibrary.data() && name.text.data() < kLibrary.data() + kLibrary.size();
  return Define(name, {Meaning::kGate, number, 0, is_library ? 0 : name.line});
}

bool QasmParser::Body(QasmGate& definition, const Scope& scope) {
  while (!Is("}")) {
    if (token_.kind != QasmToken::Kind::kName) {
      return Fail(token_, "expected a gate or '}', found " + Described(token_));
    }
    if (token_.text == "barrier") {
      std::vector<uint8_t> operands;
      if (!Advance() || !FormalOperands(scope, operands) || !Expect(";")) return false;
      continue;
    }
    if (IsKeyword(token_.text) && token_.text != "U" && token_.text != "CX") {
      return Fail(token_,
                  "a gate is defined by gates and barriers alone, found " + Described(token_));
    }
    if (!BodyCall(definition, scope)) return false;
  }
  return Advance();
}

bool QasmParser::BodyCall(QasmGate& definition, const Scope& scope) {
  const QasmToken name = token_;
  QasmCall call;
  if (!FindGateNamed(name, call.gate) || !Advance() || !Parameters(&scope, call.parameters) ||
      !FormalOperands(scope, call.operands) ||
      !CheckCounts(name, call.gate, call.parameters.size(), call.operands.size())) {
    return false;
  }
  for (size_t i = 0; i < call.operands.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (call.operands[i] != call.operands[k]) continue;
      return Fail(name, std::string(name.text) + " needs different qubits, " +
                            std::string(scope.operands[call.operands[i]]) + " is given twice");
    }
  }
  Append(definition, std::move(call), expansion_.gates);
  if (definition.depth > kMaxQasmNesting) {
    return Fail(
        name,
        "definitions use definitions more than " + std::to_string(kMaxQasmNesting) + " levels deep",
        ErrorCode::kResourceLimit);
  }
  return Expect(";");
}

bool QasmParser::FormalOperands(const Scope& scope, std::vector<uint8_t>& operands) {
  while (true) {
    if (token_.kind != QasmToken::Kind::kName) {
      return Fail(token_, "expected a qubit of the gate, found " + Described(token_));
    }
    const auto found = std::find(scope.operands.begin(), scope.operands.end(), token_.text);
    if (found == scope.operands.end()) {
      return Fail(token_, "the gate has no qubit " + Shown(token_.text));
    }
    if (operands.size() == kMaxQubits) {
      return Fail(token_, "more than " + std::to_string(kMaxQubits) + " qubits in a statement",
                  ErrorCode::kResourceLimit);
    }
    operands.push_back(static_cast<uint8_t>(found - scope.operands.begin()));
    if (!Advance()) return false;
    if (!Is(",")) return true;
    if (!Advance()) return false;
  }
}

// A barrier orders what a device does; here everything is in order anyway.
bool QasmParser::Barrier() {
  std::vector<Argument> arguments;
  if (!Advance()) return false;
  if (is_version3_ && Is(";")) return Advance();  // of all qubits
  return ReadArguments(arguments) && Expect(";");
}

bool QasmParser::If() {
  Argument argument;
  if (!Advance() || !Expect("(")) return false;
  const QasmToken name = token_;
  if (!ReadArgument(Meaning::kBits, argument)) return false;
  if (!argument.is_whole) return Fail(name, "if compares a whole register, not one bit of it");
  if (!Expect("==")) return false;
  const QasmToken at = token_;
  uint64_t value = 0;
  if (!ExpectNumber("a number to compare with", value)) return false;
  const uint32_t size = argument.symbol.size;
  if (size < 64 && value >> size != 0) {
    return Fail(at, std::string(name.text) + " has " + std::to_string(size) +
                        (size == 1 ? " bit" : " bits") + " and is never " + std::to_string(value));
  }
  if (!Expect(")")) return false;
  if (is_version3_) {
    const auto condition = static_cast<uint32_t>(circuit_.conditions.size());
    circuit_.conditions.push_back({argument.symbol.index, value});
    return Conditioned(condition);
  }
  const bool is_operation = token_.kind == QasmToken::Kind::kName &&
                            (!IsKeyword(token_.text) || token_.text == "U" || token_.text == "CX" ||
                             token_.text == "measure" || token_.text == "reset");
  if (!is_operation) {
    return Fail(token_, "expected a gate, measure or reset behind if, found " + Described(token_));
  }
  const auto condition = static_cast<uint32_t>(circuit_.conditions.size());
  circuit_.conditions.push_back({argument.symbol.index, value});
  return QuantumOperation(condition);
}

Result<Circuit> ParseQasm(std::string_view text, const std::string& file) {
  if (text.size() > kMaxQasmBytes) {
    Diagnostic error = Error(ErrorCode::kResourceLimit,
                             "the file has " + std::to_string(text.size()) + " bytes, at most " +
                                 std::to_string(kMaxQasmBytes) + " are read");
    error.where.file = file;
    return error;
  }
  return QasmParser(text, file).Parse();
}

}  // namespace hologram::statevector
