// Calls of cast: the operation for a type that was said before is called from here, everything else
// goes to a Python function, which knows all types and all errors.
#include <array>

#include "op_fields.h"
#include "trace.h"

namespace hologram::python {

PyObject* CallCast(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names) {
  OpObject* self = AsOp(callable);
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  const bool names_out = names != nullptr && PyTuple_Size(names) == 1 &&
                         PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "out") == 0;
  if ((names == nullptr && (count == 2 || count == 3)) || (names_out && count == 2)) {
    PyObject* dtype = given[1];
    // These can be keys, and change no more.
    PyObject* known = PyType_CheckExact(dtype) || PyUnicode_CheckExact(dtype)
                          ? PyDict_GetItemWithError(self->after, dtype)
                          : nullptr;
    if (known == nullptr && PyErr_Occurred() != nullptr) return nullptr;
    if (known != nullptr && Py_TYPE(known) == Py_TYPE(callable)) {
      // It may be taken out of the dict meanwhile.
      Py_INCREF(known);
      const bool has_out = count == 3 || names_out;
      const std::array<PyObject*, 2> arguments = {given[0], has_out ? given[2] : nullptr};
      PyObject* result = AsOp(known)->vectorcall(known, arguments.data(), has_out ? 2 : 1, nullptr);
      Py_DECREF(known);
      return result;
    }
  }
  return CallUncommon(self, given, flags, names);
}

}  // namespace hologram::python
