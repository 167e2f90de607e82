// Operations on values that represent arrays: hologram.fusion traces them. Tested by
// python/tests/test_fusion.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

struct OpObject;

// (type, handler): from now on an operation with an argument of exactly `type` calls
// handler(operation, arguments..., names...) instead of computing. For METH_VARARGS.
PyObject* TraceOps(PyObject* module, PyObject* arguments);

// The slow path of a call: the handler if some argument represents an array, else the Python
// function. `flags` and `names` are those of a vectorcall.
PyObject* CallUncommon(const OpObject* self, PyObject* const* given, size_t flags, PyObject* names);

}  // namespace hologram::python
