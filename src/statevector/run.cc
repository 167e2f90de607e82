#include "statevector/run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "base/philox.h"

namespace hologram::statevector {
namespace {

using Kind = Operation::Kind;

// The qubits whose bits are set, without taking memory.
struct Qubits {
  explicit Qubits(uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      list[count++] = static_cast<uint32_t>(std::countr_zero(mask));
    }
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::span<const uint32_t>() const { return {list.data(), count}; }
  std::array<uint32_t, kMaxQubits> list{};
  size_t count = 0;
};

uint32_t TouchedBy(const Operation& operation) {
  uint32_t mask = operation.controls | uint32_t{1} << operation.target;
  if (operation.kind == Kind::kSwap) mask |= uint32_t{1} << operation.other;
  return mask;
}

bool IsUnitary(const Operation& operation) {
  return operation.kind == Kind::kMatrix || operation.kind == Kind::kSwap;
}

// The operations without resets of qubits that are 0 anyway, since nothing acted on them.
std::vector<Operation> WithoutIdleResets(const Circuit& circuit) {
  std::vector<Operation> kept;
  kept.reserve(circuit.operations.size());
  uint32_t used = 0;
  for (const Operation& operation : circuit.operations) {
    const uint32_t touched = TouchedBy(operation);
    if (operation.kind == Kind::kReset && (used & touched) == 0) continue;
    if (IsUnitary(operation)) used |= touched;
    kept.push_back(operation);
  }
  return kept;
}

bool MeasuresLast(const std::vector<Operation>& operations) {
  uint32_t measured = 0;
  for (const Operation& operation : operations) {
    if (operation.condition != kUnconditional || operation.kind == Kind::kReset) return false;
    const uint32_t touched = TouchedBy(operation);
    if (operation.kind == Kind::kMeasure) {
      measured |= touched;
    } else if ((measured & touched) != 0) {
      return false;
    }
  }
  return true;
}

// REQUIRES: IsUnitary(operation). The parser has checked the operands, the table the matrices.
void ApplyUnitary(const Circuit& circuit, const Operation& operation, StateVector& state) {
  const Qubits controls(operation.controls);
  const Status applied =
      operation.kind == Kind::kSwap
          ? state.Swap(operation.target, operation.other, controls)
          : state.Apply(circuit.matrices[operation.matrix], operation.target, controls);
  HOLOGRAM_CHECK(applied.ok());
}

// Those that are unitary, whatever they are conditioned on.
std::vector<Operation> UnitaryOnes(std::span<const Operation> operations) {
  std::vector<Operation> kept;
  std::copy_if(operations.begin(), operations.end(), std::back_inserter(kept), IsUnitary);
  return kept;
}

Diagnostic NoMemory(uint32_t qubits) {
  return Error(ErrorCode::kResourceLimit,
               "no memory for the " + std::to_string(uint64_t{1} << qubits) + " amplitudes of " +
                   std::to_string(qubits) + " qubits");
}

// The state that these operations make of all zeros, measurements left out.
template <class Real>
Result<Amplitudes<Real>> Computed(const Circuit& circuit, std::span<const Operation> operations,
                                  const EngineOptions& options) {
  Amplitudes<Real> state(size_t{1} << circuit.qubits);
  if (state.null()) return NoMemory(circuit.qubits);
  state[0] = 1;
  const std::vector<Operation> once = UnitaryOnes(operations);
  if (options.advance != nullptr) options.advance->all = once.size();
  ApplyOperations<Real>(state.get(), circuit.qubits, once, circuit.matrices, options);
  return state;
}

void SetBit(Outcome& outcome, uint32_t bit, bool value) {
  const uint64_t mask = uint64_t{1} << bit % 64;
  outcome[bit / 64] = value ? outcome[bit / 64] | mask : outcome[bit / 64] & ~mask;
}

bool GetBit(const Outcome& outcome, uint32_t bit) {
  return (outcome[bit / 64] >> bit % 64 & 1) != 0;
}

bool Holds(const Circuit& circuit, const Condition& condition, const Outcome& outcome) {
  const ClassicalRegister& reg = circuit.registers[condition.which];
  uint64_t value = 0;
  for (uint32_t i = 0; i < reg.size; ++i) {
    value |= uint64_t{GetBit(outcome, reg.first + i)} << i;
  }
  return value == condition.value;
}

// Outcomes of all shots from one state.
template <class Real>
std::vector<Outcome> Sample(std::span<const std::complex<Real>> amplitudes,
                            const std::vector<Operation>& operations, uint64_t shots,
                            uint64_t seed) {
  double total = 0;
  size_t last = 0;
  for (size_t i = 0; i < amplitudes.size(); ++i) {
    const double probability = std::norm(Amplitude(amplitudes[i]));
    total += probability;
    if (probability > 0) last = i;
  }
  std::vector<double> draws(shots);
  for (uint64_t shot = 0; shot < shots; ++shot) draws[shot] = PhiloxUniform(seed, 0, shot) * total;
  // Sorted, they meet the sums of probabilities on one way through the amplitudes.
  std::sort(draws.begin(), draws.end());
  std::vector<Outcome> outcomes;
  outcomes.reserve(shots);
  double sum = 0;
  size_t next = 0;
  for (size_t i = 0; i <= last && next < draws.size(); ++i) {
    sum += std::norm(Amplitude(amplitudes[i]));
    if (draws[next] >= sum && i != last) continue;
    Outcome outcome{};
    for (const Operation& operation : operations) {
      if (operation.kind != Kind::kMeasure) continue;
      SetBit(outcome, operation.bit, (i >> operation.target & 1) != 0);
    }
    for (; next < draws.size() && (draws[next] < sum || i == last); ++next) {
      outcomes.push_back(outcome);
    }
  }
  return outcomes;
}

Outcome RunShot(const Circuit& circuit, std::span<const Operation> operations, uint64_t seed,
                uint64_t shot, StateVector& state) {
  Outcome outcome{};
  uint64_t drawn = 0;
  for (const Operation& operation : operations) {
    if (operation.condition != kUnconditional &&
        !Holds(circuit, circuit.conditions[operation.condition], outcome)) {
      continue;
    }
    if (IsUnitary(operation)) {
      ApplyUnitary(circuit, operation, state);
      continue;
    }
    const double uniform = PhiloxUniform(seed, drawn++, shot);
    if (operation.kind == Kind::kReset) {
      HOLOGRAM_CHECK(state.Reset(operation.target, uniform).ok());
      continue;
    }
    const Result<bool> result = state.Measure(operation.target, uniform);
    HOLOGRAM_CHECK(result.ok());
    SetBit(outcome, operation.bit, result.value());
  }
  return outcome;
}

Status CheckVisits(const Circuit& circuit, uint64_t once, uint64_t each, uint64_t shots) {
  // Below 2^20 operations, 2^26 amplitudes and 2^20 shots: no overflow. A shot copies the state.
  const uint64_t visits = once + (each == 0 ? 0 : shots * (each + 1));
  if (visits <= kMaxVisits >> circuit.qubits) return Success{};
  return Error(ErrorCode::kResourceLimit, std::to_string(visits) + " operations on the " +
                                              std::to_string(uint64_t{1} << circuit.qubits) +
                                              " amplitudes of " + std::to_string(circuit.qubits) +
                                              " qubits are too many, there may be " +
                                              std::to_string(kMaxVisits >> circuit.qubits));
}

std::vector<Count> Counts(std::vector<Outcome> outcomes) {
  // As numbers, the highest bit first: the order of their texts.
  const auto is_less = [](const Outcome& a, const Outcome& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  };
  std::sort(outcomes.begin(), outcomes.end(), is_less);
  std::vector<Count> counts;
  for (const Outcome& outcome : outcomes) {
    if (counts.empty() || counts.back().outcome != outcome) counts.push_back({outcome, 0});
    ++counts.back().shots;
  }
  return counts;
}

Status CheckShots(const std::vector<Operation>& operations, uint64_t shots) {
  if (shots < 1 || shots > kMaxShots) {
    return Error(ErrorCode::kInvalidArgument, "expected 1 to " + std::to_string(kMaxShots) +
                                                  " shots, found " + std::to_string(shots));
  }
  const auto measures = [](const Operation& operation) { return operation.kind == Kind::kMeasure; };
  if (std::none_of(operations.begin(), operations.end(), measures)) {
    return Error(ErrorCode::kInvalidArgument,
                 "nothing is measured; write creg c[N]; and measure q -> c;");
  }
  return Success{};
}

// That the state is computed once for all shots. `what` is for circuits of which this is so.
Status CheckOnce(const Circuit& circuit, const std::vector<Operation>& operations, uint64_t shots,
                 const std::string& what) {
  HOLOGRAM_RETURN_IF_ERROR(CheckShots(operations, shots));
  if (!MeasuresLast(operations)) {
    return Error(ErrorCode::kUnsupported,
                 what +
                     " for circuits that are computed once for all shots; this one measures, "
                     "resets or decides on the way");
  }
  return CheckVisits(circuit, operations.size(), 0, shots);
}

// What can have one final state: no conditions, no resets of used qubits.
Status CheckFinal(const Circuit& circuit, const std::vector<Operation>& operations) {
  for (const Operation& operation : operations) {
    if (operation.condition != kUnconditional || operation.kind == Kind::kReset) {
      return Error(ErrorCode::kInvalidArgument,
                   "the circuit has a condition or resets a qubit that was used: there is no one "
                   "final state");
    }
  }
  return CheckVisits(circuit, operations.size(), 0, 1);
}

}  // namespace

bool MeasuresLast(const Circuit& circuit) {
  return MeasuresLast(WithoutIdleResets(circuit));
}

Result<std::vector<Count>> CountShots(const Circuit& circuit, uint64_t shots, uint64_t seed,
                                      const EngineOptions& options) {
  const std::vector<Operation> operations = WithoutIdleResets(circuit);
  HOLOGRAM_RETURN_IF_ERROR(CheckShots(operations, shots));
  const bool is_once = MeasuresLast(operations);
  const auto first = std::find_if(operations.begin(), operations.end(), [](const auto& operation) {
    return !IsUnitary(operation) || operation.condition != kUnconditional;
  });
  const auto before = static_cast<uint64_t>(first - operations.begin());
  const uint64_t rest = operations.size() - before;
  HOLOGRAM_RETURN_IF_ERROR(is_once ? CheckVisits(circuit, before + rest, 0, shots)
                                   : CheckVisits(circuit, before, rest, shots));
  HOLOGRAM_ASSIGN_OR_RETURN(StateVector state, StateVector::Create(circuit.qubits));
  const std::vector<Operation> once =
      UnitaryOnes({operations.begin(), is_once ? operations.end() : first});
  const Advance* const advance = options.advance;
  if (advance != nullptr) advance->all = once.size() + (is_once ? 0 : shots * (rest + 1));
  ApplyOperations<double>(state.mutable_amplitudes(), circuit.qubits, once, circuit.matrices,
                          options);
  if (is_once) return Counts(Sample<double>(state.amplitudes(), operations, shots, seed));
  HOLOGRAM_ASSIGN_OR_RETURN(StateVector run, state.Copy());
  std::vector<Outcome> outcomes;
  outcomes.reserve(shots);
  for (uint64_t shot = 0; shot < shots; ++shot) {
    run.Assign(state);
    outcomes.push_back(RunShot(circuit, {first, operations.end()}, seed, shot, run));
    if (advance != nullptr) advance->done.fetch_add(rest + 1, std::memory_order_relaxed);
  }
  return Counts(std::move(outcomes));
}

Result<std::vector<Count>> CountShotsSingle(const Circuit& circuit, uint64_t shots, uint64_t seed,
                                            const EngineOptions& options) {
  const std::vector<Operation> operations = WithoutIdleResets(circuit);
  HOLOGRAM_RETURN_IF_ERROR(CheckOnce(circuit, operations, shots, "single precision is"));
  HOLOGRAM_ASSIGN_OR_RETURN(const Amplitudes<float> state,
                            Computed<float>(circuit, operations, options));
  return Counts(Sample<float>({state.get(), state.size()}, operations, shots, seed));
}

template <class Real>
Result<std::vector<Count>> CountState(const Circuit& circuit,
                                      std::span<const std::complex<Real>> state, uint64_t shots,
                                      uint64_t seed) {
  const std::vector<Operation> operations = WithoutIdleResets(circuit);
  HOLOGRAM_RETURN_IF_ERROR(CheckOnce(circuit, operations, shots, "kernels are"));
  if (state.size() != size_t{1} << circuit.qubits) {
    return Error(ErrorCode::kInvalidArgument, "a state of another number of qubits");
  }
  return Counts(Sample<Real>(state, operations, shots, seed));
}
template Result<std::vector<Count>> CountState<double>(const Circuit&,
                                                       std::span<const std::complex<double>>,
                                                       uint64_t, uint64_t);
template Result<std::vector<Count>> CountState<float>(const Circuit&,
                                                      std::span<const std::complex<float>>,
                                                      uint64_t, uint64_t);

std::string TextOf(const Circuit& circuit, const Outcome& outcome) {
  std::string text;
  for (size_t r = circuit.registers.size(); r-- > 0;) {
    const ClassicalRegister& reg = circuit.registers[r];
    if (!text.empty()) text += ' ';
    for (uint32_t i = reg.size; i-- > 0;) text += GetBit(outcome, reg.first + i) ? '1' : '0';
  }
  return text;
}

Result<StateVector> FinalState(const Circuit& circuit, const EngineOptions& options) {
  const std::vector<Operation> operations = WithoutIdleResets(circuit);
  HOLOGRAM_RETURN_IF_ERROR(CheckFinal(circuit, operations));
  HOLOGRAM_ASSIGN_OR_RETURN(StateVector state, StateVector::Create(circuit.qubits));
  ApplyOperations<double>(state.mutable_amplitudes(), circuit.qubits, UnitaryOnes(operations),
                          circuit.matrices, options);
  return state;
}

Result<Amplitudes<float>> FinalStateSingle(const Circuit& circuit, const EngineOptions& options) {
  const std::vector<Operation> operations = WithoutIdleResets(circuit);
  HOLOGRAM_RETURN_IF_ERROR(CheckFinal(circuit, operations));
  return Computed<float>(circuit, operations, options);
}

Result<std::vector<Pass>> FinalPasses(const Circuit& circuit, const PlanOptions& options) {
  const std::vector<Operation> operations = WithoutIdleResets(circuit);
  HOLOGRAM_RETURN_IF_ERROR(CheckFinal(circuit, operations));
  return PlanPasses(circuit.qubits, UnitaryOnes(operations), circuit.matrices, options);
}

}  // namespace hologram::statevector
