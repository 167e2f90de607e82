// Python objects as memory that a kernel may use: NumPy arrays by their fields, everything else by
// the buffer protocol or DLPack. Nothing is copied.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hologram/hologram.h"

namespace hologram::python {

inline constexpr uint32_t kBuffer = HOLOGRAM_ARGUMENT_BUFFER;
inline constexpr uint32_t kWritable = HOLOGRAM_ARGUMENT_WRITABLE;

// Elements of one type, one after the other.
struct ArrayView {
  hologram_buffer_ref memory{};
  uint32_t code = 0;  // as in hologram_argument
};

// What must be given back once the launch is over.
class Holds {
 public:
  Holds() = default;
  Holds(const Holds&) = delete;
  Holds& operator=(const Holds&) = delete;
  ~Holds();

  void Add(const Py_buffer& buffer) { buffers_.push_back(buffer); }
  // Takes over the reference.
  void Add(PyObject* object) { objects_.push_back(object); }

 private:
  std::vector<Py_buffer> buffers_;
  std::vector<PyObject*> objects_;
};

enum class ReadResult : uint8_t {
  kRead,
  kNoArray,  // has none of the three interfaces; no Python error is set
  kFailed,   // a Python error is set
};

// Without `shape` the elements must lie one after the other. With it they may lie apart, and it
// says where they are. Errors say what is wrong with the array; the caller puts the argument's name
// before it.
ReadResult ReadArray(PyObject* object, ArrayView& view, hologram_array_shape* shape, Holds& holds);

// Sets `shape` to the extents and `strides`, both in elements, and gives the number of elements
// from the first to the last, both included. Empty, with a Python error set, for more than
// HOLOGRAM_MAX_RANK dimensions, strides that do not lead forward, and sizes beyond 2^63.
std::optional<uint64_t> SetShape(std::span<const int64_t> extents, std::span<const int64_t> strides,
                                 hologram_array_shape& shape);

}  // namespace hologram::python
