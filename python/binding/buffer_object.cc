#include "buffer_object.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "dlpack.h"
#include "isa/half.h"
#include "isa/type.h"
#include "objects.h"
#include "scalars.h"

namespace hologram::python {

PyTypeObject* buffer_type = nullptr;

namespace {

BufferObject* AsBuffer(PyObject* object) {
  return reinterpret_cast<BufferObject*>(object);
}

isa::Type TypeOf(const BufferObject* self) {
  return static_cast<isa::Type>(self->code);
}

BufferObject* Allocate(uint32_t code, size_t count) {
  PyObject* object = PyType_GenericAlloc(buffer_type, 0);
  if (object == nullptr) return nullptr;
  BufferObject* self = AsBuffer(object);
  self->code = code;
  self->stride = static_cast<Py_ssize_t>(isa::SizeOf(TypeOf(self)));
  self->count = static_cast<Py_ssize_t>(count);
  self->step = 1;
  return self;
}

void Deallocate(PyObject* object) {
  BufferObject* self = AsBuffer(object);
  std::free(self->owned);
  hologram_boundary_destroy(self->boundary);
  if (self->managed != nullptr && self->managed->release != nullptr) {
    PyObject* error_type = nullptr;  // it may be Python code
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&error_type, &value, &trace);
    self->managed->release(self->managed);
    if (PyErr_Occurred() != nullptr) PyErr_WriteUnraisable(nullptr);
    PyErr_Restore(error_type, value, trace);
  }
  FreeObject(object);
}

PyObject* Represent(PyObject* object) {
  const BufferObject* self = AsBuffer(object);
  const std::string type(isa::NameOf(TypeOf(self)));
  if (self->boundary == nullptr) {
    return PyUnicode_FromFormat("<hologram.Buffer of %zd %s>", self->count, type.c_str());
  }
  return PyUnicode_FromFormat("<hologram.Buffer of %zd %s in class %u>", self->count, type.c_str(),
                              hologram_boundary_class(self->boundary));
}

Py_ssize_t Length(PyObject* object) {
  return AsBuffer(object)->count;
}

// ---- What it is

PyObject* ElementType(PyObject* object, void* /*closure*/) {
  return PyUnicode_FromString(std::string(isa::NameOf(TypeOf(AsBuffer(object)))).c_str());
}
PyObject* ElementSize(PyObject* object, void* /*closure*/) {
  return PyLong_FromSsize_t(AsBuffer(object)->stride);
}
PyObject* SizeBytes(PyObject* object, void* /*closure*/) {
  return PyLong_FromSize_t(AsBuffer(object)->size());
}
PyObject* PoolName(PyObject* object, void* /*closure*/) {
  return PyUnicode_FromString(AsBuffer(object)->boundary == nullptr ? "linear" : "boundary");
}
PyObject* IsLinear(PyObject* object, void* /*closure*/) {
  return PyBool_FromLong(AsBuffer(object)->boundary == nullptr);
}
PyObject* IsBoundary(PyObject* object, void* /*closure*/) {
  return PyBool_FromLong(AsBuffer(object)->boundary != nullptr);
}
PyObject* ClassIndex(PyObject* object, void* /*closure*/) {
  const BufferObject* self = AsBuffer(object);
  if (self->boundary == nullptr) Py_RETURN_NONE;
  return PyLong_FromUnsignedLong(hologram_boundary_class(self->boundary));
}

// ---- Copies

// hg.ArgumentError, which is a TypeError and a ValueError, with the name of the argument.
void RefuseText(const char* name, PyObject* text) {
  PyObject* errors = text == nullptr ? nullptr : PyImport_ImportModule("hologram.errors");
  PyObject* type = errors == nullptr ? nullptr : PyObject_GetAttrString(errors, "ArgumentError");
  if (type != nullptr) PyErr_Format(type, "%s: %S", name, text);
  Py_XDECREF(type);
  Py_XDECREF(errors);
  Py_XDECREF(text);
}

template <class... Values>
void Refuse(const char* name, const char* format, Values... values) {
  RefuseText(name, PyUnicode_FromFormat(format, values...));
}

// With what is set, unless memory is short.
void RefuseForThat(const char* name) {
  if (PyErr_ExceptionMatches(PyExc_MemoryError) != 0) return;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  RefuseText(name, PyObject_Str(value));
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

// An array with as many elements of the same type.
bool ReadOther(const BufferObject* self, const char* name, PyObject* other, ArrayView& view,
               Holds& holds) {
  switch (ReadArray(other, view, nullptr, holds)) {
    case ReadResult::kRead:
      break;
    case ReadResult::kNoArray:
      Refuse(name, "expected an array (buffer protocol or DLPack), found %R", other);
      return false;
    case ReadResult::kFailed:
      RefuseForThat(name);
      return false;
  }
  const auto type = static_cast<isa::Type>(view.code & 0xf);
  if (type != TypeOf(self)) {
    Refuse(name, "expected elements of %s, found %s",
           std::string(isa::NameOf(TypeOf(self))).c_str(), std::string(isa::NameOf(type)).c_str());
    return false;
  }
  if (view.memory.bytes == self->size()) return true;
  Refuse(name, "expected %zd elements, found %zu", self->count,
         static_cast<size_t>(view.memory.bytes) / static_cast<size_t>(self->stride));
  return false;
}

bool IsWritable(const BufferObject* self) {
  if (!self->read_only) return true;
  Refuse("buffer", "it is read-only");
  return false;
}

bool CopyFrom(BufferObject* self, PyObject* source) {
  ArrayView view;
  Holds holds;
  if (!IsWritable(self) || !ReadOther(self, "src", source, view, holds)) return false;
  if (self->size() != 0) std::memmove(self->data, view.memory.data, self->size());
  return true;
}

PyObject* CopyFromSlice(PyObject* object, PyObject* source) {
  if (!CopyFrom(AsBuffer(object), source)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* CopyFromCanonicalSlice(PyObject* object, PyObject* source) {
  BufferObject* self = AsBuffer(object);
  if (!CopyFrom(self, source)) return nullptr;
  hologram_canonicalize(self->data, self->size());
  Py_RETURN_NONE;
}

PyObject* CopyToSlice(PyObject* object, PyObject* target) {
  const BufferObject* self = AsBuffer(object);
  ArrayView view;
  Holds holds;
  if (!ReadOther(self, "dst", target, view, holds)) return nullptr;
  if ((view.code & kWritable) == 0) {
    Refuse("dst", "is written, found a read-only array");
    return nullptr;
  }
  if (self->size() != 0) std::memmove(view.memory.data, self->data, self->size());
  Py_RETURN_NONE;
}

PyObject* ValueAt(const BufferObject* self, Py_ssize_t index) {
  uint64_t bits = 0;
  const auto size = static_cast<size_t>(self->stride);
  std::memcpy(&bits, self->data + index * self->stride, size);
  if (isa::IsFloat(TypeOf(self))) return PyFloat_FromDouble(isa::FloatValue(bits, TypeOf(self)));
  if (!isa::IsSignedInteger(TypeOf(self))) return PyLong_FromUnsignedLongLong(bits);
  const size_t unused = 64 - 8 * size;
  return PyLong_FromLongLong(static_cast<int64_t>(bits << unused) >> unused);
}

PyObject* ToVec(PyObject* object, PyObject* /*unused*/) {
  const BufferObject* self = AsBuffer(object);
  PyObject* list = PyList_New(self->count);
  for (Py_ssize_t k = 0; list != nullptr && k < self->count; ++k) {
    PyObject* value = ValueAt(self, k);
    if (value == nullptr) {
      Py_CLEAR(list);
    } else {
      PyList_SetItem(list, k, value);
    }
  }
  return list;
}

PyObject* Fill(PyObject* object, PyObject* value) {
  BufferObject* self = AsBuffer(object);
  uint64_t bits = 0;
  if (!IsWritable(self)) return nullptr;
  if (!ReadScalar(value, self->code, bits)) {
    RefuseForThat("value");
    return nullptr;
  }
  for (Py_ssize_t k = 0; k < self->count; ++k) {
    std::memcpy(self->data + k * self->stride, &bits, static_cast<size_t>(self->stride));
  }
  Py_RETURN_NONE;
}

// NumPy asks for it where there is no buffer protocol, and would take the buffer for an object.
PyObject* AsNumpyArray(PyObject* object, PyObject* /*arguments*/, PyObject* /*names*/) {
  const std::string type(isa::NameOf(TypeOf(AsBuffer(object))));
  Refuse("buffer", "NumPy has no %s; torch.from_dlpack(buffer) is the same memory", type.c_str());
  return nullptr;
}

PyObject* CanonicalizeAll(PyObject* object, PyObject* /*unused*/) {
  BufferObject* self = AsBuffer(object);
  if (!IsWritable(self)) return nullptr;
  hologram_canonicalize(self->data, self->size());
  Py_RETURN_NONE;
}

PyObject* VerifyCanonical(PyObject* object, PyObject* /*unused*/) {
  const BufferObject* self = AsBuffer(object);
  return PyBool_FromLong(hologram_is_canonical(self->data, self->size()));
}

constexpr const char* kBufferDoc =
    "Elements of one type in memory of its own (64-byte aligned), of a class, or of another\n"
    "library; made by hologram.Executor. numpy.asarray(buffer), memoryview(buffer) and\n"
    "torch.from_dlpack(buffer) are the same memory, and keep it. A class is free again when the\n"
    "buffer and all of these are gone. A buffer is not a lock: threads may read one together, or "
    "write\n"
    "different elements.";

PyMethodDef kMethods[] = {
    {"copy_from_slice", CopyFromSlice, METH_O,
     "copy_from_slice(src)\n--\n\nCopies an array of as many elements of the same type. Raises\n"
     "ArgumentError."},
    {"copy_to_slice", CopyToSlice, METH_O,
     "copy_to_slice(dst)\n--\n\nCopies to an array of as many elements of the same type. Raises\n"
     "ArgumentError."},
    {"copy_from_canonical_slice", CopyFromCanonicalSlice, METH_O,
     "copy_from_canonical_slice(src)\n--\n\nCopies, then makes all bytes canonical."},
    {"canonicalize_all", CanonicalizeAll, METH_NOARGS,
     "canonicalize_all()\n--\n\nClears the lowest bit of each byte, which changes numbers (1.0 of "
     "f32\nbecomes 0.25)."},
    {"verify_canonical", VerifyCanonical, METH_NOARGS,
     "verify_canonical()\n--\n\nWhether the lowest bit of each byte is 0."},
    {"to_vec", ToVec, METH_NOARGS, "to_vec()\n--\n\nThe elements as a list of numbers."},
    {"fill", Fill, METH_O,
     "fill(value)\n--\n\nSets all elements. Raises ArgumentError for no number of the type."},
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(AsNumpyArray)),
     METH_VARARGS | METH_KEYWORDS,
     "__array__(dtype=None, copy=None)\n--\n\nRaises ArgumentError: of types that NumPy has, it "
     "uses "
     "the buffer protocol."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(ToDlpack)),
     METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nThe memory as "
     "a DLPack capsule."},
    {"__dlpack_device__", DlpackDevice, METH_NOARGS, "__dlpack_device__()\n--\n\n(1, 0): the CPU."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef kProperties[] = {
    {"element_type", ElementType, nullptr, "As kernels name it: 'f32'.", nullptr},
    {"element_size", ElementSize, nullptr, "Bytes of an element.", nullptr},
    {"size_bytes", SizeBytes, nullptr, "Bytes of all elements.", nullptr},
    {"pool", PoolName, nullptr, "'linear', or 'boundary' for the memory of a class.", nullptr},
    {"is_linear", IsLinear, nullptr, nullptr, nullptr},
    {"is_boundary", IsBoundary, nullptr, nullptr, nullptr},
    {"class_index", ClassIndex, nullptr, "The class, 0 to 95; None for a linear buffer.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot kSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
    {Py_tp_repr, reinterpret_cast<void*>(Represent)},
    {Py_sq_length, reinterpret_cast<void*>(Length)},
    {Py_bf_getbuffer, reinterpret_cast<void*>(GetPyBuffer)},
    {Py_tp_methods, kMethods},
    {Py_tp_getset, kProperties},
    {Py_tp_doc, const_cast<char*>(kBufferDoc)},
    {0, nullptr},
};

PyType_Spec kSpec = {"hologram.Buffer", sizeof(BufferObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, kSlots};

}  // namespace

PyObject* MakeBufferType() {
  PyObject* type = PyType_FromSpec(&kSpec);
  if (type == nullptr) return nullptr;
  PyObject* table = DlpackTable();
  if (table == nullptr || PyObject_SetAttrString(type, kDlExchangeAttribute, table) != 0) {
    Py_CLEAR(type);
  }
  Py_XDECREF(table);
  buffer_type = reinterpret_cast<PyTypeObject*>(type);
  if (type != nullptr && !KnowBuffers()) Py_CLEAR(type);
  return type;
}

PyObject* NewBuffer(uint32_t code, size_t count) {
  constexpr size_t kAlignment = 64;
  constexpr size_t kMost = size_t{1} << 56;
  if (count > kMost) return PyErr_NoMemory();
  BufferObject* self = Allocate(code, count);
  if (self == nullptr) return nullptr;
  const size_t bytes = (self->size() / kAlignment + 1) * kAlignment;
  self->owned = std::aligned_alloc(kAlignment, bytes);
  if (self->owned == nullptr) {
    Py_DECREF(reinterpret_cast<PyObject*>(self));
    return PyErr_NoMemory();
  }
  std::memset(self->owned, 0, bytes);
  self->data = static_cast<char*>(self->owned);
  return reinterpret_cast<PyObject*>(self);
}

PyObject* NewBoundaryBuffer(uint32_t code, hologram_boundary* boundary) {
  const size_t size = isa::SizeOf(static_cast<isa::Type>(code));
  BufferObject* self = Allocate(code, hologram_boundary_size(boundary) / size);
  if (self == nullptr) {
    hologram_boundary_destroy(boundary);
    return nullptr;
  }
  self->boundary = boundary;
  self->data = static_cast<char*>(hologram_boundary_data(boundary));
  return reinterpret_cast<PyObject*>(self);
}

PyObject* NewManagedBuffer(uint32_t code, DlManagedTensorVersioned* managed) {
  BufferObject* self = Allocate(code, static_cast<size_t>(managed->tensor.shape[0]));
  if (self == nullptr) return nullptr;
  self->managed = managed;
  self->data = static_cast<char*>(managed->tensor.data) + managed->tensor.byte_offset;
  self->read_only = (managed->flags & kDlReadOnly) != 0;
  return reinterpret_cast<PyObject*>(self);
}

ArrayView ViewOfBuffer(PyObject* object) {
  const BufferObject* self = AsBuffer(object);
  ArrayView view;
  view.memory = {self->data, self->size()};
  view.code = self->code | kBuffer | (self->read_only ? 0U : kWritable);
  return view;
}

}  // namespace hologram::python
