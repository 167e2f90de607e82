#include "reduce.h"

namespace hologram::python {
namespace {

// Kernels of an operation, launched as Python's calls are.
class Runner final : public detail::ReductionKernels {
 public:
  Runner(const char* op, StepKernels& kernels) : op_(op), kernels_(kernels) {}

  const hologram_kernel* find(Step step, uint32_t code) override {
    return kernels_.Find(step, code);
  }
  bool launch(const hologram_kernel* kernel, const hologram_argument* arguments, size_t count,
              const std::array<uint32_t, 3>& grid, uint32_t lanes) override {
    return RunShaped(kernel, arguments, count, grid, {lanes, 1, 1});
  }
  bool refuse(const char* what) override { return Refuse(op_, what); }
  bool finds_indices() const override { return kernels_.finds_indices(); }

 private:
  const char* op_;
  StepKernels& kernels_;
};

}  // namespace

const char* NameOf(Step step) {
  return detail::reduction_steps[static_cast<size_t>(step)];
}

bool ResultCode(StepKernels& kernels, uint32_t code, uint32_t& result) {
  Runner runner("", kernels);
  return detail::result_code(runner, code, result);
}

bool Reduce(const char* op, StepKernels& kernels, const Reduced& reduced, uint64_t axes,
            char* out) {
  Runner runner(op, kernels);
  return detail::reduce(runner, reduced, axes, out);
}

}  // namespace hologram::python
