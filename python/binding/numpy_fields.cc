#include "numpy_fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "capture.h"
#include "isa/type.h"
#include "objects.h"

namespace hologram::python {

// Owned for ever once it is set: numpy.ndarray is never unloaded.
PyTypeObject* numpy_array_type = nullptr;

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

std::array<PyTypeObject*, 2> number_types{};  // numpy.integer and numpy.floating
PyTypeObject* time_type = nullptr;            // numpy.timedelta64
PyTypeObject* bool_type = nullptr;            // numpy.bool_
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

// A class, and none that was written in Python: a module of that name may be anybody's.
bool IsStaticType(PyObject* object) {
  return PyType_Check(object) != 0 && IsStatic(reinterpret_cast<PyTypeObject*>(object));
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
  PyObject* integer = PyObject_GetAttrString(numpy, "integer");
  PyObject* floating = PyObject_GetAttrString(numpy, "floating");
  PyObject* probe = PyObject_CallMethod(numpy, "zeros", "((ii)s)", 2, 3, "float32");
  const bool found =
      type != nullptr && integer != nullptr && floating != nullptr && probe != nullptr;
  if (found) {  // else numpy is just being imported
    looked = true;
    time_type = reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(numpy, "timedelta64"));
    bool_type = reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(numpy, "bool_"));
  }
  Py_DECREF(numpy);
  if (found && IsStaticType(type) && IsStaticType(integer) && IsStaticType(floating) &&
      Py_TYPE(probe) == reinterpret_cast<PyTypeObject*>(type) &&
      Number(type, "__basicsize__") >= static_cast<int64_t>(sizeof(Array)) && FieldsAgree(probe)) {
    numpy_array_type = reinterpret_cast<PyTypeObject*>(Py_NewRef(type));
    number_types = {reinterpret_cast<PyTypeObject*>(Py_NewRef(integer)),
                    reinterpret_cast<PyTypeObject*>(Py_NewRef(floating))};
  }
  PyErr_Clear();
  Py_XDECREF(type);
  Py_XDECREF(integer);
  Py_XDECREF(floating);
  Py_XDECREF(probe);
}

// PyArray_NewFromDescr of NumPy's C API.
using NewFromDescriptor = PyObject* (*)(PyTypeObject*, Descriptor*, int, const Py_ssize_t*,
                                        const Py_ssize_t*, void*, int, PyObject*);

// PyArray_DescrFromType
using DescriptorFromType = Descriptor* (*)(int);

// What is used of the table of functions that extensions are compiled against: its places are the
// same in versions 1 and 2 of its interface. Null if it is of another version.
struct Functions {
  DescriptorFromType descriptor = nullptr;
  NewFromDescriptor make = nullptr;
};
Functions FindFunctions() {
  constexpr int kVersionPlace = 0;
  constexpr int kDescriptorFromTypePlace = 45;
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
  if (table == nullptr) return {};
  const unsigned version = reinterpret_cast<unsigned (*)()>(table[kVersionPlace])() >> 24;
  if (version != 1 && version != 2) return {};
  return {reinterpret_cast<DescriptorFromType>(table[kDescriptorFromTypePlace]),
          reinterpret_cast<NewFromDescriptor>(table[kNewFromDescriptorPlace])};
}

const Functions& NumpyFunctions() {
  static const Functions functions = FindFunctions();
  return functions;
}

// NumPy's number of a type of hologram.h, bool at the end; bf16 has none.
constexpr std::array<int, kBoolCode + 1> kTypeNumbers = {1,  3,  5,  7,  2,  4,  6,  8, 23,
                                                         -1, 11, 12, -1, -1, -1, -1, 0};

PyObject* CallEmpty(PyObject* empty, int rank, const Py_ssize_t* extents, PyObject* dtype) {
  PyObject* shape = PyTuple_New(rank);
  for (int d = 0; shape != nullptr && d < rank; ++d) {
    PyTuple_SetItem(shape, d, PyLong_FromSsize_t(extents[d]));
  }
  PyObject* made =
      shape == nullptr ? nullptr : PyObject_CallFunctionObjArgs(empty, shape, dtype, nullptr);
  Py_XDECREF(shape);
  return made;
}

}  // namespace

