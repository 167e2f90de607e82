#include "strided.h"

#include <algorithm>

#include "arrays.h"
#include "hologram/detail/launch.h"
#include "hologram/detail/layout.hpp"
#include "interrupt.h"
#include "kernel_fields.h"
#include "kernel_object.h"
#include "observe_call.h"

namespace hologram::python {
namespace {

using Axes = detail::Axes<kMostOperands>;
using Axis = detail::Axis<kMostOperands>;
static_assert(kMostRank <= detail::max_axes);

// Extents and strides are 32 bits in the kernels, strides with a sign.
constexpr int64_t kFurthest = INT32_MAX;
constexpr int64_t kMostFlat = int64_t{1} << 31;  // elements of one launch

// Dimension d of the output in all arrays; 0 for arrays that are repeated along it.
bool ReadAxis(const char* op, int d, Operands& operands, Axis& axis) {
  const Operand& out = operands.out();
  axis.extent = out.extents[d];
  for (size_t k = 0; k < operands.count; ++k) {
    const Operand& operand = operands.list[k];
    const int own = d - (out.rank - operand.rank);
    axis.strides[k] = 0;
    if (own < 0 || operand.extents[own] == 1) continue;
    axis.strides[k] = operand.strides[own] / static_cast<int64_t>(operand.size);
  }
  const int64_t step = axis.strides[operands.count - 1];
  if (step == 0) return Refuse(op, "'out' holds one element in several places");
  if (step > 0) return true;
  for (size_t k = 0; k < operands.count; ++k) {  // the other way round
    const int64_t way = (axis.extent - 1) * axis.strides[k];
    operands.list[k].data += way * static_cast<int64_t>(operands.list[k].size);
    axis.strides[k] = -axis.strides[k];
  }
  return true;
}

bool ReadAxes(const char* op, Operands& operands, Axes& axes) {
  const Operand& out = operands.out();
  for (int d = 0; d < out.rank; ++d) {
    if (out.extents[d] == 1) continue;
    if (!ReadAxis(op, d, operands, axes.list[axes.count++])) return false;
  }
  detail::merge(axes, operands.count);
  return true;
}

bool RunParts(Kernels& kernels, Operands& operands, int64_t count) {
  const hologram_kernel* kernel = kernels.Find(Form::kFlat);
  if (kernel == nullptr) return false;
  for (int64_t first = 0; first < count; first += kMostFlat) {
    const int64_t size = std::min(count - first, kMostFlat);
    std::array<hologram_buffer_ref, kMostOperands> buffers;
    for (size_t k = 0; k < operands.count; ++k) {
      const auto bytes = static_cast<int64_t>(operands.list[k].size);
      buffers[k] = {operands.list[k].data + first * bytes, static_cast<uint64_t>(size * bytes)};
    }
    operands.numbers[operands.num_numbers] = static_cast<uint64_t>(size);
    if (!RunFlat(kernel, buffers.data(), operands.numbers.data())) return false;
  }
  return true;
}

// Launches over the last three dimensions.
class Launcher {
 public:
  Launcher(const char* op, Kernels& kernels, const Operands& operands, const Axis* inner)
      : op_(op), kernels_(kernels), operands_(operands), inner_(inner) {}

  // What all launches have in common. False: a Python error is set.
  bool Prepare() {
    for (int d = 0; d < 3; ++d) {
      if (inner_[d].extent > kFurthest) return Refuse(op_, "an array has more than 2^31 rows");
    }
    for (size_t k = 0; k < operands_.count; ++k) {
      if (!Measure(k)) return false;
    }
    return true;
  }

