// Fields of types and macros of CPython that its stable ABI lacks. All of this module is compiled
// with that ABI for CPython 3.12 and newer, and the same source for older ones (docs/release.md);
// scripts/check_layers.py refuses the macros.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// Puts `value`, whose reference is taken over, in place of what is there.
inline void Replace(PyObject*& place, PyObject* value) {
  PyObject* const before = place;
  place = value;
  Py_XDECREF(before);
}

// The end of a tp_dealloc of a type that PyType_FromSpec has made.
inline void FreeObject(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

// Whether it is written in C, and not by PyType_FromSpec.
inline bool IsStatic(PyTypeObject* type) {
  return (PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) == 0;
}

// Whether the module of a type has a name that begins so. May run code of the user.
bool IsOfModule(PyTypeObject* type, const char* prefix);

// "numpy.ndarray"; without the module for "list". nullptr: a Python error is set. May run code of
// the user.
PyObject* FullName(PyTypeObject* type);

// An attribute of a type, not of its bases. Runs no code of the user. nullptr: there is none; no
// Python error is set.
PyObject* OwnAttribute(PyTypeObject* type, PyObject* name);

}  // namespace hologram::python