bool IsNumpyArray(PyObject* object) {
  if (Py_TYPE(object) == numpy_array_type) [[likely]] {
    return true;
  }
  if (looked) return false;
  LookForNumpy();
  return Py_TYPE(object) == numpy_array_type;
}

bool HasNumpyFields(PyObject* object) {
  if (IsNumpyArray(object)) return true;
  PyTypeObject* const type = Py_TYPE(object);
  return numpy_array_type != nullptr && PyType_IsSubtype(type, numpy_array_type) != 0 &&
         PyType_GetSlot(type, Py_bf_getbuffer) == PyType_GetSlot(numpy_array_type, Py_bf_getbuffer);
}

bool HasMemory(PyObject* object, const ArrayView& view, const hologram_array_shape* shape) {
  const auto* array = reinterpret_cast<const Array*>(object);
  const auto size = static_cast<Py_ssize_t>(isa::SizeOf(static_cast<isa::Type>(view.code & 0xf)));
  if (array->data != view.memory.data) return false;
  uint64_t elements = 1;
  for (int d = 0; d < array->rank; ++d) elements *= static_cast<uint64_t>(array->shape[d]);
  if (shape != nullptr) {
    std::vector<int64_t> strides(array->strides, array->strides + array->rank);
    for (int64_t& stride : strides) stride /= size;
    hologram_array_shape found{};
    const auto reach = SetShape({array->shape, static_cast<size_t>(array->rank)}, strides, found);
    if (!reach) PyErr_Clear();
    if (!reach || !IsSameShape(found, *shape)) return false;
    elements = *reach;
  }
  return elements * static_cast<uint64_t>(size) == view.memory.bytes;
}

bool IsNumpyNumber(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  // timedelta64 is an integer, to NumPy.
  if (numpy_array_type == nullptr || !IsStatic(type) || type == time_type) return false;
  return PyType_IsSubtype(type, number_types[0]) != 0 ||
         PyType_IsSubtype(type, number_types[1]) != 0;
}

bool IsNumpyBool(PyObject* object) {
  if (!looked) LookForNumpy();
  return Py_TYPE(object) == bool_type;
}

bool SameShape(const NumpyArray& a, const NumpyArray& b) {
  return a.rank == b.rank && std::equal(a.extents, a.extents + a.rank, b.extents);
}

PyObject* NewArrayLike(PyObject* like, int rank, const Py_ssize_t* extents, PyObject* empty) {
  Descriptor* const descriptor = reinterpret_cast<const Array*>(like)->descriptor;
  const NewFromDescriptor make = NumpyFunctions().make;
  if (make == nullptr) {
    return Captured(CallEmpty(empty, rank, extents, reinterpret_cast<PyObject*>(descriptor)));
  }
  Py_INCREF(reinterpret_cast<PyObject*>(descriptor));  // taken over
  return Captured(make(numpy_array_type, descriptor, rank, extents, nullptr, nullptr, 0, nullptr));
}

