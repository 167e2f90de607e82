// Windows of launches, for hologram.parts. Tested by python/tests/test_windows.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// All are for METH_FASTCALL. `whole` is a tuple with, for each parameter, the shape of the whole
// array as a tuple, or a number.

// window_units(kernel, whole): the unit, 0 to 2, and how many the launch has.
PyObject* WindowUnits(PyObject* module, PyObject* const* given, Py_ssize_t count);
// window_reach(kernel, whole, first, last): a tuple (kind, low, high, written low, written high)
// for each array.
PyObject* WindowReach(PyObject* module, PyObject* const* given, Py_ssize_t count);
// window_launch(kernel, whole, first, last, memory, base): `memory` is a tuple with an array for
// each array, `base` one with the element that it begins with.
PyObject* WindowLaunch(PyObject* module, PyObject* const* given, Py_ssize_t count);

}  // namespace hologram::python
