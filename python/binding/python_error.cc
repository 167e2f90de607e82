#include "kernel_object.h"

namespace hologram::python {

void SetError(hologram_error* error) {
  // By Ctrl-C: what its handler raises, mostly KeyboardInterrupt, says it better.
  if (hologram_error_code(error) == HOLOGRAM_ERROR_CANCELLED && PyErr_CheckSignals() != 0) {
    return hologram_error_destroy(error);
  }
  PyObject* errors = PyImport_ImportModule("hologram.errors");
  PyObject* made = nullptr;
  if (errors != nullptr) {
    made = PyObject_CallMethod(errors, "make", "isssII", hologram_error_code(error),
                               hologram_error_message(error), hologram_error_text(error),
                               hologram_error_file(error), hologram_error_line(error),
                               hologram_error_column(error));
  }
  if (made != nullptr) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made)), made);
  Py_XDECREF(made);
  Py_XDECREF(errors);
  hologram_error_destroy(error);
}

bool Succeeded(hologram_error* error) {
  if (error == nullptr) return PyErr_Occurred() == nullptr;
  if (PyErr_Occurred() != nullptr) PyErr_WriteUnraisable(nullptr);  // one of two can be raised
  SetError(error);
  return false;
}

}  // namespace hologram::python
