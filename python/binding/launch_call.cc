#include "launch_call.h"

#include <array>

#include "arrays.h"
#include "device_array.h"
#include "kernel_call.h"
#include "kernel_fields.h"
#include "kernel_object.h"
#include "numpy_fields.h"
#include "scalars.h"
#include "strided.h"

namespace hologram::python {

bool ReadMemory(const char* name, PyObject* object, hologram_argument& argument, Holds& holds) {
  NumpyArray array;
  if (!ReadNumpyArray(object, array)) {
    ArrayView view;
    ReadResult result = ReadArray(object, view, nullptr, holds);
    if (result == ReadResult::kNoArray && IsDeviceArray(object)) {
      ReadDeviceArray(object, view, nullptr);
      result = ReadResult::kRead;
    }
    if (result == ReadResult::kNoArray) PyErr_SetString(PyExc_TypeError, "expected an array");
    argument.code = view.code;
    argument.buffer = view.memory;
    return result == ReadResult::kRead;
  }
  argument.code = array.code | kBuffer | (array.writable ? kWritable : 0U);
  uint64_t last = 0;
  for (int d = 0; d < array.rank; ++d) {
    if (array.extents[d] > 1 && array.strides[d] < 0)
      return Refuse(name, "an array runs backwards");
    if (array.extents[d] == 0) {
      argument.buffer = {array.data, 0};
      return true;
    }
    last += static_cast<uint64_t>((array.extents[d] - 1) * array.strides[d]);
  }
  argument.buffer = {array.data, last + array.size};
  return true;
}

namespace {

constexpr Py_ssize_t kFixed = 5;  // arguments before those of the kernel

// Whether an array is where it was read, also after code of the user has run. False: a Python error
// is set.
bool IsStill(const char* name, PyObject* object, const hologram_argument& argument) {
  if (IsDeviceArray(object)) return true;
  NumpyArray array;
  if (!ReadNumpyArray(object, array)) {
    return IsUnchanged(object, {argument.buffer, argument.code}, nullptr);
  }
  hologram_argument again;
  Holds none;
  if (!ReadMemory(name, object, again, none)) return false;
  if (again.buffer.data == argument.buffer.data && again.buffer.bytes == argument.buffer.bytes) {
    return true;
  }
  PyErr_SetString(PyExc_ValueError, "was moved or resized while the arguments were read");
  return false;
}

bool ReadCounts(PyObject* const* given, std::array<uint32_t, 4>& counts) {
  for (size_t k = 0; k < counts.size(); ++k) {
    uint64_t bits = 0;
    if (!ReadScalar(given[k], HOLOGRAM_U32, bits)) return false;
    counts[k] = static_cast<uint32_t>(bits);
  }
  return true;
}

}  // namespace

PyObject* LaunchKernel(PyObject* /*module*/, PyObject* const* given, Py_ssize_t count) {
  if (count < kFixed || !IsKernel(given[0]) || AsKernel(given[0])->kernel == nullptr) {
    PyErr_SetString(PyExc_TypeError,
                    "expected a kernel, three counts of blocks, lanes and arguments");
    return nullptr;
  }
  const KernelObject* kernel = AsKernel(given[0]);
  const char* name = hologram_kernel_name(kernel->kernel);
  std::array<uint32_t, 4> counts;
  if (!ReadCounts(given + 1, counts)) return nullptr;
  const auto size = static_cast<size_t>(count - kFixed);
  if (size != kernel->plan->num_parameters) {
    PyErr_Format(PyExc_TypeError, "kernel '%s' expects %u arguments, found %zu", name,
                 kernel->plan->num_parameters, size);
    return nullptr;
  }
  std::array<hologram_argument, HOLOGRAM_MAX_PARAMETERS> arguments;
  Holds holds;
  // Scalars first, as for other calls of kernels.
  for (const bool buffers : {false, true}) {
    for (size_t k = 0; k < size; ++k) {
      PyObject* object = given[kFixed + static_cast<Py_ssize_t>(k)];
      const uint32_t wanted = kernel->plan->codes[k];
      if (((wanted & kBuffer) != 0) != buffers) continue;
      if (!buffers) arguments[k].code = wanted;
      if (!(buffers ? ReadMemory(name, object, arguments[k], holds)
                    : ReadScalar(object, wanted, arguments[k].scalar))) {
        NameArgument(kernel, k);
        return nullptr;
      }
    }
  }
  for (size_t k = 0; holds.may_have_run_code() && k < size; ++k) {
    if ((arguments[k].code & kBuffer) != 0 &&
        !IsStill(name, given[kFixed + static_cast<Py_ssize_t>(k)], arguments[k])) {
      NameArgument(kernel, k);
      return nullptr;
    }
  }
  if (!RunShaped(kernel->kernel, arguments.data(), size, {counts[0], counts[1], counts[2]},
                 {counts[3], 1, 1})) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

}  // namespace hologram::python
