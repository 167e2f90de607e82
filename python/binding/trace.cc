#include "trace.h"

#include <vector>

#include "objects.h"
#include "op_fields.h"

namespace hologram::python {
namespace {

// Owned: attributes of a type, which could own them, can be deleted.
PyObject* traced_type = nullptr;    // of values that stand for arrays; null: nobody traces
PyObject* trace_handler = nullptr;  // what operations do with them

bool HasTraced(PyObject* const* given, Py_ssize_t count) {
  if (traced_type == nullptr) return false;
  for (Py_ssize_t k = 0; k < count; ++k) {
    if (reinterpret_cast<PyObject*>(Py_TYPE(given[k])) == traced_type) return true;
  }
  return false;
}

}  // namespace

PyObject* TraceOps(PyObject* /*module*/, PyObject* arguments) {
  PyObject* type = nullptr;
  PyObject* handler = nullptr;
  if (PyArg_ParseTuple(arguments, "O!O", &PyType_Type, &type, &handler) == 0) return nullptr;
  Replace(traced_type, Py_NewRef(type));
  Replace(trace_handler, Py_NewRef(handler));
  Py_RETURN_NONE;
}

PyObject* CallUncommon(const OpObject* self, PyObject* const* given, size_t flags,
                       PyObject* names) {
  const Py_ssize_t num_named = names == nullptr ? 0 : PyTuple_Size(names);
  const Py_ssize_t count = PyVectorcall_NARGS(flags) + num_named;
  if (!HasTraced(given, count)) return PyObject_Vectorcall(self->slow, given, flags, names);
  std::vector<PyObject*> arguments = {reinterpret_cast<PyObject*>(const_cast<OpObject*>(self))};
  arguments.insert(arguments.end(), given, given + count);
  return PyObject_Vectorcall(trace_handler, arguments.data(),
                             static_cast<size_t>(count + 1 - num_named), names);
}

}  // namespace hologram::python
