// Products of matrices of any strides. Tested by python/tests/test_ops_layers.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// multiply(gemm, a, b, out, m, n, k, row and column distance of a, of b, row distance of out): out
// = a b, none of them empty, distances in elements, columns of out side by side. An access outside
// of an array is refused by the launch. For METH_FASTCALL.
PyObject* MultiplyMatrices(PyObject* module, PyObject* const* given, Py_ssize_t count);

}  // namespace hologram::python
