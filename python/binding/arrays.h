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
inline constexpr uint32_t kTypeOfArgument = kBuffer - 1;  // the bits of a code that are its type

// Elements of one type, one after the other.
struct ArrayView {
  hologram_buffer_ref memory{};
  uint32_t code = 0;  // as in hologram_argument
};

// References and views to release after the launch.
class Holds {
 public:
  Holds() = default;
  Holds(const Holds&) = delete;
  Holds& operator=(const Holds&) = delete;
  ~Holds();

  void Add(const Py_buffer& buffer) { buffers_.push_back(buffer); }
  // Takes over the reference.
  void Add(PyObject* object) { objects_.push_back(object); }

  // Whether code of the user may have run while arrays were read.
  bool may_have_run_code() const { return may_have_run_code_; }
  void SetMayHaveRunCode() { may_have_run_code_ = true; }

 private:
  bool may_have_run_code_ = false;
  std::vector<Py_buffer> buffers_;
  std::vector<PyObject*> objects_;
};

enum class ReadResult : uint8_t {
  kRead,
  kNoArray,  // has none of the three interfaces; no Python error is set
  kFailed,   // a Python error is set
};

// Without `shape` the elements must be contiguous. With it they may have gaps; `shape` gets their
// extents and strides. Errors describe the array; the caller puts the argument's name before them.
//
// NumPy arrays and those of a DLPack table (dlpack.h) are not held: their owner can resize them.
// Reading an array of another kind may run code of the user (__dlpack__, __buffer__, attributes),
// which can do that. So scalars are converted before the first array is read, and if `holds` has
// noted that such code may have run, all arrays are asked IsUnchanged after the last one is read.
ReadResult ReadArray(PyObject* object, ArrayView& view, hologram_array_shape* shape, Holds& holds);

// Whether an array is where ReadArray has found it, in the same size. Runs no code of the user.
// False: a Python error is set.
bool IsUnchanged(PyObject* object, const ArrayView& view, const hologram_array_shape* shape);

bool IsSameShape(const hologram_array_shape& a, const hologram_array_shape& b);

// Sets `shape` to the extents and `strides`, both in elements, and gives the number of elements
// from the first to the last, both included. Empty, with a Python error set, for more than
// HOLOGRAM_MAX_RANK dimensions, strides that do not lead forward, and sizes beyond 2^63.
std::optional<uint64_t> SetShape(std::span<const int64_t> extents, std::span<const int64_t> strides,
                                 hologram_array_shape& shape);

}  // namespace hologram::python
