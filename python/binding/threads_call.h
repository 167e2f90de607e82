// How many threads launches use, for Python: hologram.thread_counts.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// set_threads(n): of the process; 0 is the default.
PyObject* SetThreads(PyObject* module, PyObject* count);
// set_thread_limit(n): of the calling thread; gives the limit before.
PyObject* SetThreadLimit(PyObject* module, PyObject* count);
// get_threads(): what launches of the calling thread may use.
PyObject* GetThreads(PyObject* module, PyObject* unused);

}  // namespace hologram::python
