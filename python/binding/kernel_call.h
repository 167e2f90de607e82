// The call of a kernel: Python arguments to a launch.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// The vectorcall of a kernel object whose kernel is there.
PyObject* CallKernel(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names);

}  // namespace hologram::python
