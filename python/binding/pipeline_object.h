// hologram.Pipeline: launches that were recorded, as one call; and the recording of them. Used
// through hologram.pipelines. Tested by python/tests/test_pipelines.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// The type; nullptr: a Python error is set.
PyObject* MakePipelineType();

// For METH_VARARGS. A capture is a capsule, of the thread that began it.
// capture_begin(name)
PyObject* BeginCapture(PyObject* module, PyObject* arguments);
// capture_array(capture, name, type number, is it an output, NumPy array without gaps)
PyObject* AddCaptureArray(PyObject* module, PyObject* arguments);
// capture_keep(capture, NumPy array)
PyObject* KeepCaptureArray(PyObject* module, PyObject* arguments);
// capture_end(capture, numpy.empty): the pipeline
PyObject* EndCapture(PyObject* module, PyObject* arguments);
// pipeline_load(bytes, trust hash or None, numpy.empty)
PyObject* LoadPipeline(PyObject* module, PyObject* arguments);

}  // namespace hologram::python
