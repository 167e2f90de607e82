#include "qsim_call.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "release_gil.h"
#include "statevector/drawing.h"
#include "statevector/qasm.h"
#include "statevector/run.h"

namespace nb = nanobind;

namespace hologram::python {
namespace {

using statevector::Circuit;
using statevector::EngineOptions;

template <class Real>
using State = nb::ndarray<nb::numpy, std::complex<Real>, nb::ndim<1>>;

Circuit Parsed(const std::string& text, const std::string& file) {
  Result<Circuit> circuit = statevector::ParseQasm(text, file);
  if (!circuit.ok()) Throw(circuit.errors());
  return std::move(circuit).value();
}

// An array that owns `state`. `data` is where it has its amplitudes.
template <class Real, class Owner>
nb::object ArrayOf(Owner owner, const std::complex<Real>* data, size_t size) {
  auto* kept = new Owner(std::move(owner));
  const nb::capsule release(kept,
                            [](void* memory) noexcept { delete static_cast<Owner*>(memory); });
  return nb::cast(State<Real>(const_cast<std::complex<Real>*>(data), {size}, release));
}

nb::object FinalStateOf(const std::string& text, const std::string& file, bool single, bool fuse,
                        uint32_t threads) {
  const Circuit circuit = Parsed(text, file);
  const EngineOptions options{.fuse = fuse, .threads = threads};
  const auto released = [&](auto work) {
    const ReleaseGil release;
    return work(circuit, options);
  };
  if (single) {
    auto state = released(statevector::FinalStateSingle);
    if (!state.ok()) Throw(state.errors());
    const auto* data = state.value().get();
    const size_t size = state.value().size();
    return ArrayOf<float>(std::move(state).value(), data, size);
  }
  auto state = released(statevector::FinalState);
  if (!state.ok()) Throw(state.errors());
  const auto amplitudes = state.value().amplitudes();
  return ArrayOf<double>(std::move(state).value(), amplitudes.data(), amplitudes.size());
}

std::vector<std::pair<std::string, uint64_t>> CountsOf(const std::string& text,
                                                       const std::string& file, uint64_t shots,
                                                       uint64_t seed, bool single,
                                                       uint32_t threads) {
  const Circuit circuit = Parsed(text, file);
  const EngineOptions options{.threads = threads};
  const auto counted = [&] {
    const ReleaseGil release;
    return single ? statevector::CountShotsSingle(circuit, shots, seed, options)
                  : statevector::CountShots(circuit, shots, seed, options);
  }();
  if (!counted.ok()) Throw(counted.errors());
  std::vector<std::pair<std::string, uint64_t>> counts;
  for (const statevector::Count& count : counted.value()) {
    counts.emplace_back(statevector::TextOf(circuit, count.outcome), count.shots);
  }
  return counts;
}

using PlannedGate =
    std::tuple<int, uint32_t, uint32_t, bool, uint32_t, uint32_t, std::vector<double>>;
using PlannedPass = std::pair<uint32_t, std::vector<PlannedGate>>;

// The number of qubits, and for each pass those of its tile and its gates: kind, target, other,
// outside, controls, conditions and matrix of plan.h. All fit into tiles of `tile` qubits.
std::pair<uint32_t, std::vector<PlannedPass>> PlanOf(const std::string& text,
                                                     const std::string& file, bool fuse,
                                                     uint32_t most) {
  const Circuit circuit = Parsed(text, file);
  const uint32_t few = std::min(circuit.qubits, 2U);
  const uint32_t wide = circuit.qubits < 6 ? few : circuit.qubits - 4;
  auto planned = statevector::FinalPasses(
      circuit, {.fuse = fuse, .tile_bits = std::min(most, wide), .low = false});
  if (!planned.ok()) Throw(planned.errors());
  std::vector<PlannedPass> passes;
  for (const statevector::Pass& pass : planned.value()) {
    std::vector<PlannedGate> gates;
    for (const statevector::TileGate& gate : pass.gates) {
      gates.emplace_back(static_cast<int>(gate.kind), gate.target, gate.other, gate.outside,
                         gate.controls, gate.conditions,
                         std::vector<double>(gate.matrix, gate.matrix + 8));
    }
    passes.emplace_back(pass.qubits, std::move(gates));
  }
  return {circuit.qubits, std::move(passes)};
}

// The circuit, or the histogram of its shots if there are any.
statevector::Drawing DrawingOf(const std::string& text, const std::string& file, uint64_t shots,
                               uint64_t seed) {
  const Circuit circuit = Parsed(text, file);
  if (shots == 0) return statevector::DrawCircuit(circuit);
  const auto counted = [&] {
    const ReleaseGil release;
    return statevector::CountShots(circuit, shots, seed);
  }();
  if (!counted.ok()) Throw(counted.errors());
  return statevector::DrawHistogram(circuit, counted.value());
}

std::string SvgOf(const std::string& text, const std::string& file, uint64_t shots, uint64_t seed) {
  return statevector::ToSvg(DrawingOf(text, file, shots, seed));
}

// Width, height, and a byte for each pixel, row by row: 255 white, 0 black.
std::tuple<int32_t, int32_t, nb::bytes> PixelsOf(const std::string& text, const std::string& file,
                                                 uint64_t shots, uint64_t seed) {
  const statevector::Drawing drawing = DrawingOf(text, file, shots, seed);
  const std::vector<uint8_t> pixels = statevector::ToPixels(drawing);
  return {drawing.width, drawing.height, nb::bytes(pixels.data(), pixels.size())};
}

// The numbers of qubits, classical bits and operations.
std::tuple<uint32_t, uint32_t, size_t> SizesOf(const std::string& text, const std::string& file) {
  const Circuit circuit = Parsed(text, file);
  return {circuit.qubits, circuit.bits, circuit.operations.size()};
}

}  // namespace

void AddQsim(nb::module_& module) {
  module.def("qsim_state", FinalStateOf);
  module.def("qsim_plan", PlanOf);
  module.def("qsim_counts", CountsOf);
  module.def("qsim_svg", SvgOf);
  module.def("qsim_pixels", PixelsOf);
  module.def("qsim_sizes", SizesOf);
}

}  // namespace hologram::python
