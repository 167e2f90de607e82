#include "commands/qsim_kernels.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "commands/launching.h"
#include "commands/load.h"
#include "commands/report.h"
#include "launch/array_shape.h"
#include "statevector/amplitudes.h"
#include "statevector/lanes.h"

namespace hologram::tool {
namespace {

// A standard kernel and how it is launched.
class GateKernel {
 public:
  GateKernel(const std::string& name, uint32_t threads) {
    const KernelFile file = FileOrKernel(name, "");
    StepTimes times;
    kernel_ = Prepare(file.path, file.entry, std::nullopt, true, {}, times);
    config_.shape.caller = launch::Caller::kCommand;
    config_.threads = threads;
    config_.budget = uint64_t{1} << 62;
  }

  void Launch(const std::vector<hologram_buffer_ref>& buffers, uint32_t lanes) {
    const uint32_t block = std::min(lanes, 64U);
    config_.shape.grid = {lanes / block, 1, 1};
    config_.shape.block = {block, 1, 1};
    // The number of lanes, then the lengths of arrays that the kernel asks for.
    std::vector<uint64_t> scalars = {lanes};
    const isa::Program& program = kernel_->program();
    std::vector<launch::ArrayShape> shapes;
    for (size_t k = 0; k < buffers.size(); ++k) {
      const uint64_t size = isa::SizeOf(program.parameters[k].type);
      shapes.push_back(launch::ArrayShape::Contiguous(std::array{buffers[k].bytes / size}));
    }
    const std::vector<uint64_t> lengths = OrFail(launch::ShapeScalars(program, shapes));
    scalars.insert(scalars.end(), lengths.begin(), lengths.end());
    OrFail(kernel_->Launch(buffers, scalars, config_));
  }

 private:
  std::shared_ptr<const runtime::Kernel> kernel_;
  runtime::LaunchConfig config_;
};

template <class T>
hologram_buffer_ref Buffer(const std::vector<T>& numbers) {
  return {const_cast<T*>(numbers.data()), numbers.size() * sizeof(T)};
}

template <class Real>
hologram_buffer_ref Buffer(const statevector::Amplitudes<Real>& amplitudes) {
  return {amplitudes.get(), amplitudes.size() * sizeof(std::complex<Real>)};
}

template <class Real>
std::vector<statevector::Count> CountedIn(const statevector::Circuit& circuit, uint64_t shots,
                                          uint64_t seed, uint32_t threads) {
  const statevector::LanePlan plan = OrFail(statevector::PlanLanes(circuit));
  const std::string suffix = std::is_same_v<Real, float> ? "_f32" : "_f64";
  const uint32_t size = uint32_t{1} << circuit.qubits;
  statevector::Amplitudes<Real> state(size);
  statevector::Amplitudes<Real> spare(size);
  if (state.null() || spare.null()) {
    Fail(ErrorCode::kResourceLimit,
         "no memory for twice the amplitudes of " + std::to_string(circuit.qubits) + " qubits");
  }
  state[0] = 1;  // its real part, the first of all real parts
  GateKernel pass("gate_pass" + suffix, threads);
  for (const statevector::GateLaunch& launch : plan.launches) {
    const std::vector<Real> matrices(launch.matrices.begin(), launch.matrices.end());
    pass.Launch({Buffer(state), Buffer(spare), Buffer(launch.offsets), Buffer(launch.spread),
                 Buffer(launch.gates), Buffer(matrices)},
                launch.lanes);
    std::swap(state, spare);
  }
  GateKernel join("gate_join" + suffix, threads);
  join.Launch({Buffer(state), Buffer(plan.high), Buffer(plan.low), Buffer(spare)}, size);
  return OrFail(statevector::CountState<Real>(circuit, {spare.get(), spare.size()}, shots, seed));
}

}  // namespace

std::vector<statevector::Count> CountByKernels(const statevector::Circuit& circuit, uint64_t shots,
                                               uint64_t seed, bool single, uint32_t threads) {
  return single ? CountedIn<float>(circuit, shots, seed, threads)
                : CountedIn<double>(circuit, shots, seed, threads);
}

}  // namespace hologram::tool
