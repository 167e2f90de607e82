// Kernels as objects of numpy.ufunc: an inner loop for each choice of types. Tested by
// tests/language/ufuncs_test.py and python/tests/test_scale.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// new_ufunc(name, doc, inputs, outputs, identity, signature, cores, loops): `loops` are
// (kernel, numbers of NumPy's types); of kernels with arrays of one dimension and their length, or,
// with a signature, of arrays of `cores` dimensions more, whose numbers these are, and the number
// of calls. `identity` as NumPy's C API has it.
PyObject* NewUfunc(PyObject* module, PyObject* arguments);

}  // namespace hologram::python
