// What an operation object holds, for the files that make it and call it.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <cstdint>

#include "kernel_fields.h"
#include "kernel_object.h"
#include "strided.h"

namespace hologram::python {

inline constexpr size_t kTypes = 12;
inline constexpr uint32_t kMostInputs = kMostOperands - 1;

struct OpObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  uint32_t num_arrays;
  uint32_t num_scalars;
  uint32_t types;    // bit k: type k of hologram.h has kernels
  bool has_rows;     // there are forms beside flat and strided ones
  bool moves;        // elements are bits, whatever their type; of three inputs the first chooses
  int result;        // the type of the result, of arrays without gaps alone; -1: as the arrays
  PyObject* name;
  PyObject* doc;
  PyObject* find;    // find(form, type number) gives a kernel
  PyObject* empty;   // numpy.empty
  PyObject* slow;
  PyObject* fast;    // the operation for accuracy="fast", or null
  PyObject* number;  // the operation for a number as the second of two operands, or null
  std::array<std::array<PyObject*, kTypes>, kForms> kernels;  // null: not yet looked for
};

inline OpObject* AsOp(PyObject* object) {
  return reinterpret_cast<OpObject*>(object);
}

// Calls an operation: what is common here, else by its Python function.
PyObject* CallOp(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names);

// _run(type number, arrays, scalars): computes on NumPy arrays that fit each other, the last of which
// is written, with the kernel of that type. For METH_VARARGS.
PyObject* RunOp(PyObject* object, PyObject* arguments);

}  // namespace hologram::python
