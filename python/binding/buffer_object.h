// hologram.Buffer: elements of one type in memory of its own, of a class, or of another library.
// NumPy and others read and write it where it is, by the buffer protocol and DLPack
// (buffer_export.cc). Tested by python/tests/test_executor.py and tests/interop.
#pragma once

#include "arrays.h"
#include "dlpack_abi.h"

namespace hologram::python {

struct BufferObject {
  PyObject_HEAD;
  // Where the memory comes from: one of these.
  void* owned;
  hologram_boundary* boundary;
  DlManagedTensorVersioned* managed;
  char* data;
  Py_ssize_t count;   // elements
  Py_ssize_t stride;  // bytes of an element
  int64_t step;       // 1
  uint32_t code;      // type of hologram.h
  bool read_only;

  size_t size() const { return static_cast<size_t>(count * stride); }
};

// The type; nullptr with a Python error set if it cannot be made. Called once.
PyObject* MakeBufferType();
extern PyTypeObject* buffer_type;
inline bool IsBuffer(PyObject* object) {
  return Py_TYPE(object) == buffer_type;
}

// Zeros at a multiple of 64 bytes. These give nullptr with a Python error set if they fail.
PyObject* NewBuffer(uint32_t code, size_t count);
// Takes over the class, of whose bytes there are as many elements as are whole, or the tensor,
// which has one dimension without gaps.
PyObject* NewBoundaryBuffer(uint32_t code, hologram_boundary* boundary);
PyObject* NewManagedBuffer(uint32_t code, DlManagedTensorVersioned* managed);

// REQUIRES: IsBuffer
ArrayView ViewOfBuffer(PyObject* object);

// ---- Exports of the type (buffer_export.cc)

int GetPyBuffer(PyObject* object, Py_buffer* view, int flags);
PyObject* ToDlpack(PyObject* object, PyObject* arguments, PyObject* keywords);
PyObject* DlpackDevice(PyObject* object, PyObject* unused);
// A capsule with the table of functions.
PyObject* DlpackTable();

}  // namespace hologram::python
