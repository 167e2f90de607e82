// hologram.Op: an operation on whole arrays, as hologram.ops has them. The common call (NumPy
// arrays of one type and shape, without gaps) goes from here straight to the kernel; everything
// else goes to a Python function. Tested by python/tests/test_ops.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// The type; nullptr with a Python error set if it cannot be made. Called once.
PyObject* MakeOpType();

// (name, number of arrays, number of scalars, slow, doc): an operation that has no kernels yet.
// `slow` is called as the operation is; it may add kernels. For METH_VARARGS.
PyObject* NewOp(PyObject* module, PyObject* arguments);

}  // namespace hologram::python
