// NumPy arrays read by their fields: some nanoseconds instead of the sixty of the buffer protocol.
#pragma once

#include "arrays.h"

namespace hologram::python {

// True if `object` is exactly a numpy.ndarray, C-contiguous, aligned, of an element type that
// kernels have. False says nothing: the other ways decide, and report. The layout of the fields is
// the one that NumPy's C API has kept since 1.7; it is compared with what an array says about
// itself before it is used, and not used if they differ.
bool ReadNumpyFields(PyObject* object, ArrayView& view);

// The shape of a NumPy array, in its own memory.
struct NumpyShape {
  int rank = 0;
  const Py_ssize_t* extents = nullptr;
  uint64_t count = 0;  // of elements
};

bool SameShape(const NumpyShape& a, const NumpyShape& b);

// The same with its shape; an array of bool is none here, because its elements are no numbers.
bool ReadNumpyFields(PyObject* object, ArrayView& view, NumpyShape& shape);

// A new array of the type and shape of `array`, of which ReadNumpyFields has given true, with
// elements of any value: what numpy.empty_like gives, in half the time. `empty_like` is called
// where NumPy's C API is not as it is known. nullptr: a Python error is set.
PyObject* NewArrayLike(PyObject* array, PyObject* empty_like);

}  // namespace hologram::python
