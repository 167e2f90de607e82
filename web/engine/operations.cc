// Reductions and products of the package's operations: which launches they are is decided by the
// headers that the binding uses too.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <utility>

#include "capi/arguments.h"
#include "engine/library.h"
#include "engine/state.h"
#include "hologram/detail/product.hpp"
#include "hologram/detail/reduction.hpp"

// web/playground/library.js writes these.
static_assert(sizeof(hologram_web_reduction) == 64 &&
              offsetof(hologram_web_reduction, axes) == 24 &&
              offsetof(hologram_web_reduction, num_numbers) == 48);
static_assert(sizeof(hologram_web_steps) == 4 * 10 * 12 && sizeof(hologram_buffer_ref) == 16);

// What the headers know of a kernel.
struct hologram_kernel {
  const hologram::web::Kernel* kernel = nullptr;
  hologram_launch_plan plan{};
};

const hologram_launch_plan* hologram_kernel_plan(const hologram_kernel* kernel) {
  return &kernel->plan;
}
// The only thread does not end.
extern "C" int __cxa_thread_atexit(void (* /*destroy*/)(void*), void* /*object*/,
                                   void* /*module*/) {
  return 0;
}
// Nothing is recorded here.
void hologram_capture_scratch(const void* /*data*/, size_t /*size*/, int /*begins*/) {}

namespace hologram::web {
namespace {

// The kernels of one call, and its first error.
class Steps {
 public:
  explicit Steps(const hologram_web_steps& numbers) : numbers_(numbers) {}

  const hologram_kernel* Find(size_t step, uint32_t code) {
    hologram_kernel& found = found_[step][code];
    if (found.kernel != nullptr) return &found;
    found.kernel = FindKernel(numbers_.kernels[step][code], 0);
    if (found.kernel == nullptr) {
      Refuse("an operation lacks a kernel");
      return nullptr;
    }
    const isa::Program& program = found.kernel->signature();
    found.plan.num_parameters = static_cast<uint32_t>(program.NumArguments());
    for (size_t k = 0; k < program.NumArguments(); ++k) {
      const isa::Parameter& parameter = program.parameters[k];
      const bool written = parameter.is_buffer && parameter.direction != isa::Direction::kIn;
      found.plan.codes[k] =
          static_cast<uint8_t>(static_cast<uint32_t>(parameter.type) |
                               (parameter.is_buffer ? uint32_t{HOLOGRAM_ARGUMENT_BUFFER} : 0U) |
                               (written ? uint32_t{HOLOGRAM_ARGUMENT_WRITABLE} : 0U));
    }
    return &found;
  }

  bool Launch(const hologram_kernel* kernel, const hologram_argument* arguments, size_t count,
              const std::array<uint32_t, 3>& grid, uint32_t lanes) {
    capi::BoundArguments bound;
    Status status =
        capi::BindArguments(kernel->kernel->signature(), {arguments, count}, nullptr, bound);
    Kernel::Request request;
    request.shape.grid = grid;
    request.shape.block = {lanes, 1, 1};
    Kernel::Launched launched;
    if (status.ok()) {
      status = kernel->kernel->Launch(bound.buffers(), bound.scalars(), request, launched);
    }
    if (status.ok()) return true;
    if (errors_.empty()) errors_ = status.errors();
    return false;
  }

  bool Refuse(const char* what) {
    if (errors_.empty()) errors_ = {Error(ErrorCode::kInvalidArgument, what)};
    return false;
  }

  int32_t End(bool done) const { return done ? Give("") : Fail(errors_); }

 private:
  const hologram_web_steps& numbers_;
  std::array<std::array<hologram_kernel, 12>, 10> found_;
  Diagnostics errors_;
};

class Reductions final : public detail::ReductionKernels {
 public:
  Reductions(Steps& steps, bool finds_indices) : steps_(steps), finds_indices_(finds_indices) {}

  const hologram_kernel* find(detail::ReductionStep step, uint32_t code) override {
    return steps_.Find(static_cast<size_t>(step), code);
  }
  bool launch(const hologram_kernel* kernel, const hologram_argument* arguments, size_t count,
              const std::array<uint32_t, 3>& grid, uint32_t lanes) override {
    return steps_.Launch(kernel, arguments, count, grid, lanes);
  }
  bool refuse(const char* what) override { return steps_.Refuse(what); }
  bool finds_indices() const override { return finds_indices_; }

 private:
  Steps& steps_;
  const bool finds_indices_;
};

}  // namespace
}  // namespace hologram::web

using namespace hologram::web;  // NOLINT(google-build-using-namespace)
namespace detail = hologram::detail;

int32_t hologram_web_reduce(const hologram_web_steps* steps,
                            const hologram_web_reduction* reduction) {
  const hologram_web_reduction& given = *reduction;
  Steps found(*steps);
  Reductions kernels(found, given.finds_indices != 0);
  detail::Reduction reduced;
  reduced.x = {static_cast<char*>(given.x),  given.code,    detail::element_size(given.code),
               static_cast<int>(given.rank), given.extents, given.strides};
  reduced.y = static_cast<const char*>(given.y);
  std::copy(std::begin(given.numbers), std::end(given.numbers), reduced.numbers.begin());
  reduced.num_numbers = given.num_numbers;
  return found.End(detail::reduce(kernels, reduced, given.axes, static_cast<char*>(given.out)));
}

int32_t hologram_web_multiply(const hologram_web_steps* steps, const hologram_buffer_ref* matrices,
                              const uint32_t* numbers, uint32_t code) {
  Steps found(*steps);
  std::array<detail::ProductMemory, 3> memory;
  for (size_t k = 0; k < memory.size(); ++k) {
    memory[k] = {static_cast<char*>(matrices[k].data), matrices[k].bytes};
  }
  const detail::MatrixProduct product = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
                                         numbers[5], numbers[6], numbers[7], code};
  return found.End(detail::multiply(
      product, memory,
      [&](detail::ProductStep step) { return found.Find(static_cast<size_t>(step), code); },
      [&](const hologram_kernel* kernel, const hologram_argument* arguments, size_t count,
          const std::array<uint32_t, 3>& grid,
          uint32_t lanes) { return found.Launch(kernel, arguments, count, grid, lanes); }));
}
