// Texts of a kernel: repr, and the methods that show its program and code, which are written in
// Python (hologram.display).
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

PyObject* RepresentKernel(PyObject* kernel);

// _emit(form, target): hologram_kernel_emit.
PyObject* EmitKernel(PyObject* kernel, PyObject* arguments);

// hologram.display.NAME(kernel, ...)
PyObject* ForwardKernel(const char* name, PyObject* kernel, PyObject* arguments,
                        PyObject* keywords);

inline constexpr char kExplain[] = "explain";
inline constexpr char kAsm[] = "asm";
inline constexpr char kLlvm[] = "llvm";
inline constexpr char kPtx[] = "ptx";
inline constexpr char kHtml[] = "html";
inline constexpr char kPortable[] = "portable";
inline constexpr char kProfile[] = "profile";

template <const char* kName>
PyCFunction ForwardTo() {
  constexpr auto kCall = [](PyObject* kernel, PyObject* arguments, PyObject* keywords) {
    return ForwardKernel(kName, kernel, arguments, keywords);
  };
  PyObject* (*call)(PyObject*, PyObject*, PyObject*) = kCall;
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call));
}

}  // namespace hologram::python
