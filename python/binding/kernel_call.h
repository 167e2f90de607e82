// The call of a kernel: Python arguments to a launch.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>

#include "kernel_fields.h"
#include "numpy_fields.h"

namespace hologram::python {

// The vectorcall of a kernel object whose kernel is there.
PyObject* CallKernel(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names);
// The call of a kernel whose arguments are `given`, all of them in order. `values[k]`, if it is not
// null, is the array that argument k was read as; other arrays are of NumPy.
PyObject* CallOnValues(const KernelObject* self, PyObject* const* given,
                       const ValueArray* const* values);
// That of one with a grid, before its first call: the library examines the grid, and what it leaves
// out is a warning. Calls after it go the usual way.
PyObject* CallExamined(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names);

// _profile(source, arguments...): hologram_kernel_profile, as (text, picture); `source` is a str or
// None. For METH_FASTCALL | METH_KEYWORDS.
PyObject* ProfileKernel(PyObject* kernel, PyObject* const* given, Py_ssize_t count,
                        PyObject* names);

// "kernel 'add': 'x' " before the message of the Python error that is set, if it is about argument
// k. The class is one of ours that is also a ValueError and a TypeError.
void NameArgument(const KernelObject* self, size_t k);

}  // namespace hologram::python
