// hologram.Pipeline: launches that were recorded (capture.h), as one call. Used through
// hologram.pipelines. Tested by python/tests/test_pipelines.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "hologram/pipeline.h"

namespace hologram::python {

// The type; nullptr: a Python error is set.
PyObject* MakePipelineType();

// An object of a pipeline, which it takes over. A new reference; nullptr: a Python error is set.
PyObject* NewPipeline(hologram_pipeline* pipeline, PyObject* empty);

// For METH_VARARGS.
// pipeline_load(bytes, trust hash or None, numpy.empty)
PyObject* LoadPipeline(PyObject* module, PyObject* arguments);

}  // namespace hologram::python