PyObject* NewArrayOf(uint32_t code, int rank, const Py_ssize_t* extents, PyObject* empty) {
  const Functions& functions = NumpyFunctions();
  if (functions.make == nullptr || numpy_array_type == nullptr) {
    static constexpr std::array<const char*, kBoolCode + 1> kNames = {
        "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "", "f4", "f8", "", "", "", "", "?"};
    PyObject* dtype = PyUnicode_FromString(kNames[code]);
    PyObject* made = dtype == nullptr ? nullptr : CallEmpty(empty, rank, extents, dtype);
    Py_XDECREF(dtype);
    return Captured(made);
  }
  Descriptor* descriptor = functions.descriptor(kTypeNumbers[code]);
  if (descriptor == nullptr) return nullptr;
  return Captured(
      functions.make(numpy_array_type, descriptor, rank, extents, nullptr, nullptr, 0, nullptr));
}

bool ReadNumpyArray(PyObject* object, NumpyArray& found) {
  if (!IsNumpyArray(object)) return false;
  const auto* array = reinterpret_cast<const Array*>(object);
  const auto number = static_cast<unsigned>(array->descriptor->type_number);
  if (number >= kCodes.size() || kCodes[number] == kNone || array->descriptor->byte_order == '>') {
    return false;
  }
  found.data = array->data;
  found.code = kCodes[number];
  found.size = isa::SizeOf(static_cast<isa::Type>(found.code));
  found.is_bool = number == kBool;
  found.writable = (array->flags & kWriteable) != 0;
  found.contiguous = (array->flags & kContiguous) != 0;
  found.type_number = array->descriptor->type_number;
  found.rank = array->rank;
  found.extents = array->shape;
  found.strides = array->strides;
  if (found.contiguous) return true;
  for (int d = 0; d < found.rank; ++d) {
    if (found.strides[d] % static_cast<Py_ssize_t>(found.size) != 0) return false;
  }
  return true;
}

namespace {

// The number of values, as their extents are the first ones. Empty: the array has no such values.
std::optional<uint64_t> CountValues(const Array& array, const ValueType& type) {
  const auto* descriptor = reinterpret_cast<const PyObject*>(array.descriptor);
  const auto rank = static_cast<uint32_t>(array.rank);
  uint64_t values = 1;
  uint64_t numbers = 1;  // of a value
  for (uint32_t d = 0; d < rank; ++d) {
    (d < type.rank ? values : numbers) *= static_cast<uint64_t>(array.shape[d]);
  }
  if (descriptor == type.dtype) return rank == type.rank ? std::optional(values) : std::nullopt;
  const auto number = static_cast<unsigned>(array.descriptor->type_number);
  if (!type.of_numbers || number >= kCodes.size() || kCodes[number] != type.code ||
      array.descriptor->byte_order == '>') {
    return std::nullopt;
  }
  if (rank > type.rank) return numbers == type.count ? std::optional(values) : std::nullopt;
  const bool is_flat = type.is_flat && rank == 1 && type.rank == 1 && values % type.count == 0;
  return is_flat ? std::optional(values / type.count) : std::nullopt;
}

}  // namespace

bool ReadNumpyValues(PyObject* object, const ValueType& type, ValueArray& values) {
  if (!IsNumpyArray(object)) return false;
  const auto& array = *reinterpret_cast<const Array*>(object);
  if ((array.flags & kContiguous) == 0) return false;
  const std::optional<uint64_t> count = CountValues(array, type);
  if (!count) return false;
  const uint64_t numbers = *count * type.count;  // its bytes are those of an array that is there
  values.memory = {array.data, numbers * isa::SizeOf(static_cast<isa::Type>(type.code))};
  values.code = type.code | kBuffer | ((array.flags & kWriteable) != 0 ? kWritable : 0U);
  if (type.rank == 1) return true;
  if (numbers == 0 || type.rank >= HOLOGRAM_MAX_RANK) return false;
  std::array<int64_t, HOLOGRAM_MAX_RANK> extents;
  std::array<int64_t, HOLOGRAM_MAX_RANK> strides;
  int64_t stride = 1;
  for (uint32_t d = type.rank + 1; d-- != 0;) {
    extents[d] = d == type.rank ? type.count : array.shape[d];
    strides[d] = stride;
    stride *= extents[d];
  }
  const bool is_set =
      SetShape({extents.data(), type.rank + 1}, {strides.data(), type.rank + 1}, values.shape)
          .has_value();
  if (!is_set) PyErr_Clear();
  return is_set;
}

bool ReadNumpyFields(PyObject* object, ArrayView& view) {
  if (!IsNumpyArray(object)) return false;
  const auto* array = reinterpret_cast<const Array*>(object);
  const auto number = static_cast<unsigned>(array->descriptor->type_number);
  if ((array->flags & kContiguous) == 0 || number >= kCodes.size() || kCodes[number] == kNone ||
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
