#include "numpy_fields.h"

#include <algorithm>
#include <array>

#include "isa/type.h"

namespace hologram::python {
namespace {

// The first fields of PyArray_Descr and PyArrayObject, which extensions have compiled into them.
struct Descriptor {
  PyObject_HEAD;
  PyTypeObject* scalar_type;
  char kind;
  char type;
  char byte_order;
  char flags;
  int type_number;
};
struct Array {
  PyObject_HEAD;
  char* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  Descriptor* descriptor;
  int flags;
};
constexpr int kContiguous = 0x1;
constexpr int kAligned = 0x100;
constexpr int kWriteable = 0x400;
constexpr int kBool = 0;

constexpr uint8_t kNone = 0xff;
// By type number: bool, int8 .. uint64 (long and long long both), then floats.
constexpr std::array<uint8_t, 24> kCodes = {
    HOLOGRAM_U8,  HOLOGRAM_I8,  HOLOGRAM_U8,  HOLOGRAM_I16, HOLOGRAM_U16, HOLOGRAM_I32,
    HOLOGRAM_U32, HOLOGRAM_I64, HOLOGRAM_U64, HOLOGRAM_I64, HOLOGRAM_U64, HOLOGRAM_F32,
    HOLOGRAM_F64, kNone,        kNone,        kNone,        kNone,        kNone,
    kNone,        kNone,        kNone,        kNone,        kNone,        HOLOGRAM_F16};
static_assert(sizeof(long) == 8);

// Owned for ever once it is set: numpy.ndarray is never unloaded.
PyTypeObject* numpy_array_type = nullptr;
bool looked = false;

// An attribute as a number, or -1.
int64_t Number(PyObject* object, const char* name) {
  PyObject* value = object == nullptr ? nullptr : PyObject_GetAttrString(object, name);
  const int64_t number = value == nullptr ? -1 : PyLong_AsLongLong(value);
  Py_XDECREF(value);
  PyErr_Clear();
  return number;
}

// Whether the fields say of an array what its attributes say.
bool FieldsAgree(PyObject* object) {
  const auto* array = reinterpret_cast<const Array*>(object);
  PyObject* ctypes_like = PyObject_GetAttrString(object, "__array_interface__");
  PyObject* data =
      ctypes_like == nullptr ? nullptr : PyDict_GetItemString(ctypes_like, "data");  // borrowed
  const bool address = data != nullptr && PyTuple_Check(data) != 0 &&
                       PyLong_AsVoidPtr(PyTuple_GetItem(data, 0)) == array->data;
  Py_XDECREF(ctypes_like);
  PyObject* dtype = PyObject_GetAttrString(object, "dtype");
  PyObject* flags = PyObject_GetAttrString(object, "flags");
  const bool rest = address && Number(object, "ndim") == array->rank && array->rank == 2 &&
                    array->shape[0] == 2 && array->shape[1] == 3 && array->strides[1] == 4 &&
                    dtype == reinterpret_cast<PyObject*>(array->descriptor) &&
                    Number(dtype, "num") == array->descriptor->type_number &&
                    array->descriptor->byte_order == '=' && Number(flags, "num") == array->flags;
  Py_XDECREF(dtype);
  Py_XDECREF(flags);
  PyErr_Clear();
  return rest;
}

// Looks for NumPy among the modules that are imported; never imports it.
void LookForNumpy() {
  PyObject* name = PyUnicode_FromString("numpy");
  PyObject* numpy = PyImport_GetModule(name);
  Py_XDECREF(name);
  if (numpy == nullptr) {
    PyErr_Clear();
    return;
  }
  PyObject* type = PyObject_GetAttrString(numpy, "ndarray");
  PyObject* probe = PyObject_CallMethod(numpy, "zeros", "((ii)s)", 2, 3, "float32");
  Py_DECREF(numpy);
  if (type == nullptr || probe == nullptr) {  // numpy is just being imported
    PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(probe);
    return;
  }
  looked = true;
  if (Py_TYPE(probe) == reinterpret_cast<PyTypeObject*>(type) && FieldsAgree(probe)) {
    numpy_array_type = reinterpret_cast<PyTypeObject*>(type);
  } else {
    Py_DECREF(type);
  }
  Py_DECREF(probe);
}

// PyArray_NewFromDescr of NumPy's C API.
using NewFromDescriptor = PyObject* (*)(PyTypeObject*, Descriptor*, int, const Py_ssize_t*,
                                        const Py_ssize_t*, void*, int, PyObject*);

// From the table of functions that extensions are compiled against: its places are the same in
// versions 1 and 2 of its interface. nullptr if it is of another version.
NewFromDescriptor FindNewFromDescriptor() {
  constexpr int kVersionPlace = 0;
  constexpr int kNewFromDescriptorPlace = 94;
  void** table = nullptr;
  for (const char* name : {"numpy._core._multiarray_umath", "numpy.core._multiarray_umath"}) {
    PyObject* text = PyUnicode_FromString(name);
    PyObject* module = text == nullptr ? nullptr : PyImport_GetModule(text);
    Py_XDECREF(text);
    PyObject* capsule = module == nullptr ? nullptr : PyObject_GetAttrString(module, "_ARRAY_API");
    Py_XDECREF(module);
    if (capsule != nullptr && PyCapsule_CheckExact(capsule) != 0) {
      table = static_cast<void**>(PyCapsule_GetPointer(capsule, nullptr));
    }
    Py_XDECREF(capsule);
    PyErr_Clear();
    if (table != nullptr) break;
  }
  if (table == nullptr) return nullptr;
  const unsigned version = reinterpret_cast<unsigned (*)()>(table[kVersionPlace])() >> 24;
  if (version != 1 && version != 2) return nullptr;
  return reinterpret_cast<NewFromDescriptor>(table[kNewFromDescriptorPlace]);
}

}  // namespace

bool SameShape(const NumpyShape& a, const NumpyShape& b) {
  return a.rank == b.rank && std::equal(a.extents, a.extents + a.rank, b.extents);
}

bool ReadNumpyFields(PyObject* object, ArrayView& view, NumpyShape& shape) {
  if (!ReadNumpyFields(object, view)) return false;
  const auto* array = reinterpret_cast<const Array*>(object);
  shape.rank = array->rank;
  shape.extents = array->shape;
  shape.count = view.memory.bytes / isa::SizeOf(static_cast<isa::Type>(view.code & 0xf));
  return array->descriptor->type_number != kBool;
}

PyObject* NewArrayLike(PyObject* array, PyObject* empty_like) {
  static const NewFromDescriptor make = FindNewFromDescriptor();
  if (make == nullptr || numpy_array_type == nullptr) return PyObject_CallOneArg(empty_like, array);
  const auto* fields = reinterpret_cast<const Array*>(array);
  Py_INCREF(fields->descriptor);  // taken over
  return make(numpy_array_type, fields->descriptor, fields->rank, fields->shape, nullptr, nullptr,
              0, nullptr);
}

bool ReadNumpyFields(PyObject* object, ArrayView& view) {
  if (Py_TYPE(object) != numpy_array_type) [[unlikely]] {
    if (looked) return false;
    LookForNumpy();
    if (Py_TYPE(object) != numpy_array_type) return false;
  }
  const auto* array = reinterpret_cast<const Array*>(object);
  constexpr int kNeeded = kContiguous | kAligned;
  const auto number = static_cast<unsigned>(array->descriptor->type_number);
  if ((array->flags & kNeeded) != kNeeded || number >= kCodes.size() || kCodes[number] == kNone ||
      array->descriptor->byte_order == '>') {
    return false;
  }
  const uint32_t code = kCodes[number];
  uint64_t count = 1;
  for (int d = 0; d < array->rank; ++d) count *= static_cast<uint64_t>(array->shape[d]);
  view.memory = {array->data, count * isa::SizeOf(static_cast<isa::Type>(code))};
  view.code = code | kBuffer | ((array->flags & kWriteable) != 0 ? kWritable : 0U);
  return true;
}

}  // namespace hologram::python
