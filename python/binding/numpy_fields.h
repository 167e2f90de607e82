// NumPy arrays read by their fields: some nanoseconds instead of the sixty of the buffer protocol.
#pragma once

#include "arrays.h"

namespace hologram::python {

// True if `object` is exactly a numpy.ndarray, C-contiguous, of an element type that
// kernels have. False: the other ways decide, and report. The layout of the fields is the one that
// NumPy's C API has kept since 1.7; it is compared with the attributes of an array before it is
// used, and not used if they differ.
bool ReadNumpyFields(PyObject* object, ArrayView& view);

// numpy.ndarray, once it was needed and NumPy was there.
extern PyTypeObject* numpy_array_type;
// Looks for NumPy if that was not done yet.
bool IsNumpyArray(PyObject* object);

// True for arrays of NumPy and of classes derived from it, which have the same fields, but for
// those that give buffers of their own.
bool HasNumpyFields(PyObject* object);
// Whether such an array, which was read as `view` and, if it has several dimensions, `shape`, is
// still where it was, in the same size.
bool HasMemory(PyObject* object, const ArrayView& view, const hologram_array_shape* shape);

// True for the numbers of NumPy, integers and floats, whose conversion runs NumPy's code alone.
bool IsNumpyNumber(PyObject* object);
// Whether it is an element of an array of bools.
bool IsNumpyBool(PyObject* object);

// The fields of a NumPy array.
struct NumpyArray {
  char* data = nullptr;
  uint32_t code = 0;  // its type; u8 for bool
  uint32_t size = 0;  // bytes of an element
  bool is_bool = false;
  bool writable = false;
  bool contiguous = false;  // in C order
  int type_number = 0;      // NumPy's
  int rank = 0;
  const Py_ssize_t* extents = nullptr;
  const Py_ssize_t* strides = nullptr;  // in bytes, whole elements

  uint64_t count() const {
    uint64_t elements = 1;
    for (int d = 0; d < rank; ++d) elements *= static_cast<uint64_t>(extents[d]);
    return elements;
  }
};

// True if `object` is exactly a numpy.ndarray, at any address, of an element type that kernels have
// and at whole elements; it may have gaps.
bool ReadNumpyArray(PyObject* object, NumpyArray& array);

bool SameShape(const NumpyArray& a, const NumpyArray& b);

// How an array has values of several numbers of one type: complex numbers, vectors, records.
struct ValueType {
  PyObject* dtype = nullptr;  // NumPy's, whose elements are values; null: there is none
  uint32_t code = 0;          // type of the numbers
  uint32_t count = 0;         // of a value
  uint32_t rank = 0;          // of the array of values
  bool of_numbers = false;    // or numbers in more dimensions, of which the last are a value's
  bool is_flat = false;       // or numbers in one dimension, value after value
};
// Such an array as one of numbers. Not initialized, as a call has room for many.
struct ValueArray {
  hologram_buffer_ref memory;
  uint32_t code;               // as in hologram_argument
  hologram_array_shape shape;  // of arrays of two and more dimensions of values
};

// True if `object` is exactly a numpy.ndarray, C-contiguous, of such values.
bool ReadNumpyValues(PyObject* object, const ValueType& type, ValueArray& values);

// New arrays without gaps, of elements of any value: what numpy.empty gives, in less time. `empty`
// is called where NumPy's C API is not as it is known. nullptr: a Python error is set.
// Of the type of `like`, of which ReadNumpyArray has given true.
PyObject* NewArrayLike(PyObject* like, int rank, const Py_ssize_t* extents, PyObject* empty);
// Of a type of hologram.h but bf16, or of bool (kBoolCode).
inline constexpr uint32_t kBoolCode = 16;
PyObject* NewArrayOf(uint32_t code, int rank, const Py_ssize_t* extents, PyObject* empty);

}  // namespace hologram::python
