// The launch of a kernel on whole arrays, as Python asks for it: for windows and streams.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <vector>

#include "hologram/hologram.h"
#include "kernel_fields.h"

namespace hologram::python {

struct Whole {
  const KernelObject* kernel = nullptr;
  size_t count = 0;
  std::array<hologram_argument, HOLOGRAM_MAX_PARAMETERS> arguments{};
  std::array<hologram_array_shape, HOLOGRAM_MAX_PARAMETERS> shapes{};
  std::array<const hologram_array_shape*, HOLOGRAM_MAX_PARAMETERS> shape_of{};
  std::vector<uint64_t> extents;  // by buffer
  hologram_launch_config config{};

  const hologram_array_shape* const* given_shapes() const {
    return kernel->has_rank ? shape_of.data() : nullptr;
  }
};

// A kernel, and a tuple with the shape of each array as a tuple, and each number. False: a Python
// error is set.
bool ReadWhole(PyObject* kernel, PyObject* arguments, Whole& whole);

}  // namespace hologram::python
