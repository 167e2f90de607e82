#include "span_object.h"

#include <cstdint>
#include <vector>

#include "hologram/observe.h"
#include "objects.h"

namespace hologram::python {
namespace {

struct SpanObject {
  PyObject_HEAD;
  uint64_t begun;       // 0: no trace ran then
  PyObject* name;       // str
  PyObject* arguments;  // a dict, or null
};

SpanObject* AsSpan(PyObject* object) {
  return reinterpret_cast<SpanObject*>(object);
}

PyObject* New(PyTypeObject* type, PyObject* given, PyObject* arguments) {
  if (PyTuple_Size(given) != 1 || PyUnicode_Check(PyTuple_GetItem(given, 0)) == 0) {
    PyErr_SetString(PyExc_TypeError, "span: expected its name, a str, and facts by name");
    return nullptr;
  }
  PyObject* object = PyType_GenericAlloc(type, 0);
  if (object == nullptr) return nullptr;
  AsSpan(object)->name = Py_NewRef(PyTuple_GetItem(given, 0));
  AsSpan(object)->arguments = Py_XNewRef(arguments);
  return object;
}

void Deallocate(PyObject* object) {
  Py_XDECREF(AsSpan(object)->name);
  Py_XDECREF(AsSpan(object)->arguments);
  FreeObject(object);
}

PyObject* Enter(PyObject* object, PyObject* /*unused*/) {
  AsSpan(object)->begun = hologram_span_begin();
  return Py_NewRef(object);
}

// A fact as a text. Of an array, and of what else has the memory of many elements, its type: data
// is never in a trace.
PyObject* FactOf(PyObject* value) {
  const bool has_data = PyObject_HasAttrString(value, "__dlpack__") != 0 ||
                        (PyObject_CheckBuffer(value) != 0 && PySequence_Check(value) != 0);
  return has_data ? FullName(Py_TYPE(value)) : PyObject_Str(value);
}

// False with an error of Python. Texts are of the dict, or in `owned`.
bool ReadFacts(PyObject* dict, std::vector<hologram_span_argument>& facts,
               std::vector<PyObject*>& owned) {
  Py_ssize_t at = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(dict, &at, &key, &value) != 0) {
    hologram_span_argument fact{PyUnicode_AsUTF8AndSize(key, nullptr), nullptr, 0};
    if (fact.name == nullptr) return false;
    if (PyLong_Check(value) && !PyBool_Check(value)) {
      fact.number = PyLong_AsUnsignedLongLong(value);
    }
    // What is no count is a text: negative numbers, floats, names.
    if (!PyLong_Check(value) || PyBool_Check(value) || PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      PyObject* text = FactOf(value);
      if (text == nullptr) return false;
      owned.push_back(text);
      fact.text = PyUnicode_AsUTF8AndSize(text, nullptr);
      if (fact.text == nullptr) return false;
    }
    facts.push_back(fact);
  }
  return true;
}

PyObject* End(const SpanObject* self) {
  const char* name = PyUnicode_AsUTF8AndSize(self->name, nullptr);
  if (name == nullptr) return nullptr;
  std::vector<hologram_span_argument> facts;
  std::vector<PyObject*> owned;
  const bool read = self->arguments == nullptr || ReadFacts(self->arguments, facts, owned);
  if (read) hologram_span_end(self->begun, name, facts.data(), facts.size());
  for (PyObject* text : owned) Py_DECREF(text);
  if (!read) return nullptr;
  Py_RETURN_NONE;
}

PyObject* Exit(PyObject* object, PyObject* const* /*error*/, Py_ssize_t /*count*/) {
  if (AsSpan(object)->begun != 0) return End(AsSpan(object));
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"__enter__", Enter, METH_NOARGS, "The span begins."},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Exit)), METH_FASTCALL,
     "The span ends."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(New)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
    {Py_tp_methods, methods},
    {0, nullptr},
};

PyType_Spec spec = {"hologram._native.Span", sizeof(SpanObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

PyObject* MakeSpanType() {
  return PyType_FromSpec(&spec);
}

}  // namespace hologram::python
