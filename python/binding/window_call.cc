#include "window_call.h"

#include <vector>

#include "arrays.h"
#include "interrupt.h"
#include "kernel_call.h"
#include "kernel_fields.h"
#include "kernel_object.h"
#include "scalars.h"
#include "whole_call.h"

namespace hologram::python {
namespace {

bool ReadExtents(PyObject* object, hologram_array_shape& shape, uint64_t& elements) {
  const Py_ssize_t rank = PyTuple_Check(object) != 0 ? PyTuple_Size(object) : 0;
  if (rank < 1 || rank > HOLOGRAM_MAX_RANK) {
    PyErr_SetString(PyExc_TypeError, "expects the shape of the whole array, of 1 to 4 sizes");
    return false;
  }
  shape = {};
  shape.rank = static_cast<uint32_t>(rank);
  elements = 1;
  for (Py_ssize_t d = 0; d < rank; ++d) {
    if (!ReadScalar(PyTuple_GetItem(object, d), HOLOGRAM_U64, shape.extents[d])) return false;
    if (__builtin_mul_overflow(elements, shape.extents[d], &elements)) {
      PyErr_SetString(PyExc_OverflowError, "is too large");
      return false;
    }
  }
  return true;
}

}  // namespace

bool ReadWhole(PyObject* object, PyObject* arguments, Whole& whole) {
  if (!IsKernel(object) || PyTuple_Check(arguments) == 0) {
    PyErr_SetString(PyExc_TypeError, "expected a kernel and a tuple");
    return false;
  }
  if (!Resolve(reinterpret_cast<KernelObject*>(object))) return false;
  const KernelObject* kernel = AsKernel(object);
  whole.kernel = kernel;
  whole.count = static_cast<size_t>(PyTuple_Size(arguments));
  whole.config = kernel->has_config ? kernel->config : hologram_launch_config{};
  whole.config.caller = HOLOGRAM_CALLER_PYTHON;
  if (whole.count != kernel->plan->num_parameters) {
    PyErr_Format(PyExc_TypeError, "kernel '%s' expects %u arguments, found %zu",
                 hologram_kernel_name(kernel->kernel), kernel->plan->num_parameters, whole.count);
    return false;
  }
  for (size_t k = 0; k < whole.count; ++k) {
    PyObject* argument = PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(k));
    whole.arguments[k].code = kernel->plan->codes[k];
    uint64_t elements = 0;
    const bool buffer = (whole.arguments[k].code & kBuffer) != 0;
    if (!(buffer ? ReadExtents(argument, whole.shapes[k], elements)
                 : ReadScalar(argument, whole.arguments[k].code, whole.arguments[k].scalar))) {
      NameArgument(kernel, k);
      return false;
    }
    if (!buffer) continue;
    if (hologram_kernel_parameter(kernel->kernel, k)->rank > 1) {
      whole.shape_of[k] = &whole.shapes[k];
    }
    whole.extents.push_back(elements);
  }
  return true;
}

