#include "dispatch_object.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "hologram/hologram.h"
#include "isa/type.h"
#include "kernel_call.h"
#include "kernel_fields.h"
#include "kernel_object.h"
#include "numpy_fields.h"
#include "objects.h"

namespace hologram::python {
namespace {

// A subclass has the method _launch(*arguments, **named), which is Python: it binds the arguments,
// finds or compiles the kernel, launches it, and then remembers what it has found here. A later
// call with arguments of the same kinds goes to that kernel without running any Python. Whatever is
// unlike what was remembered, and all that is wrong, is left to _launch, which describes it.

enum class Role : uint8_t {
  kPlain,     // an argument of the kernel as it is
  kNumbers,   // a value whose numbers are arguments
  kValues,    // an array of values
  kAbsent,    // None, and no argument
  kConstant,  // known when compiling, and no argument
};
constexpr int kRoles = 5;

// A parameter as it is written.
struct Place {
  Role role = Role::kPlain;
  PyObject* name = nullptr;     // owned and interned
  PyObject* initial = nullptr;  // owned; what an argument that is left out is, or null
  PyObject* dtype = nullptr;  // owned; kValues: a type of NumPy whose elements are values, or null
  int64_t constant = 0;
  uint32_t count = 1;       // numbers of a value
  bool is_complex = false;  // kNumbers
  bool of_numbers = false;  // kValues, as in ValueType
  bool is_flat = false;
  uint32_t first = 0;  // of its arguments
};

// What an earlier call has found.
struct Choice {
  PyObject* kernel = nullptr;  // owned
  std::vector<Place> places;

  Choice() = default;
  Choice(const Choice&) = delete;
  Choice& operator=(const Choice&) = delete;
  Choice(Choice&& other) noexcept : kernel(other.kernel), places(std::move(other.places)) {
    other.kernel = nullptr;
    other.places.clear();
  }
  Choice& operator=(Choice&& other) noexcept {
    std::swap(kernel, other.kernel);
    std::swap(places, other.places);
    return *this;
  }
  ~Choice() {
    Py_XDECREF(kernel);
    for (const Place& place : places) {
      Py_XDECREF(place.name);
      Py_XDECREF(place.initial);
      Py_XDECREF(place.dtype);
    }
  }
};

constexpr size_t kMostChoices = 8;

struct DispatchObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  std::vector<Choice>* choices;  // owned; the newest first
  uint32_t readers;              // calls that are looking at them
};

DispatchObject* AsDispatch(PyObject* object) {
  return reinterpret_cast<DispatchObject*>(object);
}

// The arguments of a kernel, taken apart.
struct Flat {
  std::array<PyObject*, HOLOGRAM_MAX_PARAMETERS> given;  // borrowed, or of `made`
  std::array<const ValueArray*, HOLOGRAM_MAX_PARAMETERS> values;
  std::array<ValueArray, HOLOGRAM_MAX_PARAMETERS> arrays;
  std::array<PyObject*, HOLOGRAM_MAX_PARAMETERS> made;  // owned; at most one for each of `given`
  size_t num_made = 0;
  size_t num_arrays = 0;

