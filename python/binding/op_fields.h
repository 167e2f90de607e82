// The fields of an operation object, for the files that make it and call it.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <cstdint>

#include "kernel_fields.h"
#include "kernel_object.h"
#include "reduce.h"
#include "strided.h"

namespace hologram::python {

inline constexpr size_t kTypes = 12;
inline constexpr uint32_t kMostInputs = kMostOperands - 1;

// Which reduction or product it is: what a reduction does with what its kernels give.
enum class OpKind : uint8_t {
  kNone,
  kMean,   // divides it by the count
  kRoot,   // takes its root
  kTruth,  // makes bool of it
  kIndex,  // it is an index
  kMatvec,
  kGemm,
  kSums,       // running ones
  kAlongRows,  // softmax and what normalises (row_call.cc)
  kCast,       // not a reduction: chooses among operations by a type (cast_call.cc)
};

inline constexpr size_t kMostKernels = 10;  // of a type: forms, or steps

// An operation on elements (op_call.cc), fill (fill_call.cc), a reduction (reduction_call.cc), a
// product (product_call.cc), one along rows (row_call.cc) or a cast (cast_call.cc). One struct, as
// they are one type of Python with one vectorcall, which reads `kind` and the fields that it needs.
struct OpObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  uint32_t num_arrays;
  uint32_t num_scalars;
  uint32_t types;    // bit k: type k of hologram.h has kernels
  bool has_rows;     // there are forms beside flat and strided ones
  bool copies_bits;  // elements are bits, whatever their type; of three inputs the first chooses
  bool transposes;   // and the dimensions of the input are taken the other way round
  int result;        // the type of the result, of arrays without gaps alone; -1: as the arrays
  PyObject* name;
  PyObject* doc;
  PyObject* find;   // find(form, type number) gives a kernel
  PyObject* empty;  // numpy.empty
  PyObject* slow;
  PyObject* fast;    // the operation for accuracy="fast", or null
  PyObject* number;  // the operation for a number as the second of two operands, or null
  // Numbers for scalars that a call leaves out, all of them; of a reduction of two arrays that of
  // f64 and that of the other types. Null: there are none.
  PyObject* defaults;
  PyObject* square;  // the operation of the first operand twice, where the second is 2, or null
  PyObject* exact;   // the operation for approximate="none", or null
  PyObject* after;  // of a reduction: the operation of its OpKind, or null; of a cast: a dict, from
                    // types as they were said to the operations for them
  OpKind kind;
  // By form or step, and type; null: not yet looked for.
  std::array<std::array<PyObject*, kTypes>, kMostKernels> kernels;
};
static_assert(kForms <= kMostKernels && kSteps <= kMostKernels);

inline constexpr uint32_t kBoolBit = 1U << kTypes;  // of `types`: bool too, as u8

bool IsOp(PyObject* object);
inline OpObject* AsOp(PyObject* object) {
  return reinterpret_cast<OpObject*>(object);
}

// The kernel of a form or step, looked for when it is first needed; `fits` decides whether one that
// was just found may be used. nullptr: a Python error is set, or else the kernel is there
// now, but it was looked for, which runs Python's code: arrays may have been moved meanwhile, and
// the call begins again with reading them (MustRepeat).
template <class F>
const hologram_kernel* FindKernel(OpObject* self, size_t form, const char* name, uint32_t code,
                                  const F& fits) {
  PyObject*& place = self->kernels[form][code];
  if (place != nullptr) [[likely]] {
    return AsKernel(place)->kernel;
  }
  PyObject* found = PyObject_CallFunction(self->find, "sI", name, code);
  if (found == nullptr) return nullptr;
  if (!IsKernel(found) || AsKernel(found)->kernel == nullptr || !fits(AsKernel(found)->plan)) {
    Py_DECREF(found);
    PyErr_Format(PyExc_TypeError, "expected a kernel of '%U'", self->name);
    return nullptr;
  }
  // Another thread may have put one there meanwhile, and may be running it.
  if (place == nullptr) {
    place = found;
  } else {
    Py_DECREF(found);
  }
  return nullptr;
}

// Whether what has failed is to begin again: no Python error is set.
inline bool MustRepeat() {
  return PyErr_Occurred() == nullptr;
}

// The unsigned type with as many bytes as the index: u8 to u64.
inline constexpr std::array<uint32_t, 9> kBitsCodes = {
    0, HOLOGRAM_U8, HOLOGRAM_U16, 0, HOLOGRAM_U32, 0, 0, 0, HOLOGRAM_U64};

// Computes an operation on elements with the kernel of a type. False: as for FindKernel; nothing is
// computed if the call begins again.
bool RunElements(OpObject* self, uint32_t code, Operands& operands);

// Calls a reduction: op(x, axis=None, out=None, *, keepdims=False) or op(x, y, out=None).
PyObject* CallReduction(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names);

// Calls a product: op(a, b, out=None), or op(x, out=None).
PyObject* CallProduct(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names);

// Calls an operation along rows: op(x, weights..., out=None) with what is between, as it is named.
PyObject* CallRows(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names);

// Calls cast(x, dtype, out=None).
PyObject* CallCast(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names);

// Calls fill(out, value).
PyObject* CallFill(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names);

// _fold(type number, x, y or None, axes, scalars): what the kernels of a reduction give, before
// Finish, as a new array that keeps the axes as 1. For METH_VARARGS.
PyObject* FoldArray(PyObject* object, PyObject* arguments);

// Reduces contiguous elements of a type to one of them, at `out`. REQUIRES:
// there are some; `self` is a reduction of one array whose results have the type of the elements.
// False: a Python error is set.
bool ReduceLine(OpObject* self, uint32_t code, char* data, uint64_t count, char* out);

// Calls an operation: what is common here, else by its Python function.
PyObject* CallOp(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names);

// _run(type number, arrays, scalars): computes on NumPy arrays that fit each other, the last of
// which is written, with the kernel of that type. For METH_VARARGS.
PyObject* RunOp(PyObject* object, PyObject* arguments);

}  // namespace hologram::python
