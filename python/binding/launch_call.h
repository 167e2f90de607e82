// Launches of hologram.ops that say a shape. Tested by python/tests/test_ops_layers.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "arrays.h"

namespace hologram::python {

// The memory of an array, from the first element to the last. False: a Python error is set.
bool ReadMemory(const char* name, PyObject* object, hologram_argument& argument, Holds& holds);

// launch(kernel, blocks in x, y and z, lanes of a block, arguments...): of an array all memory is
// given, from its first element to its last; no stride leads backwards. For METH_FASTCALL.
PyObject* LaunchKernel(PyObject* module, PyObject* const* given, Py_ssize_t count);

}  // namespace hologram::python
