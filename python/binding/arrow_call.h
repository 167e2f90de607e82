// Kernels on columns of Arrow's C data interface, with nulls: hologram.arrow. Tested by
// tests/scale/columns_test.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// arrow_call(kernels, find, refuses_nulls, columns...): `columns` have __arrow_c_array__. `kernels`
// is a dict of what `find(formats)` gave: (kernel, format of the result), for the formats of the
// columns joined by ','. A kernel of arrays, one to write and their length. The values under nulls
// are of no consequence; a null of one column is one of the result. Gives two capsules, of schema
// and array.
PyObject* CallArrow(PyObject* module, PyObject* const* given, Py_ssize_t count);

}  // namespace hologram::python