  Flat() {}  // the rest is written before it is read
  Flat(const Flat&) = delete;
  Flat& operator=(const Flat&) = delete;
  ~Flat() { Clear(); }
  void Clear() {
    for (size_t k = 0; k < num_made; ++k) Py_DECREF(made[k]);
    num_made = 0;
    num_arrays = 0;
  }
  bool Put(size_t k, double number) {
    PyObject* object = PyFloat_FromDouble(number);
    if (object == nullptr) return false;
    made[num_made++] = given[k] = object;
    return true;
  }
};

// A number whose conversion runs no code of the user.
bool IsNumber(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
         IsNumpyNumber(object);
}

bool TakePlain(const KernelObject* kernel, const Place& place, PyObject* object, Flat& flat) {
  const uint32_t code = kernel->plan->codes[place.first];
  if ((code & kBuffer) == 0) {
    if (!IsNumber(object)) return false;
  } else {
    NumpyArray array;
    if (!ReadNumpyArray(object, array) || array.code != (code & kTypeOfArgument)) return false;
    const std::span strides(array.strides, static_cast<size_t>(array.rank));
    const bool forward = std::ranges::all_of(strides, [](Py_ssize_t stride) { return stride > 0; });
    if (!array.contiguous && !forward) return false;
  }
  flat.given[place.first] = object;
  flat.values[place.first] = nullptr;
  return true;
}

// The items of a tuple or list.
bool TakeItems(const Place& place, PyObject* object, Flat& flat) {
  const bool is_tuple = PyTuple_CheckExact(object);
  const Py_ssize_t size = is_tuple ? PyTuple_Size(object) : PyList_Size(object);
  if (size != static_cast<Py_ssize_t>(place.count)) return false;
  for (uint32_t k = 0; k < place.count; ++k) {
    PyObject* item = is_tuple ? PyTuple_GetItem(object, k) : PyList_GetItem(object, k);
    if (!IsNumber(item)) return false;
    flat.given[place.first + k] = item;
    if (!is_tuple) flat.made[flat.num_made++] = Py_NewRef(item);  // a list may change
  }
  return true;
}

bool TakeNumbers(const Place& place, PyObject* object, Flat& flat) {
  std::fill_n(flat.values.begin() + place.first, place.count, nullptr);
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
    return TakeItems(place, object, flat);
  }
  if (PyComplex_CheckExact(object)) {
    return place.count == 2 && place.is_complex &&
           flat.Put(place.first, PyComplex_RealAsDouble(object)) &&
           flat.Put(place.first + 1, PyComplex_ImagAsDouble(object));
  }
  NumpyArray array;
  if (!ReadNumpyArray(object, array) || array.rank != 1 || array.extents[0] != place.count) {
    return false;
  }
  if (array.code != HOLOGRAM_F32 && array.code != HOLOGRAM_F64) return false;
  for (uint32_t k = 0; k < place.count; ++k) {
    const char* number = array.data + array.strides[0] * static_cast<Py_ssize_t>(k);
    double value = 0;
    if (float narrow = 0; array.code == HOLOGRAM_F32) {
      std::memcpy(&narrow, number, sizeof narrow);
      value = double{narrow};
    } else {
      std::memcpy(&value, number, sizeof value);
    }
    if (!flat.Put(place.first + k, value)) return false;
  }
  return true;
}

bool TakeValues(const KernelObject* kernel, const Place& place, PyObject* object, Flat& flat) {
  const uint32_t rank = hologram_kernel_parameter(kernel->kernel, place.first)->rank;
  ValueType type;
  type.dtype = place.dtype;
  type.code = kernel->plan->codes[place.first] & kTypeOfArgument;
  type.count = place.count;
  type.rank = rank > 1 ? rank - 1 : 1;
  type.of_numbers = place.of_numbers;
  type.is_flat = place.is_flat;
  ValueArray& array = flat.arrays[flat.num_arrays];
  if (!ReadNumpyValues(object, type, array)) return false;
  ++flat.num_arrays;
  flat.given[place.first] = object;
  flat.values[place.first] = &array;
  return true;
}

bool IsConstant(const Place& place, PyObject* object) {
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0 && value == place.constant;
}

bool Take(const KernelObject* kernel, const Place& place, PyObject* object, Flat& flat) {
  switch (place.role) {
    case Role::kPlain:
      return TakePlain(kernel, place, object, flat);
    case Role::kNumbers:
      return TakeNumbers(place, object, flat);
    case Role::kValues:
      return TakeValues(kernel, place, object, flat);
    case Role::kAbsent:
      return object == Py_None;
    case Role::kConstant:
      return IsConstant(place, object);
  }
  return false;
}

// The argument of a place: by position, by name, or the one that is taken if there is none.
PyObject* ArgumentOf(const Place& place, size_t k, PyObject* const* given, size_t num_positional,
                     PyObject* names, size_t& num_taken) {
  if (k < num_positional) {
    ++num_taken;
    return given[k];
  }
  const Py_ssize_t num_names = names == nullptr ? 0 : PyTuple_Size(names);
  for (Py_ssize_t n = 0; n < num_names; ++n) {
    if (PyTuple_GetItem(names, n) != place.name) continue;
    ++num_taken;
    return given[num_positional + static_cast<size_t>(n)];
  }
  return place.initial;
}

