// The recording of launches for hologram.pipelines, and what it has to know of arrays: results that
// are made while a thread records stay until the capture ends, so that no other array comes to
// their memory, which the recorder would take for them. Tested by python/tests/test_pipelines.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// The new array `made`, which the capture of this thread keeps if there is one. Takes `made` over
// and gives it back; nullptr: `made` was, or a Python error is set.
PyObject* Captured(PyObject* made);

// For METH_VARARGS. A capture is a capsule, of the thread that began it.
// capture_begin(name, fuses)
PyObject* BeginCapture(PyObject* module, PyObject* arguments);
// capture_array(capture, name, type number, is it an output, NumPy array without gaps)
PyObject* AddCaptureArray(PyObject* module, PyObject* arguments);
// capture_keep(capture, NumPy array): it stays until the capture ends
PyObject* KeepCaptureArray(PyObject* module, PyObject* arguments);
// capture_end(capture, numpy.empty): the pipeline
PyObject* EndCapture(PyObject* module, PyObject* arguments);

}  // namespace hologram::python
