#include "objects.h"

#include <string_view>

namespace hologram::python {
namespace {

PyObject* AsObject(PyTypeObject* type) {
  return reinterpret_cast<PyObject*>(type);
}

// An attribute that is a text. Empty, without a Python error: it is something else. `owner` keeps
// it.
std::string_view Text(PyTypeObject* type, const char* name, PyObject*& owner) {
  owner = PyObject_GetAttrString(AsObject(type), name);
  const bool is_text = owner != nullptr && PyUnicode_Check(owner) != 0;
  const char* text = is_text ? PyUnicode_AsUTF8AndSize(owner, nullptr) : nullptr;
  PyErr_Clear();
  return text == nullptr ? "" : text;
}

// type.__dict__, whatever the class of the type says of that name.
PyObject* AttributesOf(PyTypeObject* type) {
  static PyObject* const property = [] {
    PyObject* attributes = PyObject_GetAttrString(AsObject(&PyType_Type), "__dict__");
    PyObject* name = PyUnicode_FromString("__dict__");
    PyObject* found =
        attributes == nullptr || name == nullptr ? nullptr : PyObject_GetItem(attributes, name);
    Py_XDECREF(attributes);
    Py_XDECREF(name);
    return found;
  }();
  if (property == nullptr) return nullptr;
  static const auto get =
      reinterpret_cast<descrgetfunc>(PyType_GetSlot(Py_TYPE(property), Py_tp_descr_get));
  return get(property, AsObject(type), AsObject(&PyType_Type));
}

}  // namespace

bool IsOfModule(PyTypeObject* type, const char* prefix) {
  PyObject* owner = nullptr;
  const bool is = Text(type, "__module__", owner).starts_with(prefix);
  Py_XDECREF(owner);
  return is;
}

PyObject* FullName(PyTypeObject* type) {
  PyObject* name = PyObject_GetAttrString(AsObject(type), "__qualname__");
  PyObject* module = nullptr;
  const std::string_view prefix = Text(type, "__module__", module);
  if (name != nullptr && !prefix.empty() && prefix != "builtins") {
    Replace(name, PyUnicode_FromFormat("%S.%S", module, name));
  }
  Py_XDECREF(module);
  return name;
}

PyObject* OwnAttribute(PyTypeObject* type, PyObject* name) {
  PyObject* const attributes = AttributesOf(type);
  PyObject* found = nullptr;
  // Asked first: most types do not have it, and an exception costs more.
  if (attributes != nullptr && PySequence_Contains(attributes, name) == 1) {
    found = PyObject_GetItem(attributes, name);
  }
  PyErr_Clear();
  Py_XDECREF(attributes);
  return found;
}

}  // namespace hologram::python
