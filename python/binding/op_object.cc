#include "op_object.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "objects.h"
#include "op_fields.h"

namespace hologram::python {
namespace {

PyTypeObject* op_type = nullptr;

// _link(fast, number, defaults, exact, square): the operations for accuracy="fast" and for a number
// as second operand, the numbers of scalars that are left out, the operation for
// approximate="none", and that for 2 as second operand.
PyObject* Link(PyObject* object, PyObject* arguments) {
  OpObject* self = AsOp(object);
  PyObject* fast = nullptr;
  PyObject* number = nullptr;
  PyObject* defaults = Py_None;
  PyObject* exact = Py_None;
  PyObject* square = Py_None;
  if (PyArg_ParseTuple(arguments, "OO|OOO", &fast, &number, &defaults, &exact, &square) == 0) {
    return nullptr;
  }
  for (PyObject* other : {fast, number, exact, square}) {
    if (other == Py_None) continue;
    // A number takes the place of the second of two arrays.
    const uint32_t numbers = other == number ? 1 : 0;
    if (Py_TYPE(other) != op_type || AsOp(other)->num_arrays + numbers != self->num_arrays ||
        AsOp(other)->num_scalars != self->num_scalars + numbers || AsOp(other)->num_arrays == 0 ||
        AsOp(other)->vectorcall != CallOp) {
      PyErr_SetString(PyExc_ValueError, "expected an operation with as many parameters");
      return nullptr;
    }
  }
  const Py_ssize_t numbers = self->vectorcall == CallReduction ? 2 : self->num_scalars;
  if (defaults != Py_None &&
      (!PyTuple_CheckExact(defaults) || numbers == 0 || PyTuple_Size(defaults) != numbers)) {
    PyErr_SetString(PyExc_ValueError, "expected a number for each scalar");
    return nullptr;
  }
  if (exact != Py_None && (AsOp(exact)->fast == nullptr) != (fast == Py_None)) {
    PyErr_SetString(PyExc_ValueError, "expected an operation with the same forms");
    return nullptr;
  }
  Replace(self->defaults, defaults == Py_None ? nullptr : Py_NewRef(defaults));
  if (square != Py_None && self->num_arrays != 2) {
    PyErr_SetString(PyExc_ValueError, "expected an operation on two arrays");
    return nullptr;
  }
  Replace(self->square, square == Py_None ? nullptr : Py_NewRef(square));
  Replace(self->exact, exact == Py_None ? nullptr : Py_NewRef(exact));
  Replace(self->fast, fast == Py_None ? nullptr : Py_NewRef(fast));
  Replace(self->number, number == Py_None ? nullptr : Py_NewRef(number));
  Py_RETURN_NONE;
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  const OpObject* self = AsOp(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->find);
  Py_VISIT(self->empty);
  Py_VISIT(self->slow);
  Py_VISIT(self->fast);
  Py_VISIT(self->number);
  Py_VISIT(self->defaults);
  Py_VISIT(self->square);
  Py_VISIT(self->exact);
  Py_VISIT(self->after);
  for (const auto& form : self->kernels) {
    for (PyObject* kernel : form) Py_VISIT(kernel);
  }
  return 0;
}

PyObject* Gone(PyObject* /*callable*/, PyObject* const* /*given*/, size_t /*flags*/,
               PyObject* /*names*/) {
  PyErr_SetString(PyExc_RuntimeError, "this operation has been collected");
  return nullptr;
}

int Clear(PyObject* object) {
  OpObject* self = AsOp(object);
  self->vectorcall = Gone;
  Py_CLEAR(self->find);
  Py_CLEAR(self->empty);
  Py_CLEAR(self->slow);
  Py_CLEAR(self->fast);
  Py_CLEAR(self->number);
  Py_CLEAR(self->defaults);
  Py_CLEAR(self->square);
  Py_CLEAR(self->exact);
  Py_CLEAR(self->after);
  for (auto& form : self->kernels) {
    for (PyObject*& kernel : form) Py_CLEAR(kernel);
  }
  return 0;
}

void Deallocate(PyObject* object) {
  PyObject_GC_UnTrack(object);
  Clear(object);
  Py_XDECREF(AsOp(object)->name);
  Py_XDECREF(AsOp(object)->doc);
  FreeObject(object);
}

PyObject* Name(PyObject* self, void* /*unused*/) {
  return Py_NewRef(AsOp(self)->name);
}
PyObject* Doc(PyObject* self, void* /*unused*/) {
  return Py_NewRef(AsOp(self)->doc);
}
PyObject* Slow(PyObject* self, void* /*unused*/) {
  if (AsOp(self)->slow != nullptr) return Py_NewRef(AsOp(self)->slow);
  PyErr_SetString(PyExc_AttributeError, "this operation has been collected");
  return nullptr;
}
PyObject* Module(PyObject* /*self*/, void* /*unused*/) {
  return PyUnicode_FromString("hologram.ops");
}
PyObject* Represent(PyObject* self) {
  return PyUnicode_FromFormat("<hologram.ops.%U>", AsOp(self)->name);
}
// What only some operations have: hologram.ops.parts makes it where it is asked for.
PyObject* GetAttribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return found;
  constexpr const char* kNames[] = {"parts", "finish", "part", "column_part", "ufunc"};
  const bool is_known = std::any_of(std::begin(kNames), std::end(kNames), [&](const char* known) {
    return PyUnicode_CompareWithASCIIString(name, known) == 0;
  });
  if (!is_known) return nullptr;
  PyErr_Clear();
  PyObject* module = PyImport_ImportModule("hologram.ops.parts");
  if (module == nullptr) return nullptr;
  found = PyObject_CallMethod(module, "attribute", "OO", AsOp(self)->name, name);
  Py_DECREF(module);
  return found;
}
// By its name, as a function of a module.
PyObject* Reduce(PyObject* self, PyObject* /*unused*/) {
  return Py_NewRef(AsOp(self)->name);
}

PyMethodDef kMethods[] = {
    {"_link", Link, METH_VARARGS, nullptr},
    {"_run", RunOp, METH_VARARGS, nullptr},
    {"_fold", FoldArray, METH_VARARGS, nullptr},
    {"__reduce__", Reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef kProperties[] = {
    {"__name__", Name, nullptr, nullptr, nullptr},
    {"__qualname__", Name, nullptr, nullptr, nullptr},
    {"__module__", Module, nullptr, nullptr, nullptr},
    {"__doc__", Doc, nullptr, nullptr, nullptr},
    {"__wrapped__", Slow, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef kMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot kSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
    {Py_tp_repr, reinterpret_cast<void*>(Represent)},
    {Py_tp_getattro, reinterpret_cast<void*>(GetAttribute)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_methods, kMethods},
    {Py_tp_getset, kProperties},
    {Py_tp_members, kMembers},
    {0, nullptr},
};
PyType_Spec kSpec = {"hologram.Op", sizeof(OpObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                         Py_TPFLAGS_DISALLOW_INSTANTIATION,
                     kSlots};

}  // namespace

bool IsOp(PyObject* object) {
  return Py_TYPE(object) == op_type;
}

PyObject* MakeOpType() {
  PyObject* type = PyType_FromSpec(&kSpec);
  op_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

PyObject* NewOp(PyObject* /*module*/, PyObject* arguments) {
  PyObject* name = nullptr;
  unsigned int num_arrays = 0;
  unsigned int num_scalars = 0;
  unsigned int types = 0;
  int has_rows = 0;
  unsigned int moves = 0;
  int result = -1;
  PyObject* find = nullptr;
  PyObject* empty = nullptr;
  PyObject* slow = nullptr;
  PyObject* doc = nullptr;
  if (PyArg_ParseTuple(arguments, "UIIIpIiOOOU", &name, &num_arrays, &num_scalars, &types,
                       &has_rows, &moves, &result, &find, &empty, &slow, &doc) == 0) {
    return nullptr;
  }
  if (num_arrays > kMostInputs || num_scalars > kMostNumbers ||
      (num_arrays == 0 && (moves == 0 || num_scalars != 1)) || moves > 2 ||
      (moves == 2 && (num_arrays != 1 || num_scalars != 0)) || result >= int{kTypes}) {
    PyErr_SetString(PyExc_ValueError,
                    "expected at most three arrays and two scalars, and bits for none");
    return nullptr;
  }
  PyObject* object = PyType_GenericAlloc(op_type, 0);
  if (object == nullptr) return nullptr;
  OpObject* self = AsOp(object);
  self->vectorcall = num_arrays == 0 ? CallFill : CallOp;
  self->num_arrays = num_arrays;
  self->num_scalars = num_scalars;
  self->types = types;
  self->has_rows = has_rows != 0;
  self->copies_bits = moves != 0;
  self->transposes = moves == 2;
  self->result = result;
  self->name = Py_NewRef(name);
  self->doc = Py_NewRef(doc);
  self->find = Py_NewRef(find);
  self->empty = Py_NewRef(empty);
  self->slow = Py_NewRef(slow);
  return object;
}

PyObject* MakeOpKinds() {
  constexpr const char* kNames[] = {"none",   "mean", "root", "truth",      "index",
                                    "matvec", "gemm", "sums", "along_rows", "cast"};
  static_assert(std::size(kNames) == static_cast<size_t>(OpKind::kCast) + 1);
  PyObject* const kinds = PyDict_New();
  for (size_t k = 0; kinds != nullptr && k < std::size(kNames); ++k) {
    PyObject* const number = PyLong_FromSize_t(k);
    const bool failed = number == nullptr || PyDict_SetItemString(kinds, kNames[k], number) != 0;
    Py_XDECREF(number);
    if (!failed) continue;
    Py_DECREF(kinds);
    return nullptr;
  }
  return kinds;
}

PyObject* NewOpOfKind(PyObject* /*module*/, PyObject* arguments) {
  PyObject* name = nullptr;
  unsigned int num_arrays = 0;
  unsigned int kind = 0;
  unsigned int types = 0;
  PyObject* find = nullptr;
  PyObject* empty = nullptr;
  PyObject* slow = nullptr;
  PyObject* doc = nullptr;
  PyObject* after = nullptr;
  if (PyArg_ParseTuple(arguments, "UIIIOOOUO", &name, &num_arrays, &kind, &types, &find, &empty,
                       &slow, &doc, &after) == 0) {
    return nullptr;
  }
  const bool needs_op =
      kind == static_cast<unsigned>(OpKind::kMean) || kind == static_cast<unsigned>(OpKind::kRoot);
  const bool along_rows = kind == static_cast<unsigned>(OpKind::kAlongRows);
  const bool casts = kind == static_cast<unsigned>(OpKind::kCast);
  const bool fits = needs_op ? Py_TYPE(after) == op_type
                    : casts  ? PyDict_CheckExact(after)
                             : after == Py_None;
  if (num_arrays < 1 || num_arrays > (along_rows ? kMostInputs : 2) ||
      kind > static_cast<unsigned>(OpKind::kCast) || !fits) {
    PyErr_SetString(PyExc_ValueError, "expected one array to three and what ends the reduction");
    return nullptr;
  }
  PyObject* object = PyType_GenericAlloc(op_type, 0);
  if (object == nullptr) return nullptr;
  OpObject* self = AsOp(object);
  self->vectorcall = along_rows                                       ? CallRows
                     : casts                                          ? CallCast
                     : kind >= static_cast<unsigned>(OpKind::kMatvec) ? CallProduct
                                                                      : CallReduction;
  self->num_arrays = num_arrays;
  self->types = types;
  self->result = -1;
  self->kind = static_cast<OpKind>(kind);
  self->name = Py_NewRef(name);
  self->doc = Py_NewRef(doc);
  self->find = Py_NewRef(find);
  self->empty = Py_NewRef(empty);
  self->slow = Py_NewRef(slow);
  if (needs_op || casts) self->after = Py_NewRef(after);
  return object;
}

}  // namespace hologram::python
