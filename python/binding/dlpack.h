// Arrays of other libraries (PyTorch, JAX, ...) by DLPack, https://dmlc.github.io/dlpack, up to
// version 1: by the table of functions that a type offers, else by a capsule of `__dlpack__`.
#pragma once

#include <optional>
#include <span>

#include "arrays.h"
#include "buffer_object.h"
#include "dlpack_abi.h"
#include "numpy_fields.h"

namespace hologram::python {

// Types of hologram.h.
std::optional<uint32_t> CodeOfDlType(DlType type);
DlType DlTypeOf(uint32_t code);

// Enters the type of hologram.Buffer, of which nothing is asked. Called once, before any other
// function. False: a Python error is set.
bool KnowBuffers();

// Whether the type of an object has a table of functions whose views say all that is to be known of
// it. Looks the type up, and asks arrays of PyTorch for marks that views do not show, which may run
// code of the user: before any address is read. No Python error is set.
bool AskTable(PyObject* object);

// The same for the arrays of an operation, before it reads the first one: true for those of NumPy,
// for numbers and for what is not given.
inline bool AskArrays(std::span<PyObject* const> objects) {
  for (PyObject* object : objects) {
    if (object != nullptr && Py_TYPE(object) != numpy_array_type && !PyFloat_CheckExact(object) &&
        !PyLong_CheckExact(object) && !IsBuffer(object) && !IsNumpyArray(object) &&
        !AskTable(object)) {
      return false;
    }
  }
  return true;
}

// These two run no code of the user. REQUIRES: AskTable has given true; where it has given false,
// or was not asked, the view may lack what it asks for.

// By the table of functions of the object's type, which costs no more than a few calls: for arrays
// that stay as they are while the launch runs. kNoArray: there is none, or its views cannot hold
// all that a capsule holds; no Python error is set then.
ReadResult ReadDlpackByTable(PyObject* object, ArrayView& view, hologram_array_shape* shape);

// The fields of such an array, with the type number kNoTypeNumber; false where there is no table or
// no such array for operations, which have no bf16 of other libraries. `strides` is room
// for those of the array, in bytes; without room only arrays without gaps are read.
inline constexpr int kNoTypeNumber = -1;
bool ReadTableArray(PyObject* object, NumpyArray& array, std::span<Py_ssize_t> strides);

// An array of NumPy, or of a type with a table, without gaps. Its strides are not to be asked for.
bool ReadDenseArray(PyObject* object, NumpyArray& array);
// A new array of NumPy of the type of `like` with the fields of `array`.
PyObject* NewArrayAs(PyObject* like, const NumpyArray& array, int rank, const Py_ssize_t* extents,
                     PyObject* empty);

bool HasDlpack(PyObject* object);
// Memory of the CPU only; contiguous elements. Arrays without a read-only flag are writable, except
// those of JAX, which share memory and are constant.
// `shape` as for ReadArray.
ReadResult ReadDlpack(PyObject* object, ArrayView& view, hologram_array_shape* shape, Holds& holds);

// The fields of the tensor of a capsule on a CUDA device, without gaps: (ordinal, element type,
// extents, address, is read-only). The capsule keeps the tensor.
PyObject* ReadCudaCapsule(PyObject* module, PyObject* capsule);

}  // namespace hologram::python
