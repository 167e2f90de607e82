#include "statevector/gates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/quote.h"
#include "isa/value_text.h"
#include "math/evaluate.h"

namespace hologram::statevector {
namespace {

constexpr GateInfo kGates[] = {
    {"U", GateBase::kU3, 3, 0, true},       {"CX", GateBase::kX, 0, 1, true},
    {"id", GateBase::kId, 0, 0, false},     {"u0", GateBase::kId, 1, 0, false},
    {"u1", GateBase::kU1, 1, 0, false},     {"u2", GateBase::kU2, 2, 0, false},
    {"u3", GateBase::kU3, 3, 0, false},     {"u", GateBase::kU3, 3, 0, false},
    {"p", GateBase::kU1, 1, 0, false},      {"x", GateBase::kX, 0, 0, false},
    {"y", GateBase::kY, 0, 0, false},       {"z", GateBase::kZ, 0, 0, false},
    {"h", GateBase::kH, 0, 0, false},       {"s", GateBase::kS, 0, 0, false},
    {"sdg", GateBase::kSdg, 0, 0, false},   {"t", GateBase::kT, 0, 0, false},
    {"tdg", GateBase::kTdg, 0, 0, false},   {"sx", GateBase::kSx, 0, 0, false},
    {"sxdg", GateBase::kSxdg, 0, 0, false}, {"rx", GateBase::kRx, 1, 0, false},
    {"ry", GateBase::kRy, 1, 0, false},     {"rz", GateBase::kRz, 1, 0, false},
    {"cx", GateBase::kX, 0, 1, false},      {"cy", GateBase::kY, 0, 1, false},
    {"cz", GateBase::kZ, 0, 1, false},      {"ch", GateBase::kH, 0, 1, false},
    {"csx", GateBase::kSx, 0, 1, false},    {"crx", GateBase::kRx, 1, 1, false},
    {"cry", GateBase::kRy, 1, 1, false},    {"crz", GateBase::kRz, 1, 1, false},
    {"cu1", GateBase::kU1, 1, 1, false},    {"cp", GateBase::kU1, 1, 1, false},
    {"cu3", GateBase::kU3, 3, 1, false},    {"cu", GateBase::kCu, 4, 1, false},
    {"swap", GateBase::kSwap, 0, 0, false}, {"cswap", GateBase::kSwap, 0, 1, false},
    {"ccx", GateBase::kX, 0, 2, false},     {"c3x", GateBase::kX, 0, 3, false},
    {"c4x", GateBase::kX, 0, 4, false},     {"c3sqrtx", GateBase::kSx, 0, 3, false},
};

constexpr double kRoot = std::numbers::sqrt2 / 2;
constexpr Amplitude kI{0, 1};

Matrix RotationOf(double theta, double phi, double lambda, double gamma) {
  const Amplitude half = Turn(theta / 2);
  // Sums of larger angles are rounded by more than a matrix may be off; products of turns are not.
  constexpr double kExactSums = 1e5;
  if (std::abs(phi) + std::abs(lambda) + std::abs(gamma) > kExactSums) {
    const Amplitude all = Turn(gamma);
    return {half.real() * all, -half.imag() * (all * Turn(lambda)), half.imag() * (all * Turn(phi)),
            half.real() * (all * Turn(phi) * Turn(lambda))};
  }
  return {half.real() * Turn(gamma), -half.imag() * Turn(gamma + lambda),
          half.imag() * Turn(gamma + phi), half.real() * Turn(gamma + phi + lambda)};
}

}  // namespace

std::span<const GateInfo> AllGates() {
  return kGates;
}

const GateInfo* FindGate(std::string_view name) {
  for (const GateInfo& gate : kGates) {
    if (gate.name == name) return &gate;
  }
  return nullptr;
}

Amplitude Turn(double angle) {
  constexpr double kEighth = std::numbers::pi / 4;
  // Above it neighbouring multiples of pi/4 are no longer told from all other angles.
  constexpr double kMaxEighths = 1 << 20;
  const double eighths = std::nearbyint(angle / kEighth);
  if (std::abs(eighths) <= kMaxEighths && eighths * kEighth == angle) {
    constexpr double kCosines[8] = {1, kRoot, 0, -kRoot, -1, -kRoot, 0, kRoot};
    const size_t k = static_cast<size_t>(static_cast<int64_t>(eighths)) & 7;
    return {kCosines[k], kCosines[(k + 6) & 7]};
  }
  return {math::Evaluate(math::Function::kCos, angle), math::Evaluate(math::Function::kSin, angle)};
}

Result<Matrix> MatrixOf(const GateInfo& gate, std::span<const double> parameters) {
  HOLOGRAM_CHECK(parameters.size() == gate.parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (std::abs(parameters[i]) <= kMaxAngle) continue;
    return Error(ErrorCode::kInvalidArgument,
                 std::string(gate.name) + ": parameter " + std::to_string(i + 1) + " is " +
                     isa::ValueText(isa::Type::kF64, std::bit_cast<uint64_t>(parameters[i])) +
                     ", expected a number from -1e15 to 1e15");
  }
  const auto turned = [&] { return Turn(parameters[0] / 2); };
  switch (gate.base) {
    case GateBase::kX:
      return Matrix{0, 1, 1, 0};
    case GateBase::kY:
      return Matrix{0, -kI, kI, 0};
    case GateBase::kZ:
      return Matrix{1, 0, 0, -1};
    case GateBase::kH:
      return Matrix{kRoot, kRoot, kRoot, -kRoot};
    case GateBase::kS:
      return Matrix{1, 0, 0, kI};
    case GateBase::kSdg:
      return Matrix{1, 0, 0, -kI};
    case GateBase::kT:
      return Matrix{1, 0, 0, Amplitude(kRoot, kRoot)};
    case GateBase::kTdg:
      return Matrix{1, 0, 0, Amplitude(kRoot, -kRoot)};
    case GateBase::kSx:
      return Matrix{Amplitude(0.5, 0.5), Amplitude(0.5, -0.5), Amplitude(0.5, -0.5),
                    Amplitude(0.5, 0.5)};
    case GateBase::kSxdg:
      return Matrix{Amplitude(0.5, -0.5), Amplitude(0.5, 0.5), Amplitude(0.5, 0.5),
                    Amplitude(0.5, -0.5)};
    case GateBase::kRx: {
      const Amplitude half = turned();
      const Amplitude off(0, -half.imag());
      return Matrix{half.real(), off, off, half.real()};
    }
    case GateBase::kRy: {
      const Amplitude half = turned();
      return Matrix{half.real(), -half.imag(), half.imag(), half.real()};
    }
    case GateBase::kRz: {
      const Amplitude half = turned();
      return Matrix{std::conj(half), 0, 0, half};
    }
    case GateBase::kU1:
      return Matrix{1, 0, 0, Turn(parameters[0])};
    case GateBase::kU2:
      return RotationOf(std::numbers::pi / 2, parameters[0], parameters[1], 0);
    case GateBase::kU3:
      return RotationOf(parameters[0], parameters[1], parameters[2], 0);
    case GateBase::kCu:
      return RotationOf(parameters[0], parameters[1], parameters[2], parameters[3]);
    case GateBase::kId:
    case GateBase::kSwap:
      break;
  }
  return Matrix{1, 0, 0, 1};
}

Status ApplyGate(StateVector& state, std::string_view name, std::span<const double> parameters,
                 std::span<const uint32_t> qubits) {
  const GateInfo* gate = FindGate(name);
  if (gate == nullptr) return Error(ErrorCode::kInvalidArgument, "there is no gate " + Shown(name));
  if (parameters.size() != gate->parameters) {
    return Error(ErrorCode::kInvalidArgument, std::string(name) + " has " +
                                                  Counted(gate->parameters, "parameter") +
                                                  ", not " + std::to_string(parameters.size()));
  }
  if (qubits.size() != OperandsOf(*gate)) {
    return Error(ErrorCode::kInvalidArgument, std::string(name) + " acts on " +
                                                  Counted(OperandsOf(*gate), "qubit") + ", not " +
                                                  std::to_string(qubits.size()));
  }
  const std::span<const uint32_t> controls = qubits.first(gate->controls);
  const std::span<const uint32_t> targets = qubits.subspan(gate->controls);
  if (gate->base == GateBase::kSwap) return state.Swap(targets[0], targets[1], controls);
  HOLOGRAM_ASSIGN_OR_RETURN(const Matrix matrix, MatrixOf(*gate, parameters));
  return state.Apply(matrix, targets[0], controls);
}

}  // namespace hologram::statevector
