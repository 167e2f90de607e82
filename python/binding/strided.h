// Operations on arrays of different shapes and any strides: loops of three dimensions over their
// memory, merged and ordered as the output lies. Tested by python/tests/test_ops*.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// launch_strided(op, find, arrays, codes, scalars, has_rows): runs kernels of the forms of
// kernels/ops on arrays of the buffer protocol; the last one is the output, whose shape the others
// are broadcast to, and has no extent 0. `codes` are their element types, `find(form)` gives the
// kernel of a form. For METH_VARARGS.
PyObject* LaunchStrided(PyObject* module, PyObject* arguments);

}  // namespace hologram::python
