// Pools and streams, for hologram.streams. Tested by python/tests/test_streams.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// The type of the memory of a pool, made with its size; its bytes by the buffer protocol. nullptr
// with a Python error set if it cannot be made. Called once.
PyObject* MakePoolType();

// A place is None or a tuple: ("file", path, offset, header), ("fd", number, offset, sequential),
// ("call", function) or ("array", array). A function that reads gets memory to fill and gives the
// number of bytes, 0 at the end; one that writes gets memory to take.
//
// stream_run(kernel, whole, flows, options): `whole` as of window_units; `flows` has, for each
// array, (source, sink, None) or (None, None, array in memory); options are (window, depth, pool or
// None, function of progress or None). Gives the numbers of hologram_streamed.
PyObject* StreamRun(PyObject* module, PyObject* const* given, Py_ssize_t count);
// stream_apply(function, names, types, extents, flows, row, options): the function gets a memory
// for each array, and the number of elements.
PyObject* StreamApply(PyObject* module, PyObject* const* given, Py_ssize_t count);

}  // namespace hologram::python
