// NumPy arrays read by their fields: some nanoseconds instead of the sixty of the buffer protocol.
#pragma once

#include "arrays.h"

namespace hologram::python {

// True if `object` is exactly a numpy.ndarray, C-contiguous, aligned, of an element type that
// kernels have. False says nothing: the other ways decide, and report. The layout of the fields is
// the one that NumPy's C API has kept since 1.7; it is compared with what an array says about
// itself before it is used, and not used if they differ.
bool ReadNumpyFields(PyObject* object, ArrayView& view);

}  // namespace hologram::python