  // Finds the kernel for such strides. False: as Kernels::Find.
  bool Choose(const std::array<int64_t, kMostOperands>& offsets) {
    Form form = Form::kStrided;
    const auto& last = inner_[2].strides;
    const size_t out = operands_.count - 1;
    if (kernels_.has_rows() && operands_.count == 3 && last[out] == 1 && inner_[2].extent > 1) {
      const bool forward = low_[0] == 0 && low_[1] == 0;
      if (forward && last[0] == 1 && last[1] == 1) form = Form::kRows;
      if (forward && last[0] == 1 && last[1] == 0) form = Form::kRowsLeft;
      if (forward && last[0] == 0 && last[1] == 1) form = Form::kRowsRight;
    }
    if (kernels_.has_rows() && IsInto(offsets)) form = Form::kInto;
    if (kernels_.has_transposed() && last[out] == 1 && inner_[1].strides[0] == 1 && last[0] > 1 &&
        low_[0] == 0 && !Overlap(offsets)) {
      form = Form::kTransposed;
    }
    is_rows_ = form != Form::kStrided && form != Form::kInto;
    first_operand_ = form == Form::kInto ? 1 : 0;
    if (kernel_ != nullptr && form == form_) return true;
    kernel_ = kernels_.Find(form);
    form_ = form;
    return kernel_ != nullptr;
  }

  bool Launch(const std::array<int64_t, kMostOperands>& offsets) {
    if (!Choose(offsets)) return false;
    if (form_ == Form::kTransposed) return LaunchTransposed(offsets);
    std::array<hologram_buffer_ref, kMostOperands> buffers;
    size_t num_buffers = 0;
    for (size_t k = first_operand_; k < operands_.count; ++k) {
      const auto size = static_cast<int64_t>(operands_.list[k].size);
      buffers[num_buffers++] = {operands_.list[k].data + (offsets[k] + low_[k]) * size,
                                static_cast<uint64_t>((high_[k] - low_[k] + 1) * size)};
    }
    std::array<uint64_t, 4 * kMostOperands + kMostNumbers + 3> scalars;
    size_t count = 0;
    for (size_t k = 0; k < operands_.num_numbers; ++k) scalars[count++] = operands_.numbers[k];
    for (int d = 0; d < 3; ++d) scalars[count++] = static_cast<uint64_t>(inner_[d].extent);
    const int places = is_rows_ ? 2 : 3;
    for (size_t k = first_operand_; k < operands_.count; ++k) {
      const bool any = !is_rows_ && k + 1 != operands_.count;
      if (any) scalars[count++] = static_cast<uint32_t>(-low_[k]);
      for (int d = 0; d < places; ++d) {
        scalars[count++] = static_cast<uint32_t>(inner_[d].strides[k]);
      }
    }
    const auto [columns, lanes] = detail::launch_width(static_cast<uint32_t>(inner_[2].extent));
    const hologram_launch_shape shape = {
        {columns, static_cast<uint32_t>(inner_[1].extent), static_cast<uint32_t>(inner_[0].extent)},
        {lanes, 1, 1}};
    return Succeeded(LaunchBound(kernel_, buffers.data(), scalars.data(), &shape));
  }

 private:
  // How far an array reaches before and behind its first element.
  bool Measure(size_t k) {
    for (int d = 0; d < 3; ++d) {
      const int64_t stride = inner_[d].strides[k];
      const int64_t way = (inner_[d].extent - 1) * stride;
      (way < 0 ? low_[k] : high_[k]) += way;
      // Of a dimension of one element the stride says nothing, but for the output.
      if (stride > kFurthest || stride < -kFurthest) {
        return Refuse(op_, "an array has elements more than 2^31 apart");
      }
    }
    if (high_[k] - low_[k] <= kFurthest) return true;
    return Refuse(op_, "an array with gaps reaches over more than 2^31 elements");
  }

  // Whether the memory of the first input meets that of the output: then one launch decides for
  // all.
  bool Overlap(const std::array<int64_t, kMostOperands>& offsets) const {
    const size_t out = operands_.count - 1;
    const auto end = [&](size_t k, int64_t element) {
      return operands_.list[k].data +
             (offsets[k] + element) * static_cast<int64_t>(operands_.list[k].size);
    };
    return end(0, low_[0]) < end(out, high_[out] + 1) && end(out, low_[out]) < end(0, high_[0] + 1);
  }

