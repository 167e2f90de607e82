// hologram.Fused: a function of arrays that hologram.fusion has turned into kernels, one for each
// signature (which arguments are arrays, of which types, and which are numbers). The common call
// (NumPy arrays of one shape, without gaps, and Python numbers) goes from here straight to the
// kernel of its signature; everything else goes to a Python object, which also has all attributes.
// Tested by python/tests/test_fusion.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// The type; nullptr with a Python error set if it cannot be made. Called once.
PyObject* MakeFusedType();

// (slow, numpy.empty): a function without kernels yet. `slow` is called as the function is; it
// may add kernels. For METH_VARARGS.
PyObject* NewFused(PyObject* module, PyObject* arguments);

}  // namespace hologram::python
