// Operations on arrays of any strides: loops of three dimensions over their memory, by the rules of
// hologram/detail/layout.hpp. Tested by python/tests/test_ops*.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "hologram/hologram.h"

namespace hologram::python {

// How kernels of operations are named: op_add, op_add_strided, ...
enum class Form : uint8_t {
  kFlat,
  kStrided,
  kRows,
  kRowsLeft,
  kRowsRight,
  kInto,
  kTransposed,
  kCount
};
inline constexpr size_t kForms = static_cast<size_t>(Form::kCount);
const char* NameOf(Form form);

inline constexpr size_t kMostOperands = 4;
inline constexpr size_t kMostNumbers = 2;
inline constexpr int kMostRank = 64;

// One array. Strides are in bytes, and whole elements.
struct Operand {
  char* data = nullptr;
  uint32_t code = 0;  // its type
  uint32_t size = 0;  // bytes of an element
  int rank = 0;
  const Py_ssize_t* extents = nullptr;
  const Py_ssize_t* strides = nullptr;
};

// The last one is the output; the others are broadcast to its shape, which has no extent 0.
struct Operands {
  const Operand& out() const { return list[count - 1]; }

  std::array<Operand, kMostOperands> list;
  size_t count = 0;
  std::array<uint64_t, kMostNumbers + 1> numbers{};  // of the type of the output; one place more
  size_t num_numbers = 0;
};

// Where the kernels of an operation come from.
class Kernels {
 public:
  // nullptr: a Python error is set, or none and the call begins again (FindKernel of op_fields.h).
  virtual const hologram_kernel* Find(Form form) = 0;
  // Whether there are other forms than flat and strided ones.
  virtual bool has_rows() const = 0;
  // Whether there is one for an input that is the output turned over.
  virtual bool has_transposed() const = 0;

 protected:
  ~Kernels() = default;
};

// Runs an operation on arrays that fit each other. False: a Python error is set, or none and the
// call begins again: kernels are found before the first launch.
bool RunOperands(const char* op, Kernels& kernels, Operands& operands);

// "op: what" as an ArgumentError; false.
bool Refuse(const char* op, const char* what);

// Runs a launch whose arguments have the types of the kernel's plan, buffers and scalars each in
// their order; on the fast path if it is small. Lets other Python threads run meanwhile if it is a
// large one. `shape`: nullptr for a launch without a grid. The error is the caller's; nullptr:
// none.
hologram_error* LaunchBound(const hologram_kernel* kernel, const hologram_buffer_ref* buffers,
                            const uint64_t* scalars, const hologram_launch_shape* shape);
// Without a grid. False: a Python error is set.
bool RunFlat(const hologram_kernel* kernel, const hologram_buffer_ref* buffers,
             const uint64_t* scalars);

// Runs a launch with a shape; lets other Python threads run meanwhile if it is a large one. The
// error is the caller's; nullptr: none.
hologram_error* LaunchShaped(const hologram_kernel* kernel, const hologram_argument* arguments,
                             size_t count, const std::array<uint32_t, 3>& grid,
                             const std::array<uint32_t, 3>& block);
// The same. False: a Python error is set.
bool RunShaped(const hologram_kernel* kernel, const hologram_argument* arguments, size_t count,
               const std::array<uint32_t, 3>& grid, const std::array<uint32_t, 3>& block);

}  // namespace hologram::python