  // Some columns of the output at a time: each reads an own line of the input, which is still in
  // the cache when the next row reads its neighbour.
  bool LaunchTransposed(const std::array<int64_t, kMostOperands>& offsets) const {
    constexpr int64_t kStrip = 128;
    const auto memory = [&](size_t k, int64_t first, int64_t columns) {
      const Operand& operand = operands_.list[k];
      int64_t last = (columns - 1) * inner_[2].strides[k];
      for (int d = 0; d < 2; ++d) last += (inner_[d].extent - 1) * inner_[d].strides[k];
      const int64_t start = offsets[k] + first * inner_[2].strides[k];
      return hologram_buffer_ref{operand.data + start * static_cast<int64_t>(operand.size),
                                 static_cast<uint64_t>(last + 1) * operand.size};
    };
    for (int64_t first = 0; first < inner_[2].extent; first += kStrip) {
      const int64_t columns = std::min(kStrip, inner_[2].extent - first);
      const std::array<hologram_buffer_ref, 2> buffers = {memory(0, first, columns),
                                                          memory(1, first, columns)};
      const std::array<int64_t, 7> numbers = {
          inner_[0].extent,     inner_[1].extent,     columns,
          inner_[0].strides[0], inner_[2].strides[0], inner_[0].strides[1],
          inner_[1].strides[1]};
      std::array<uint64_t, 7> scalars;
      std::copy(numbers.begin(), numbers.end(), scalars.begin());
      const auto [blocks, lanes] = detail::launch_width(static_cast<uint32_t>(columns));
      const hologram_launch_shape shape = {{blocks, static_cast<uint32_t>(inner_[1].extent),
                                            static_cast<uint32_t>(inner_[0].extent)},
                                           {lanes, 1, 1}};
      if (!Succeeded(LaunchBound(kernel_, buffers.data(), scalars.data(), &shape))) {
        return false;
      }
    }
    return true;
  }

  // The first of two inputs is the output.
  bool IsInto(const std::array<int64_t, kMostOperands>& offsets) const {
    const Operand& first = operands_.list[0];
    const Operand& out = operands_.out();
    bool same =
        operands_.count == 3 && first.data + offsets[0] * static_cast<int64_t>(first.size) ==
                                    out.data + offsets[2] * static_cast<int64_t>(out.size);
    for (int d = 0; d < 3; ++d) {
      same &= inner_[d].extent == 1 || inner_[d].strides[0] == inner_[d].strides[2];
    }
    return same;
  }

  const char* op_;
  Kernels& kernels_;
  const Operands& operands_;
  const Axis* inner_;
  std::array<int64_t, kMostOperands> low_{};
  std::array<int64_t, kMostOperands> high_{};
  bool is_rows_ = false;
  size_t first_operand_ = 0;
  Form form_ = Form::kFlat;
  const hologram_kernel* kernel_ = nullptr;
};

}  // namespace

const char* NameOf(Form form) {
  static constexpr std::array<const char*, kForms> kNames = {
      "", "strided", "rows", "rows_left", "rows_right", "into", "turned"};
  return kNames[static_cast<size_t>(form)];
}

bool Refuse(const char* op, const char* what) {
  PyObject* errors = PyImport_ImportModule("hologram.errors");
  PyObject* type = errors == nullptr ? nullptr : PyObject_GetAttrString(errors, "ArgumentError");
  Py_XDECREF(errors);
  if (type != nullptr) PyErr_Format(type, "%s: %s", op, what);
  Py_XDECREF(type);
  return false;
}

namespace {

// The bytes of all buffers.
uint64_t BytesOf(const hologram_launch_plan& plan, const hologram_buffer_ref* buffers) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < plan.num_parameters; ++k) {
    if ((plan.codes[k] & kBuffer) != 0) bytes += (buffers++)->bytes;
  }
  return bytes;
}

hologram_error* LaunchFully(const hologram_kernel* kernel, const hologram_buffer_ref* buffers,
                            const uint64_t* scalars, const hologram_launch_shape* shape) {
  const hologram_launch_plan& plan = *hologram_kernel_plan(kernel);
  std::array<hologram_argument, HOLOGRAM_MAX_PARAMETERS> arguments;
  for (uint32_t k = 0; k < plan.num_parameters; ++k) {
    arguments[k].code = plan.codes[k];
    if ((plan.codes[k] & kBuffer) != 0) {
      arguments[k].buffer = *buffers++;
    } else {
      arguments[k].scalar = *scalars++;
    }
  }
  hologram_launch_config config{};
  if (shape != nullptr) {
    std::copy(std::begin(shape->grid), std::end(shape->grid), config.grid);
    std::copy(std::begin(shape->block), std::end(shape->block), config.block);
  }
  NoteCaller();
  const Interruptible interruptible(kernel);
  return hologram_kernel_launch(kernel, arguments.data(), plan.num_parameters, &config);
}

}  // namespace