// Whether the arguments are like those of the choice. Runs no code of the user. A Python error may
// be set where there is no memory.
bool TakeApart(const Choice& choice, PyObject* const* given, size_t num_positional, PyObject* names,
               Flat& flat) {
  const size_t num_given =
      num_positional + static_cast<size_t>(names == nullptr ? 0 : PyTuple_Size(names));
  if (num_given > choice.places.size()) return false;
  const KernelObject* kernel = AsKernel(choice.kernel);
  if (kernel->vectorcall != CallKernel) return false;
  size_t num_taken = 0;
  for (size_t k = 0; k < choice.places.size(); ++k) {
    const Place& place = choice.places[k];
    PyObject* object = ArgumentOf(place, k, given, num_positional, names, num_taken);
    if (object == nullptr || !Take(kernel, place, object, flat)) return false;
  }
  return num_taken == num_given;  // else one is given twice, or is of another name
}

// The kernel of the first choice whose places the arguments fit, a new reference; else null.
// Looking for NumPy may let other threads run: they remember nothing meanwhile.
PyObject* FindKernel(DispatchObject* self, PyObject* const* given, size_t num_positional,
                     PyObject* names, Flat& flat) {
  ++self->readers;
  PyObject* found = nullptr;
  for (const Choice& choice : *self->choices) {
    if (TakeApart(choice, given, num_positional, names, flat)) {
      found = Py_NewRef(choice.kernel);
      break;
    }
    if (PyErr_Occurred() != nullptr) break;
    flat.Clear();
  }
  --self->readers;
  return found;
}

PyObject* CallDispatch(PyObject* object, PyObject* const* given, size_t flags, PyObject* names) {
  DispatchObject* self = AsDispatch(object);
  if (self->choices != nullptr) {
    Flat flat;
    const auto num_positional = static_cast<size_t>(PyVectorcall_NARGS(flags));
    if (PyObject* kernel = FindKernel(self, given, num_positional, names, flat)) {
      PyObject* result = CallOnValues(AsKernel(kernel), flat.given.data(), flat.values.data());
      Py_DECREF(kernel);
      return result;
    }
    if (PyErr_Occurred() != nullptr) return nullptr;
  }
  PyObject* launch = PyObject_GetAttrString(object, "_launch");
  if (launch == nullptr) return nullptr;
  PyObject* result = PyObject_Vectorcall(launch, given, flags, names);
  Py_DECREF(launch);
  return result;
}

// ---- What is remembered

// (role, name, initial or None, count, numbers, dtype or None), as hologram/remembered.py makes it.
bool ReadPlace(PyObject* tuple, Place& place) {
  int role = 0;
  PyObject* name = nullptr;
  PyObject* initial = nullptr;
  PyObject* dtype = nullptr;
  long long count = 0;
  int numbers = 0;
  if (PyTuple_Check(tuple) == 0) {
    PyErr_SetString(PyExc_TypeError, "a place is a tuple");
    return false;
  }
  if (PyArg_ParseTuple(tuple, "iUOLiO", &role, &name, &initial, &count, &numbers, &dtype) == 0) {
    return false;
  }
  if (role < 0 || role >= kRoles) {
    PyErr_SetString(PyExc_ValueError, "a place has an unknown role");
    return false;
  }
  place.role = static_cast<Role>(role);
  place.name = Py_NewRef(name);
  PyUnicode_InternInPlace(&place.name);
  if (initial != Py_None || place.role == Role::kAbsent) place.initial = Py_NewRef(initial);
  if (dtype != Py_None) place.dtype = Py_NewRef(dtype);
  place.constant = count;
  if (place.role == Role::kNumbers || place.role == Role::kValues) {
    if (count < 1 || count > HOLOGRAM_MAX_PARAMETERS * 64) {
      PyErr_SetString(PyExc_ValueError, "a place has a wrong count");
      return false;
    }
    place.count = static_cast<uint32_t>(count);
  }
  place.is_complex = numbers != 0;
  place.of_numbers = numbers != 0;
  place.is_flat = numbers > 1;
  return true;
}

