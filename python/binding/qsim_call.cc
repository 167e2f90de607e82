#include "qsim_call.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "release_gil.h"
#include "statevector/drawing.h"
#include "statevector/lanes.h"
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

std::vector<std::pair<std::string, uint64_t>> TextsOf(
    const Circuit& circuit, const Result<std::vector<statevector::Count>>& counted) {
  if (!counted.ok()) Throw(counted.errors());
  std::vector<std::pair<std::string, uint64_t>> counts;
  for (const statevector::Count& count : counted.value()) {
    counts.emplace_back(statevector::TextOf(circuit, count.outcome), count.shots);
  }
  return counts;
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
  return TextsOf(circuit, counted);
}

// Offsets, spread, gates, matrices and lanes of a launch.
using Launched = std::tuple<std::vector<uint32_t>, std::vector<uint32_t>, std::vector<uint32_t>,
                            std::vector<double>, uint32_t>;

// The number of qubits, the launches of gate_pass, and high and low of gate_join.
std::tuple<uint32_t, std::vector<Launched>, std::vector<uint32_t>, std::vector<uint32_t>> LanesOf(
    const std::string& text, const std::string& file, bool fuse) {
  const Circuit circuit = Parsed(text, file);
  auto planned = statevector::PlanLanes(circuit, fuse);
  if (!planned.ok()) Throw(planned.errors());
  std::vector<Launched> launches;
  for (statevector::GateLaunch& launch : planned.value().launches) {
    launches.emplace_back(std::move(launch.offsets), std::move(launch.spread),
                          std::move(launch.gates), std::move(launch.matrices), launch.lanes);
  }
  return {circuit.qubits, std::move(launches), std::move(planned.value().high),
          std::move(planned.value().low)};
}

// The counts of a state that was computed elsewhere.
template <class Real>
std::vector<std::pair<std::string, uint64_t>> SampledFrom(
    const std::string& text,
    const nb::ndarray<const std::complex<Real>, nb::ndim<1>, nb::c_contig, nb::device::cpu>& state,
    uint64_t shots, uint64_t seed) {
  const Circuit circuit = Parsed(text, "");
  return TextsOf(circuit,
                 statevector::CountState<Real>(circuit, {state.data(), state.size()}, shots, seed));
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
  module.def("qsim_lanes", LanesOf);
  module.def("qsim_sample", SampledFrom<double>);
  module.def("qsim_sample_single", SampledFrom<float>);
  module.def("qsim_counts", CountsOf);
  module.def("qsim_svg", SvgOf);
  module.def("qsim_pixels", PixelsOf);
  module.def("qsim_sizes", SizesOf);
}

}  // namespace hologram::python
