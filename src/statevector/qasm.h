// OpenQASM 2.0 (A. Cross and others, arXiv:1707.03429): the text of a circuit. Strict: what the
// language does not have is an error with its place, and so is `opaque`, since it is undefined what
// such a gate does. docs/qsim.md describes what is accepted. Linear in the text and in the
// operations of the circuit, both of which are limited. Tested by tests/statevector and
// fuzz/qasm_fuzzer.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "statevector/circuit.h"

namespace hologram::statevector {

inline constexpr size_t kMaxQasmBytes = size_t{16} << 20;
// Parentheses, signs and powers of an expression inside of each other, and definitions that use
// definitions.
inline constexpr uint32_t kMaxQasmNesting = 256;
// Budget of expanding definitions: a step for each statement, operand and part of an
// expression.
inline constexpr uint64_t kMaxExpansionSteps = uint64_t{1} << 25;

// `file` is the name for messages. Errors: kInvalidText with file, line and column for what breaks
// a rule of the language; kResourceLimit for a limit of circuit.h or of this file, with a place
// too, except for a text that is too long.
Result<Circuit> ParseQasm(std::string_view text, const std::string& file);

}  // namespace hologram::statevector