namespace {

bool ReadCall(PyObject* const* given, Py_ssize_t count, Py_ssize_t expected, Whole& whole) {
  if (count != expected) {
    PyErr_Format(PyExc_TypeError, "expected %zd arguments, found %zd", expected, count);
    return false;
  }
  return ReadWhole(given[0], given[1], whole);
}

bool ReadUnits(PyObject* const* given, hologram_window& window) {
  return ReadScalar(given[0], HOLOGRAM_U64, window.first) &&
         ReadScalar(given[1], HOLOGRAM_U64, window.last);
}

bool ReadParts(PyObject* memory, PyObject* base, Whole& whole, std::vector<uint64_t>& bases,
               Holds& holds) {
  const auto buffers = static_cast<Py_ssize_t>(whole.extents.size());
  if (PyTuple_Check(memory) == 0 || PyTuple_Check(base) == 0 || PyTuple_Size(memory) != buffers ||
      PyTuple_Size(base) != buffers) {
    PyErr_Format(PyExc_TypeError, "expected tuples of %zd arrays and their bases", buffers);
    return false;
  }
  // Numbers first: their conversion may run code of the user, which may free the memory of arrays.
  for (Py_ssize_t b = 0; b < buffers; ++b) {
    uint64_t bits = 0;
    if (!ReadScalar(PyTuple_GetItem(base, b), HOLOGRAM_U64, bits)) return false;
    bases.push_back(bits);
  }
  Py_ssize_t b = 0;
  std::vector<ArrayView> views;
  for (size_t k = 0; k < whole.count; ++k) {
    if ((whole.arguments[k].code & kBuffer) == 0) continue;
    ArrayView view;
    PyObject* array = PyTuple_GetItem(memory, b++);
    const ReadResult read = ReadArray(array, view, nullptr, holds);
    if (read == ReadResult::kNoArray) PyErr_SetString(PyExc_TypeError, "expects an array");
    if (read != ReadResult::kRead) {
      NameArgument(whole.kernel, k);
      return false;
    }
    whole.arguments[k].code = view.code;
    whole.arguments[k].buffer = view.memory;
    views.push_back(view);
  }
  for (Py_ssize_t n = 0; holds.may_have_run_code() && n < buffers; ++n) {
    if (!IsUnchanged(PyTuple_GetItem(memory, n), views[static_cast<size_t>(n)], nullptr)) {
      return false;
    }
  }
  return true;
}

}  // namespace

PyObject* WindowUnits(PyObject* /*module*/, PyObject* const* given, Py_ssize_t count) {
  Whole whole;
  if (!ReadCall(given, count, 2, whole)) return nullptr;
  uint32_t unit = 0;
  uint64_t units = 0;
  if (!Succeeded(hologram_kernel_units(whole.kernel->kernel, whole.arguments.data(),
                                       whole.given_shapes(), whole.count, &whole.config,
                                       whole.extents.data(), &unit, &units))) {
    return nullptr;
  }
  return Py_BuildValue("IK", unit, static_cast<unsigned long long>(units));
}

PyObject* WindowReach(PyObject* /*module*/, PyObject* const* given, Py_ssize_t count) {
  Whole whole;
  hologram_window window{};
  if (!ReadCall(given, count, 4, whole) || !ReadUnits(given + 2, window)) return nullptr;
  window.extent = whole.extents.data();
  std::vector<hologram_reach> reach(whole.extents.size());
  if (!Succeeded(hologram_kernel_reach(whole.kernel->kernel, whole.arguments.data(),
                                       whole.given_shapes(), whole.count, &whole.config, &window,
                                       reach.data()))) {
    return nullptr;
  }
  PyObject* result = PyTuple_New(static_cast<Py_ssize_t>(reach.size()));
  for (size_t b = 0; result != nullptr && b < reach.size(); ++b) {
    const hologram_reach& one = reach[b];
    PyObject* item = Py_BuildValue("IKKKK", one.kind, static_cast<unsigned long long>(one.low),
                                   static_cast<unsigned long long>(one.high),
                                   static_cast<unsigned long long>(one.written_low),
                                   static_cast<unsigned long long>(one.written_high));
    if (item == nullptr) Py_CLEAR(result);
    if (item != nullptr) PyTuple_SetItem(result, static_cast<Py_ssize_t>(b), item);
  }
  return result;
}

PyObject* WindowLaunch(PyObject* /*module*/, PyObject* const* given, Py_ssize_t count) {
  Whole whole;
  hologram_window window{};
  if (!ReadCall(given, count, 6, whole) || !ReadUnits(given + 2, window)) return nullptr;
  std::vector<uint64_t> bases;
  Holds holds;
  if (!ReadParts(given[4], given[5], whole, bases, holds)) return nullptr;
  window.base = bases.data();
  window.extent = whole.extents.data();
  hologram_error* error = nullptr;
  {
    const Interruptible interruptible(whole.kernel->kernel);
    error =
        hologram_kernel_launch_window(whole.kernel->kernel, whole.arguments.data(),
                                      whole.given_shapes(), whole.count, &whole.config, &window);
  }
  if (!Succeeded(error)) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace hologram::python
