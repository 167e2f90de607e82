// Python numbers as scalars of a kernel.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

namespace hologram::python {

// The bits of `value` as the element type `type` of hologram.h. Integers must fit; for float
// parameters integers and floats are rounded to nearest even, and finite ones that would become
// infinite are refused. False: a Python error is set, which describes the value.
// Runs code of the user (__index__, __float__) for what is not IsPlainNumber, which may free the
// memory of arrays: scalars are read before them.
bool ReadScalar(PyObject* value, uint32_t type, uint64_t& bits);

// An int, float or bool of Python's, or a number of NumPy's.
bool IsPlainNumber(PyObject* value);

}  // namespace hologram::python
