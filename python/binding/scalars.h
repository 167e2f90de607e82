// Python numbers as scalars of a kernel.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

namespace hologram::python {

// The bits of `value` as the element type `type` of hologram.h. Integers must fit; for float
// parameters integers and floats are rounded to nearest even, and finite ones that would become
// infinite are refused. False: a Python error is set, which says what is wrong with the value.
bool ReadScalar(PyObject* value, uint32_t type, uint64_t& bits);

}  // namespace hologram::python
