// hologram._native.Span: a span of the program in a trace (hologram/observe.h), as a context.
// Tested by tests/observe/trace_test.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// A new reference; null with an error of Python.
PyObject* MakeSpanType();

}  // namespace hologram::python
