// hologram.Op: an operation on whole arrays, element by element, as hologram.ops has them; how it
// is called is in op_call.cc. Tested by python/tests/test_ops.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// The type; nullptr with a Python error set if it cannot be made. Called once.
PyObject* MakeOpType();

// (name, number of arrays, number of scalars, types, has_rows, moves, result, find, empty, slow,
// doc): an operation; the fields of OpObject (op_fields.h), moves 1 for copies_bits, 2 for
// transposes too. `slow` is called as the operation is. For METH_VARARGS.
PyObject* NewOp(PyObject* module, PyObject* arguments);

// The numbers of OpKind by name, for NewOpOfKind: a new dictionary, or nullptr with a Python
// error.
PyObject* MakeOpKinds();

// (name, number of arrays, number of the OpKind, types, find, empty, slow, doc, after): a
// reduction, which is an Op too. For METH_VARARGS.
PyObject* NewOpOfKind(PyObject* module, PyObject* arguments);

}  // namespace hologram::python
