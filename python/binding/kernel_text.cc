#include "kernel_text.h"

#include <cstring>

#include "hologram/hologram.h"
#include "kernel_fields.h"
#include "kernel_object.h"

namespace hologram::python {

PyObject* RepresentKernel(PyObject* object) {
  const KernelObject* self = AsKernel(object);
  if (self->kernel == nullptr) {
    PyObject* name = self->function == nullptr ? PyUnicode_FromString("?")
                                               : PyObject_GetAttrString(self->function, "__name__");
    PyObject* text =
        name == nullptr
            ? nullptr
            : PyUnicode_FromFormat("<hologram.Kernel %U: compiled when it is first called>", name);
    Py_XDECREF(name);
    return text;
  }
  const char* name = hologram_kernel_name(self->kernel);
  if (self->has_config && self->config.backend == HOLOGRAM_BACKEND_INTERPRETER) {
    return PyUnicode_FromFormat("<hologram.Kernel %s: interpreter; backend=\"interpreter\">", name);
  }
  const char* path = hologram_kernel_path(self->kernel);
  const char* note = hologram_kernel_note(self->kernel);
  if (std::strncmp(path, "interpreter", std::strlen("interpreter")) != 0 || *note == '\0') {
    return PyUnicode_FromFormat("<hologram.Kernel %s: %s>", name, path);
  }
  return PyUnicode_FromFormat("<hologram.Kernel %s: %s; %s>", name, path, note);
}

PyObject* EmitKernel(PyObject* object, PyObject* arguments) {
  const char* form = nullptr;
  const char* target = nullptr;
  if (PyArg_ParseTuple(arguments, "sz", &form, &target) == 0) return nullptr;
  if (!Resolve(AsKernel(object))) return nullptr;
  char* text = nullptr;
  hologram_error* error = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  error = hologram_kernel_emit(AsKernel(object)->kernel, form, target, &text);
  Py_END_ALLOW_THREADS;
  if (!Succeeded(error)) return nullptr;
  PyObject* made =
      PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace");
  hologram_text_destroy(text);
  return made;
}

PyObject* ForwardKernel(const char* name, PyObject* kernel, PyObject* arguments,
                        PyObject* keywords) {
  PyObject* module = PyImport_ImportModule("hologram.display");
  if (module == nullptr) return nullptr;
  PyObject* function = PyObject_GetAttrString(module, name);
  Py_DECREF(module);
  if (function == nullptr) return nullptr;
  PyObject* self = PyTuple_Pack(1, kernel);
  PyObject* all = self == nullptr ? nullptr : PySequence_Concat(self, arguments);
  PyObject* result = all == nullptr ? nullptr : PyObject_Call(function, all, keywords);
  Py_XDECREF(all);
  Py_XDECREF(self);
  Py_DECREF(function);
  return result;
}

}  // namespace hologram::python