int64_t ItemSize(PyObject* dtype) {
  PyObject* value = PyObject_GetAttrString(dtype, "itemsize");
  const int64_t size = value == nullptr ? -1 : PyLong_AsLongLong(value);
  Py_XDECREF(value);
  PyErr_Clear();
  return size;
}

// Whether the arguments of the places are those of the kernel.
bool Fits(const KernelObject* kernel, std::span<Place> places) {
  const uint32_t count = kernel->plan->num_parameters;
  uint32_t next = 0;
  for (Place& place : places) {
    place.first = next;
    if (place.role == Role::kAbsent || place.role == Role::kConstant) continue;
    const uint32_t arguments = place.role == Role::kNumbers ? place.count : 1;
    if (arguments > count - next) return false;
    for (uint32_t k = 0; k < arguments; ++k) {
      const bool is_array = (kernel->plan->codes[next + k] & kBuffer) != 0;
      if (place.role != Role::kPlain && is_array != (place.role == Role::kValues)) return false;
    }
    const auto type = static_cast<isa::Type>(kernel->plan->codes[next] & kTypeOfArgument);
    if (place.dtype != nullptr &&
        ItemSize(place.dtype) != int64_t{place.count} * isa::SizeOf(type)) {
      return false;
    }
    next += arguments;
  }
  return next == count;
}

// _remember(kernel, places): the newest of at most eight. What does not fit is not remembered.
PyObject* Remember(PyObject* object, PyObject* arguments) {
  PyObject* kernel = nullptr;
  PyObject* places = nullptr;
  if (PyArg_ParseTuple(arguments, "OO!", &kernel, &PyTuple_Type, &places) == 0) return nullptr;
  if (!IsKernel(kernel) || AsKernel(kernel)->kernel == nullptr) Py_RETURN_NONE;
  Choice choice;
  choice.places.resize(static_cast<size_t>(PyTuple_Size(places)));
  for (size_t k = 0; k < choice.places.size(); ++k) {
    if (!ReadPlace(PyTuple_GetItem(places, static_cast<Py_ssize_t>(k)), choice.places[k])) {
      return nullptr;
    }
  }
  if (!Fits(AsKernel(kernel), choice.places)) Py_RETURN_NONE;
  choice.kernel = Py_NewRef(kernel);
  DispatchObject* self = AsDispatch(object);
  if (self->readers != 0) Py_RETURN_NONE;
  if (self->choices == nullptr) self->choices = new std::vector<Choice>;
  std::vector<Choice>& choices = *self->choices;
  std::vector<Choice> gone;  // its references go when the list is whole again
  if (choices.size() == kMostChoices) {
    gone.push_back(std::move(choices.back()));
    choices.pop_back();
  }
  choices.insert(choices.begin(), std::move(choice));
  Py_RETURN_NONE;
}

// ---- The type

PyObject* New(PyTypeObject* type, PyObject* /*arguments*/, PyObject* /*named*/) {
  PyObject* object = PyType_GenericAlloc(type, 0);
  if (object != nullptr) AsDispatch(object)->vectorcall = CallDispatch;
  return object;
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  const DispatchObject* self = AsDispatch(object);
  if (self->choices == nullptr) return 0;
  for (const Choice& choice : *self->choices) Py_VISIT(choice.kernel);
  return 0;
}

int Clear(PyObject* object) {
  std::vector<Choice>* const choices = AsDispatch(object)->choices;
  AsDispatch(object)->choices = nullptr;
  delete choices;
  return 0;
}

void Deallocate(PyObject* object) {
  PyObject_GC_UnTrack(object);
  Clear(object);
  FreeObject(object);
}

PyMethodDef kMethods[] = {
    {"_remember", Remember, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyMemberDef kMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(DispatchObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot kSlots[] = {
    {Py_tp_new, reinterpret_cast<void*>(New)},
    {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_methods, kMethods},
    {Py_tp_members, kMembers},
    {0, nullptr},
};
PyType_Spec kSpec = {
    "hologram.Dispatch", sizeof(DispatchObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    kSlots};

}  // namespace

PyObject* MakeDispatchType() {
  return PyType_FromSpec(&kSpec);
}

}  // namespace hologram::python
