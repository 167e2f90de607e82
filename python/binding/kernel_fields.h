// What a kernel object holds, for the files that make it and call it.
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
  bool has_rank;  // some array has several dimensions
};

inline KernelObject* AsKernel(PyObject* object) {
  return reinterpret_cast<KernelObject*>(object);
}

}  // namespace hologram::python
