// Circuits of qubits on a state vector, for the package in the page, on one thread.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/quote.h"
#include "engine/library.h"
#include "engine/state.h"
#include "statevector/amplitudes.h"
#include "statevector/drawing.h"
#include "statevector/qasm.h"
#include "statevector/run.h"
#include "statevector/team.h"

namespace hologram::statevector {

// There is one thread, and memory of the C library.
uint32_t Processors() {
  return 1;
}
struct Team::Threads {};
Team::Team(uint32_t /*threads*/) {}
Team::~Team() = default;
void Team::Run(const std::function<void(bool)>& work) {
  work(true);
}
void Team::Wait() {}

template <class Real>
Amplitudes<Real>::Amplitudes(size_t size)
    : data_(static_cast<std::complex<Real>*>(std::calloc(size, sizeof(std::complex<Real>)))),
      size_(size) {}
template <class Real>
Amplitudes<Real>::~Amplitudes() {
  std::free(data_);
}
template class Amplitudes<float>;
template class Amplitudes<double>;

}  // namespace hologram::statevector

namespace hologram::web {
namespace {

using statevector::Circuit;

struct Call {
  std::string_view name;
  uint64_t shots = 0;
  uint64_t seed = 0;
  bool is_single = false;
  bool fuse = true;
};

template <class Real>
std::string BytesOf(const std::complex<Real>* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size * sizeof(std::complex<Real>)};
}

Result<std::string> StateOf(const Circuit& circuit, const Call& call) {
  const statevector::EngineOptions options{.fuse = call.fuse};
  if (call.is_single) {
    HOLOGRAM_ASSIGN_OR_RETURN(const auto state, statevector::FinalStateSingle(circuit, options));
    return BytesOf(state.get(), state.size());
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const auto state, statevector::FinalState(circuit, options));
  return BytesOf(state.amplitudes().data(), state.amplitudes().size());
}

Result<std::vector<statevector::Count>> Counted(const Circuit& circuit, const Call& call) {
  return call.is_single ? statevector::CountShotsSingle(circuit, call.shots, call.seed)
                        : statevector::CountShots(circuit, call.shots, call.seed);
}

Result<std::string> CountsOf(const Circuit& circuit, const Call& call) {
  HOLOGRAM_ASSIGN_OR_RETURN(const auto counted, Counted(circuit, call));
  std::string list;
  for (const statevector::Count& count : counted) {
    list += (list.empty() ? "[" : ",[") + JsonString(statevector::TextOf(circuit, count.outcome)) +
            "," + std::to_string(count.shots) + "]";
  }
  return "[" + list + "]";
}

Result<std::string> Answer(const Circuit& circuit, const Call& call) {
  if (call.name == "state") return StateOf(circuit, call);
  if (call.name == "counts") return CountsOf(circuit, call);
  if (call.name == "svg" && call.shots == 0) {
    return statevector::ToSvg(statevector::DrawCircuit(circuit));
  }
  if (call.name == "svg") {
    HOLOGRAM_ASSIGN_OR_RETURN(const auto counted, Counted(circuit, call));
    return statevector::ToSvg(statevector::DrawHistogram(circuit, counted));
  }
  if (call.name == "sizes") {
    return "[" + std::to_string(circuit.qubits) + "," + std::to_string(circuit.bits) + "," +
           std::to_string(circuit.operations.size()) + "]";
  }
  return Error(ErrorCode::kUnsupported,
               "hologram.qsim in a page: there is no call " + Shown(call.name));
}

}  // namespace
}  // namespace hologram::web

using namespace hologram::web;  // NOLINT(google-build-using-namespace)

int32_t hologram_web_qsim(const char* name, size_t size, const char* text, size_t text_size,
                          const char* file, size_t file_size, uint32_t shots, uint32_t seed_low,
                          uint32_t seed_high, uint32_t is_single, uint32_t fuse) {
  const auto circuit =
      hologram::statevector::ParseQasm(std::string(text, text_size), std::string(file, file_size));
  if (!circuit.ok()) return Fail(circuit.errors());
  const uint64_t seed = uint64_t{seed_high} << 32 | seed_low;
  return GiveOrFail(
      Answer(circuit.value(), {{name, size}, shots, seed, is_single != 0, fuse != 0}));
}
