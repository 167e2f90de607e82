// hologram.Kernel: a kernel that Python calls. A type of the C API of Python rather than a nanobind
// class, because a call must cost no more than what it does.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "hologram/hologram.h"

namespace hologram::python {

// The type; nullptr with a Python error set if it cannot be made. Called once.
PyObject* MakeKernelType();

bool IsKernel(PyObject* object);

struct KernelObject;
// Gets a kernel that is made when it is first needed. False: a Python error is set.
bool Resolve(KernelObject* self);

// Takes over `kernel`; `bundle` (the object that the kernel came from) is kept alive.
PyObject* NewKernel(hologram_kernel* kernel, PyObject* bundle);

// A kernel that is got by calling `make`, without arguments, when it is first used.
PyObject* NewLazyKernel(PyObject* make, PyObject* function);

// Sets the Python error for `error`, and releases it. `hologram.errors` has the
// classes.
void SetError(hologram_error* error);

// After a launch that may have printed. False: a Python error is set, that of the launch or the one
// that sys.stdout raised.
bool Succeeded(hologram_error* error);

}  // namespace hologram::python
