// What the library has done in this process (hologram/observe.h), for hologram.observe.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "hologram/observe.h"

namespace hologram::python {

// (): [(name, engine, reason, value)]
PyObject* ReadMetrics(PyObject* module, PyObject* unused);

// The sizes of a launch that was inlined and is done, which the library has not seen.
void CountSizes(const hologram_launch_plan& plan, const hologram_buffer_ref* buffers);

}  // namespace hologram::python
