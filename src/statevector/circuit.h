// A circuit of operations on qubits and classical bits, with all names, registers and definitions
// resolved: what qasm.h makes of a file and run.h executes. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "statevector/state_vector.h"

namespace hologram::statevector {

// Classical bits of all registers together.
inline constexpr uint32_t kMaxClassicalBits = 256;
inline constexpr uint32_t kMaxRegisterBits = 64;
// Operations of a circuit, definitions expanded.
inline constexpr uint64_t kMaxOperations = 1'000'000;

struct ClassicalRegister {
  std::string name;
  uint32_t first = 0;  // of the classical bits of the circuit
  uint32_t size = 0;
};

// The operation happens if the register has this value.
struct Condition {
  uint32_t which = 0;  // of Circuit::registers
  uint64_t value = 0;
};

inline constexpr uint32_t kUnconditional = UINT32_MAX;

struct Operation {
  enum class Kind : uint8_t { kMatrix, kSwap, kMeasure, kReset };
  Kind kind = Kind::kMatrix;
  uint8_t target = 0;
  uint8_t other = 0;                    // of kSwap
  uint8_t gate = 0;                     // of kMatrix and kSwap: its number in AllGates()
  uint16_t bit = 0;                     // of kMeasure: the classical bit
  uint32_t controls = 0;                // a bit for each qubit
  uint32_t matrix = 0;                  // of Circuit::matrices
  uint32_t condition = kUnconditional;  // else of Circuit::conditions
};

struct Circuit {
  uint32_t qubits = 0;
  uint32_t bits = 0;
  std::vector<ClassicalRegister> registers;  // in the order of their declarations
  std::vector<Operation> operations;
  std::vector<Matrix> matrices;
  std::vector<Condition> conditions;
};

}  // namespace hologram::statevector
