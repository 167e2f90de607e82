#include "statevector/state_vector.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/value_text.h"

namespace hologram::statevector {
namespace {

constexpr double kUnitaryTolerance = 1e-9;

std::string NumberText(double number) {
  return isa::ValueText(isa::Type::kF64, std::bit_cast<uint64_t>(number));
}

// std::complex multiplies with a detour for infinities, which costs most of the time.
Amplitude Product(const Amplitude& a, const Amplitude& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

double Square(const Amplitude& a) {
  return a.real() * a.real() + a.imag() * a.imag();
}

bool IsUnitary(const Matrix& m) {
  const double first = Square(m[0]) + Square(m[2]);
  const double second = Square(m[1]) + Square(m[3]);
  const Amplitude mixed = Product(std::conj(m[0]), m[1]) + Product(std::conj(m[2]), m[3]);
  // Written so that NaN is not unitary.
  return std::abs(first - 1) < kUnitaryTolerance && std::abs(second - 1) < kUnitaryTolerance &&
         std::abs(mixed.real()) < kUnitaryTolerance && std::abs(mixed.imag()) < kUnitaryTolerance;
}

// Calls f with every index of `size` whose bits in `fixed` are 0, in order, in runs of neighbours:
// f(first, count).
template <class F>
void ForEachRun(size_t size, uint32_t fixed, F f) {
  const size_t run = fixed == 0 ? size : size_t{1} << std::countr_zero(fixed);
  // Adding to an index whose fixed bits are all 1 carries over them.
  for (size_t index = 0; index < size; index = ((index | fixed) + run) & ~size_t{fixed}) {
    f(index, run);
  }
}

// The pairs of amplitudes that differ in the bit of the target, where the controls are 1.
template <class F>
void ForEachPair(Amplitude* amplitudes, size_t size, uint32_t target, uint32_t controls, F f) {
  const size_t bit = size_t{1} << target;
  ForEachRun(size, controls | static_cast<uint32_t>(bit), [&](size_t first, size_t count) {
    Amplitude* zero = amplitudes + (first | controls);
    Amplitude* one = zero + bit;
    for (size_t i = 0; i < count; ++i) f(zero[i], one[i]);
  });
}

}  // namespace

Result<StateVector> StateVector::Create(uint32_t qubits) {
  if (qubits < 1 || qubits > kMaxQubits) {
    return Error(ErrorCode::kInvalidArgument, "a state vector has 1 to " +
                                                  std::to_string(kMaxQubits) + " qubits, not " +
                                                  std::to_string(qubits));
  }
  const size_t size = size_t{1} << qubits;
  Amplitudes<double> amplitudes(size);
  if (amplitudes.null()) {
    return Error(ErrorCode::kResourceLimit,
                 "no memory for the " + std::to_string(size) + " amplitudes of " +
                     std::to_string(qubits) + " qubits (" +
                     std::to_string(size * sizeof(Amplitude)) + " bytes)");
  }
  amplitudes[0] = 1;
  return StateVector(qubits, std::move(amplitudes));
}

Result<StateVector> StateVector::Copy() const {
  HOLOGRAM_ASSIGN_OR_RETURN(StateVector copy, Create(qubits_));
  copy.Assign(*this);
  return copy;
}

void StateVector::Assign(const StateVector& other) {
  HOLOGRAM_CHECK(qubits_ == other.qubits_);
  std::copy_n(other.amplitudes_.get(), size(), amplitudes_.get());
}

Result<uint32_t> StateVector::MaskOf(std::span<const uint32_t> qubits, uint32_t mask) const {
  for (uint32_t qubit : qubits) {
    if (qubit >= qubits_) {
      return Error(ErrorCode::kInvalidArgument, "qubit " + std::to_string(qubit) +
                                                    " does not exist: there are " +
                                                    std::to_string(qubits_) + ", from 0");
    }
    const uint32_t bit = uint32_t{1} << qubit;
    if ((mask & bit) != 0) {
      return Error(ErrorCode::kInvalidArgument, "a gate needs different qubits, qubit " +
                                                    std::to_string(qubit) + " is given twice");
    }
    mask |= bit;
  }
  return mask;
}

Status StateVector::Apply(const Matrix& m, uint32_t target, std::span<const uint32_t> controls) {
  HOLOGRAM_ASSIGN_OR_RETURN(const uint32_t bit, MaskOf({&target, 1}, 0));
  HOLOGRAM_ASSIGN_OR_RETURN(const uint32_t all, MaskOf(controls, bit));
  if (!IsUnitary(m)) {
    std::string entries;
    for (const Amplitude& entry : m) {
      entries += (entries.empty() ? "" : ", ") + NumberText(entry.real()) + " + " +
                 NumberText(entry.imag()) + "i";
    }
    return Error(ErrorCode::kInvalidArgument, "the matrix (" + entries + ") is not unitary");
  }
  const uint32_t mask = all & ~bit;
  Amplitude* a = amplitudes_.get();
  if (IsZero(m[1]) && IsZero(m[2])) {
    if (m[0] == Amplitude(1)) {
      if (m[3] == Amplitude(1)) return Success{};
      ForEachPair(a, size(), target, mask,
                  [&](Amplitude&, Amplitude& one) { one = Product(m[3], one); });
      return Success{};
    }
    ForEachPair(a, size(), target, mask, [&](Amplitude& zero, Amplitude& one) {
      zero = Product(m[0], zero);
      one = Product(m[3], one);
    });
    return Success{};
  }
  if (m == Matrix{0, 1, 1, 0}) {
    ForEachPair(a, size(), target, mask,
                [](Amplitude& zero, Amplitude& one) { std::swap(zero, one); });
    return Success{};
  }
  ForEachPair(a, size(), target, mask, [&](Amplitude& zero, Amplitude& one) {
    const Amplitude new_zero = Product(m[0], zero) + Product(m[1], one);
    one = Product(m[2], zero) + Product(m[3], one);
    zero = new_zero;
  });
  return Success{};
}

Status StateVector::Swap(uint32_t a, uint32_t b, std::span<const uint32_t> controls) {
  HOLOGRAM_ASSIGN_OR_RETURN(const uint32_t both, MaskOf(std::array{a, b}, 0));
  HOLOGRAM_ASSIGN_OR_RETURN(const uint32_t all, MaskOf(controls, both));
  const size_t mask = all & ~both;
  const size_t first_bit = size_t{1} << a;
  const size_t second_bit = size_t{1} << b;
  ForEachRun(size(), all, [&](size_t first, size_t count) {
    Amplitude* low = amplitudes_.get() + (first | mask | first_bit);
    Amplitude* high = amplitudes_.get() + (first | mask | second_bit);
    std::swap_ranges(low, low + count, high);
  });
  return Success{};
}

Status StateVector::ApplyOracle(const std::function<bool(uint64_t)>& function, uint32_t target) {
  HOLOGRAM_RETURN_IF_ERROR(MaskOf({&target, 1}, 0));
  const size_t bit = size_t{1} << target;
  for (size_t index = 0; index < size(); ++index) {
    if ((index & bit) == 0 && function(index)) {
      std::swap(amplitudes_[index], amplitudes_[index | bit]);
    }
  }
  return Success{};
}

std::array<double, 2> StateVector::Probabilities(uint32_t qubit) const {
  std::array<double, 2> sums{};
  ForEachPair(amplitudes_.get(), size(), qubit, 0,
              [&](const Amplitude& zero, const Amplitude& one) {
                sums[0] += Square(zero);
                sums[1] += Square(one);
              });
  return sums;
}

Result<double> StateVector::ProbabilityOfOne(uint32_t qubit) const {
  HOLOGRAM_RETURN_IF_ERROR(MaskOf({&qubit, 1}, 0));
  const std::array<double, 2> sums = Probabilities(qubit);
  return sums[1] / (sums[0] + sums[1]);
}

Result<bool> StateVector::Measure(uint32_t qubit, double uniform) {
  HOLOGRAM_RETURN_IF_ERROR(MaskOf({&qubit, 1}, 0));
  if (!(uniform >= 0 && uniform < 1)) {
    return Error(ErrorCode::kInvalidArgument,
                 "a random number in [0, 1) is needed, found " + NumberText(uniform));
  }
  const std::array<double, 2> sums = Probabilities(qubit);
  // What has no amplitude at all is never the result, whatever the rounding.
  const bool result = sums[1] != 0 && (sums[0] == 0 || uniform * (sums[0] + sums[1]) < sums[1]);
  const double scale = 1 / std::sqrt(sums[result ? 1 : 0]);
  ForEachPair(amplitudes_.get(), size(), qubit, 0, [&](Amplitude& zero, Amplitude& one) {
    zero = result ? Amplitude(0) : zero * scale;
    one = result ? one * scale : Amplitude(0);
  });
  return result;
}

Status StateVector::Reset(uint32_t qubit, double uniform) {
  HOLOGRAM_ASSIGN_OR_RETURN(const bool one, Measure(qubit, uniform));
  if (one) {
    ForEachPair(amplitudes_.get(), size(), qubit, 0,
                [](Amplitude& zero, Amplitude& other) { std::swap(zero, other); });
  }
  return Success{};
}

}  // namespace hologram::statevector