hologram_error* LaunchBound(const hologram_kernel* kernel, const hologram_buffer_ref* buffers,
                            const uint64_t* scalars, const hologram_launch_shape* shape) {
  const hologram_launch_plan& plan = *hologram_kernel_plan(kernel);
  const uint64_t bytes = BytesOf(plan, buffers);
  const uint64_t lanes =
      shape == nullptr ? bytes + kBlockLanes : LanesOf(shape->grid, shape->block);
  return detail::launch(
      [&](hologram_launch_state* state) {
        int32_t outcome = 0;
        RunLaunch(kernel, plan, scalars, lanes, bytes, [&] {
          outcome = shape == nullptr
                        ? detail::enter(plan, buffers, scalars, state)
                        : hologram_kernel_enter(kernel, buffers, scalars, shape, state);
        });
        if (outcome == HOLOGRAM_LAUNCH_DONE) CountSizes(plan, buffers);
        return outcome;
      },
      [&](const hologram_launch_state& state) {
        return hologram_kernel_fault(kernel, buffers, scalars, shape, &state);
      },
      [&] { return LaunchFully(kernel, buffers, scalars, shape); });
}

bool RunFlat(const hologram_kernel* kernel, const hologram_buffer_ref* buffers,
             const uint64_t* scalars) {
  return Succeeded(LaunchBound(kernel, buffers, scalars, nullptr));
}

hologram_error* LaunchShaped(const hologram_kernel* kernel, const hologram_argument* arguments,
                             size_t count, const std::array<uint32_t, 3>& grid,
                             const std::array<uint32_t, 3>& block) {
  hologram_launch_config config{};
  std::copy(grid.begin(), grid.end(), config.grid);
  std::copy(block.begin(), block.end(), config.block);
  uint64_t bytes = 0;
  for (size_t k = 0; k < count; ++k) {
    if ((arguments[k].code & kBuffer) != 0) bytes += arguments[k].buffer.bytes;
  }
  std::array<uint64_t, HOLOGRAM_MAX_PARAMETERS> scalars;
  size_t num_scalars = 0;
  for (size_t k = 0; k < count; ++k) {
    if ((arguments[k].code & kBuffer) == 0) scalars[num_scalars++] = arguments[k].scalar;
  }
  hologram_error* error = nullptr;
  NoteCaller();
  RunLaunch(kernel, *hologram_kernel_plan(kernel), scalars.data(),
            LanesOf(grid.data(), block.data()), bytes,
            [&] { error = hologram_kernel_launch(kernel, arguments, count, &config); });
  return error;
}

bool RunShaped(const hologram_kernel* kernel, const hologram_argument* arguments, size_t count,
               const std::array<uint32_t, 3>& grid, const std::array<uint32_t, 3>& block) {
  return Succeeded(LaunchShaped(kernel, arguments, count, grid, block));
}

namespace {

[[gnu::noinline]] bool ChooseAll(Launcher& launcher, const Axes& axes) {
  return detail::for_each_outer(axes, [&](const std::array<int64_t, kMostOperands>& offsets) {
    return launcher.Choose(offsets);
  });
}

}  // namespace

bool RunOperands(const char* op, Kernels& kernels, Operands& operands) {
  Axes axes;
  if (!ReadAxes(op, operands, axes)) return false;
  const Axis* inner = axes.inner();
  if (detail::is_flat(axes, operands.count)) return RunParts(kernels, operands, inner[2].extent);
  Launcher launcher(op, kernels, operands, inner);
  if (!launcher.Prepare()) return false;
  // Several launches, of which each may need another kernel.
  if (axes.count > 3 && !ChooseAll(launcher, axes)) return false;
  return detail::for_each_outer(axes, [&](const std::array<int64_t, kMostOperands>& offsets) {
    return launcher.Launch(offsets);
  });
}

}  // namespace hologram::python
