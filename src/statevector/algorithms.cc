#include "statevector/algorithms.h"

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "isa/value_text.h"
#include "statevector/gates.h"

namespace hologram::statevector {
namespace {

struct Step {
  std::string_view name;
  std::vector<uint32_t> qubits;
};

Status ApplyAll(StateVector& state, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    HOLOGRAM_RETURN_IF_ERROR(ApplyGate(state, step.name, {}, step.qubits));
  }
  return Success{};
}

Result<StateVector> Entangled(uint32_t qubits) {
  if (qubits < 2) {
    return Error(ErrorCode::kInvalidArgument,
                 "an entangled state has at least 2 qubits, not " + std::to_string(qubits));
  }
  return StateVector::Create(qubits);
}

}  // namespace

Result<StateVector> BellState(Bell which) {
  HOLOGRAM_ASSIGN_OR_RETURN(StateVector state, Entangled(2));
  HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, {{"h", {0}}, {"cx", {0, 1}}}));
  if (which == Bell::kPsiPlus || which == Bell::kPsiMinus) {
    HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, {{"x", {1}}}));
  }
  if (which == Bell::kPhiMinus || which == Bell::kPsiMinus) {
    HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, {{"z", {1}}}));
  }
  return state;
}

Result<StateVector> GhzState(uint32_t qubits) {
  HOLOGRAM_ASSIGN_OR_RETURN(StateVector state, Entangled(qubits));
  HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, {{"h", {0}}}));
  for (uint32_t q = 1; q < qubits; ++q) {
    HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, {{"cx", {q - 1, q}}}));
  }
  return state;
}

// The 1 starts at qubit 0; at each qubit that part of it goes on which the qubits behind share.
Result<StateVector> WState(uint32_t qubits) {
  HOLOGRAM_ASSIGN_OR_RETURN(StateVector state, Entangled(qubits));
  HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, {{"x", {0}}}));
  for (uint32_t q = 0; q + 1 < qubits; ++q) {
    const double rest = qubits - q;
    const double stays = std::sqrt(1 / rest);
    const double goes = std::sqrt((rest - 1) / rest);
    HOLOGRAM_RETURN_IF_ERROR(state.Apply(Matrix{stays, -goes, goes, stays}, q + 1, std::array{q}));
    HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, {{"cx", {q + 1, q}}}));
  }
  return state;
}

Result<Promise> DeutschJozsa(uint32_t inputs, const std::function<bool(uint64_t)>& function) {
  if (inputs < 1 || inputs >= kMaxQubits) {
    return Error(ErrorCode::kInvalidArgument, "Deutsch-Jozsa has 1 to " +
                                                  std::to_string(kMaxQubits - 1) + " inputs, not " +
                                                  std::to_string(inputs));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(StateVector state, StateVector::Create(inputs + 1));
  std::vector<Step> hadamards;
  for (uint32_t q = 0; q < inputs; ++q) hadamards.push_back({"h", {q}});
  HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, {{"x", {inputs}}, {"h", {inputs}}}));
  HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, hadamards));
  HOLOGRAM_RETURN_IF_ERROR(state.ApplyOracle(function, inputs));
  HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, hadamards));
  HOLOGRAM_RETURN_IF_ERROR(ApplyAll(state, {{"h", {inputs}}, {"x", {inputs}}}));
  // Inputs and target are all 0 if and only if the function is constant.
  const double constant = std::norm(state.amplitudes()[0]);
  // Of n inputs, what is neither leaves at least 4^-(n - 1), and at most about 1 - 4 / 2^n: far
  // from rounding errors, which are about 1e-30 and 1e-15.
  if (constant < 1e-20) return Promise::kBalanced;
  if (constant > 1 - 1e-12) return Promise::kConstant;
  return Error(ErrorCode::kInvalidArgument,
               "the function is neither constant nor balanced: the answer is 'constant' with the "
               "probability " +
                   isa::ValueText(isa::Type::kF64, std::bit_cast<uint64_t>(constant)));
}

}  // namespace hologram::statevector
