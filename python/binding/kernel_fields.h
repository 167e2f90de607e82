// The fields of a kernel object, for the files that make it and call it.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "hologram/hologram.h"

namespace hologram::python {

struct KernelObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  hologram_kernel* kernel;
  const hologram_launch_plan* plan;
  PyObject* owner;     // the kernel whose handle this one borrows; null: it is our own
  PyObject* bundle;    // what it was loaded from
  PyObject* make;      // gives the kernel when it is first needed; null: it is there
  PyObject* function;  // the Python function that it was made from, or null
  hologram_launch_config config;
  bool has_config;
  bool has_rank;      // some array has several dimensions
  bool takes_shapes;  // so has some, or some scalar is an extent of an array
  // Of the kernel without an owner: launches with a grid that still take the way on which the
  // library examines the grid.
  uint32_t grids_left;
  PyObject* weak_references;
};

inline KernelObject* AsKernel(PyObject* object) {
  return reinterpret_cast<KernelObject*>(object);
}

// The kernel whose handle this one has.
inline KernelObject* OwnerOf(PyObject* object) {
  KernelObject* self = AsKernel(object);
  while (self->owner != nullptr) self = AsKernel(self->owner);
  return self;
}

}  // namespace hologram::python
