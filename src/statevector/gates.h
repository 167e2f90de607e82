// The gates that have names: those of OpenQASM 2.0 and of its library qelib1.inc that are a matrix
// of one qubit, or a swap, under any number of controls. One table lists their names, parameters
// and operands. Tested by tests/statevector/gates_test.cc.
//
// Angles are in radians. The sine and cosine of an angle that is k pi/4, rounded once from the
// double nearest to pi, are exactly 0, 1, -1 or the double nearest to +-sqrt(1/2); of others they
// are the canonical SIN and COS of the instruction set. So matrices have the same bits everywhere.
//
//   u3(t, p, l) = ( cos(t/2)            -e^(i l) sin(t/2)     )    rz(t) = ( e^(-i t/2)  0 )
//                 ( e^(i p) sin(t/2)     e^(i (p + l)) cos(t/2) )           ( 0           e^(i t/2)
//                 )
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "statevector/state_vector.h"

namespace hologram::statevector {

enum class GateBase : uint8_t {
  kId,
  kX,
  kY,
  kZ,
  kH,
  kS,
  kSdg,
  kT,
  kTdg,
  kSx,
  kSxdg,
  kRx,
  kRy,
  kRz,
  kU1,  // diag(1, e^(i l))
  kU2,  // u3(pi/2, p, l)
  kU3,
  kCu,  // e^(i g) u3(t, p, l)
  kSwap,
};

struct GateInfo {
  std::string_view name;
  GateBase base;
  uint8_t parameters;
  uint8_t controls;       // the first operands
  bool needs_no_library;  // U and CX
};

// Largest absolute value of an angle; the doubles of larger ones are too far apart to mean one.
inline constexpr double kMaxAngle = 1e15;

std::span<const GateInfo> AllGates();
// Null for an unknown name.
const GateInfo* FindGate(std::string_view name);

// How many qubits the gate takes: controls, and one or, for swaps, two targets.
constexpr uint32_t OperandsOf(const GateInfo& gate) {
  return uint32_t{gate.controls} + (gate.base == GateBase::kSwap ? 2U : 1U);
}

// The matrix of the gate's target; of a swap that of the identity. Errors (kInvalidArgument): an
// angle that is not a number or beyond kMaxAngle. REQUIRES: as many parameters as the gate has
Result<Matrix> MatrixOf(const GateInfo& gate, std::span<const double> parameters);

// Cosine and sine as one complex number, e^(i angle). REQUIRES: |angle| <= kMaxAngle
Amplitude Turn(double angle);

// Applies a gate by its name, the controls first: ApplyGate(state, "cx", {}, {control, target}).
// Errors (kInvalidArgument), after which the state is as it was: an unknown name, another number of
// parameters or qubits than the gate has, and those of MatrixOf and StateVector::Apply.
Status ApplyGate(StateVector& state, std::string_view name, std::span<const double> parameters,
                 std::span<const uint32_t> qubits);

}  // namespace hologram::statevector
