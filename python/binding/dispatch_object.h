// hologram.Dispatch, the base of what chooses a kernel by its arguments and takes them apart:
// kernels with vectors, records, complex or optional arrays, generic kernels, and launches of
// those.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// The type; nullptr with a Python error set if it cannot be made. Called once.
PyObject* MakeDispatchType();

}  // namespace hologram::python
