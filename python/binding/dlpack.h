// Arrays of other libraries (PyTorch, JAX, ...) by DLPack, https://dmlc.github.io/dlpack, up to
// version 1: the structures of its C interface that are read here.
#pragma once

#include "arrays.h"

namespace hologram::python {

bool HasDlpack(PyObject* object);
// Memory of the CPU only; one element after the other. What says nothing about being read-only is
// writable, but arrays of JAX are not: they share memory and are constant.
// `shape` as for ReadArray.
ReadResult ReadDlpack(PyObject* object, ArrayView& view, hologram_array_shape* shape, Holds& holds);

}  // namespace hologram::python
