#include "device_array.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "dlpack.h"
#include "dlpack_export.h"
#include "hologram/device.h"
#include "isa/type.h"
#include "kernel_fields.h"
#include "kernel_object.h"
#include "objects.h"

namespace hologram::python {
namespace {

PyTypeObject* device_array_type = nullptr;

struct DeviceArrayObject {
  PyObject_HEAD;
  hologram_device_memory* memory;
  PyObject* owner;  // whose memory it is; null: its own
  PyObject* keeps;  // who has lent the memory, or null
  uint32_t code;    // type of hologram.h
  uint64_t count;   // elements
  hologram_array_shape shape;
};

DeviceArrayObject* AsDeviceArray(PyObject* object) {
  return reinterpret_cast<DeviceArrayObject*>(object);
}

size_t BytesOf(const DeviceArrayObject* self) {
  return self->count * isa::SizeOf(static_cast<isa::Type>(self->code));
}

// Extents from a tuple, at most HOLOGRAM_MAX_RANK.
bool ReadShape(PyObject* tuple, DeviceArrayObject* self) {
  const Py_ssize_t rank = PyTuple_Size(tuple);
  if (rank > HOLOGRAM_MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "arrays on devices have up to %d dimensions, found %zd",
                 int{HOLOGRAM_MAX_RANK}, rank);
    return false;
  }
  self->count = 1;
  self->shape.rank = static_cast<uint32_t>(rank);
  for (Py_ssize_t d = 0; d < rank; ++d) {
    const Py_ssize_t extent = PyLong_AsSsize_t(PyTuple_GetItem(tuple, d));
    if (extent == -1 && PyErr_Occurred() != nullptr) return false;
    constexpr uint64_t kMost = uint64_t{1} << 56;
    if (extent < 0 ||
        __builtin_mul_overflow(self->count, static_cast<uint64_t>(extent), &self->count) ||
        self->count > kMost) {
      PyErr_Format(PyExc_ValueError, "no array has the shape %R", tuple);
      return false;
    }
    self->shape.extents[d] = static_cast<uint64_t>(extent);
  }
  return true;
}

// Shares the memory of another array, borrows it (device, pointer, whose it is), or takes new one
// on the device that is named.
bool TakeMemory(DeviceArrayObject* self, PyObject* source) {
  if (IsDeviceArray(source)) {
    const DeviceArrayObject* other = AsDeviceArray(source);
    if (BytesOf(self) != BytesOf(other)) {
      PyErr_Format(PyExc_ValueError, "the shape has %zu bytes, and the array %zu", BytesOf(self),
                   BytesOf(other));
      return false;
    }
    self->memory = other->memory;
    self->owner = Py_NewRef(other->owner != nullptr ? other->owner : source);
    return true;
  }
  const char* device = nullptr;
  hologram_error* error = nullptr;
  if (PyTuple_Check(source) != 0) {
    unsigned long long pointer = 0;
    if (PyArg_ParseTuple(source, "sKO", &device, &pointer, &self->keeps) == 0) return false;
    Py_INCREF(self->keeps);
    Py_BEGIN_ALLOW_THREADS;
    error = hologram_device_borrow(device, pointer, BytesOf(self), &self->memory);
    Py_END_ALLOW_THREADS;
    return Succeeded(error);
  }
  if (source != Py_None) {
    device = PyUnicode_AsUTF8AndSize(source, nullptr);
    if (device == nullptr) return false;
  }
  Py_BEGIN_ALLOW_THREADS;
  error = hologram_device_allocate(device, BytesOf(self), &self->memory);
  Py_END_ALLOW_THREADS;
  return Succeeded(error);
}

PyObject* New(PyTypeObject* type, PyObject* arguments, PyObject* /*keywords*/) {
  const char* name = nullptr;
  PyObject* shape = nullptr;
  PyObject* source = nullptr;
  if (PyArg_ParseTuple(arguments, "sO!O", &name, &PyTuple_Type, &shape, &source) == 0) {
    return nullptr;
  }
  const auto code = isa::ParseType(name);
  if (!code) {
    PyErr_Format(PyExc_ValueError, "there is no element type '%s'", name);
    return nullptr;
  }
  PyObject* object = PyType_GenericAlloc(type, 0);
  if (object == nullptr) return nullptr;
  DeviceArrayObject* self = AsDeviceArray(object);
  self->code = static_cast<uint32_t>(*code);
  if (!ReadShape(shape, self) || !TakeMemory(self, source)) Py_CLEAR(object);
  return object;
}

void Deallocate(PyObject* object) {
  DeviceArrayObject* self = AsDeviceArray(object);
  if (self->owner == nullptr) hologram_device_destroy(self->memory);
  Py_XDECREF(self->owner);
  Py_XDECREF(self->keeps);
  FreeObject(object);
}

// ---- Copies

// Memory of the host with as many bytes; its elements lie one after the other. Released by the
// caller.
bool HostMemory(const DeviceArrayObject* self, PyObject* object, int flags, Py_buffer& buffer) {
  if (PyObject_GetBuffer(object, &buffer, flags) != 0) return false;
  if (static_cast<size_t>(buffer.len) == BytesOf(self)) return true;
  PyErr_Format(PyExc_ValueError, "expected %zu bytes, found %zd", BytesOf(self), buffer.len);
  PyBuffer_Release(&buffer);
  return false;
}

PyObject* Write(PyObject* object, PyObject* from) {
  const DeviceArrayObject* self = AsDeviceArray(object);
  Py_buffer buffer;
  if (!HostMemory(self, from, PyBUF_C_CONTIGUOUS, buffer)) return nullptr;
  hologram_error* error = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  error = hologram_device_write(self->memory, 0, buffer.buf, BytesOf(self));
  Py_END_ALLOW_THREADS;
  PyBuffer_Release(&buffer);
  if (!Succeeded(error)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* Read(PyObject* object, PyObject* to) {
  const DeviceArrayObject* self = AsDeviceArray(object);
  Py_buffer buffer;
  if (!HostMemory(self, to, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE, buffer)) return nullptr;
  hologram_error* error = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  error = hologram_device_read(self->memory, 0, buffer.buf, BytesOf(self));
  Py_END_ALLOW_THREADS;
  PyBuffer_Release(&buffer);
  if (!Succeeded(error)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* Wait(PyObject* object, PyObject* /*none*/) {
  hologram_error* error = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  error = hologram_device_wait(AsDeviceArray(object)->memory);
  Py_END_ALLOW_THREADS;
  if (!Succeeded(error)) return nullptr;
  Py_RETURN_NONE;
}

// ---- What it is

PyObject* ElementType(PyObject* object, void* /*closure*/) {
  const auto type = static_cast<isa::Type>(AsDeviceArray(object)->code);
  return PyUnicode_FromString(std::string(isa::NameOf(type)).c_str());
}

PyObject* Shape(PyObject* object, void* /*closure*/) {
  const hologram_array_shape& shape = AsDeviceArray(object)->shape;
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(shape.rank));
  for (uint32_t d = 0; tuple != nullptr && d < shape.rank; ++d) {
    PyObject* extent = PyLong_FromUnsignedLongLong(shape.extents[d]);
    if (extent == nullptr) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SetItem(tuple, static_cast<Py_ssize_t>(d), extent);
    }
  }
  return tuple;
}

PyObject* Size(PyObject* object, void* /*closure*/) {
  return PyLong_FromUnsignedLongLong(AsDeviceArray(object)->count);
}
PyObject* NumBytes(PyObject* object, void* /*closure*/) {
  return PyLong_FromSize_t(BytesOf(AsDeviceArray(object)));
}
PyObject* Pointer(PyObject* object, void* /*closure*/) {
  uint64_t pointer = 0;
  Py_BEGIN_ALLOW_THREADS;
  pointer = hologram_device_pointer(AsDeviceArray(object)->memory);
  Py_END_ALLOW_THREADS;
  return PyLong_FromUnsignedLongLong(pointer);
}
PyObject* PlaceName(PyObject* object, void* /*closure*/) {
  return PyUnicode_FromString(hologram_device_place(AsDeviceArray(object)->memory));
}

// ---- For others

// Where it is, as DLPack has it; false with a Python error set for other devices.
bool DeviceOf(const DeviceArrayObject* self, DlDevice& device) {
  const std::string_view place = hologram_device_place(self->memory);
  constexpr std::string_view kCuda = "cuda:";
  if (!place.starts_with(kCuda)) {
    PyErr_Format(PyExc_BufferError, "the array is on %s; DLPack is for those on CUDA devices",
                 hologram_device_place(self->memory));
    return false;
  }
  device = {kDlCuda, std::atoi(place.data() + kCuda.size())};
  return true;
}

PyObject* ArrayDlpackDevice(PyObject* object, PyObject* /*none*/) {
  DlDevice device{};
  if (!DeviceOf(AsDeviceArray(object), device)) return nullptr;
  return Py_BuildValue("(ii)", device.type, device.id);
}

// Launches on memory that others know wait for what was asked of the device, and are done when they
// return: there is no stream to wait for.
PyObject* ArrayToDlpack(PyObject* object, PyObject* arguments, PyObject* keywords) {
  DeviceArrayObject* self = AsDeviceArray(object);
  DlOptions options;
  DlTensor tensor{};
  if (!ReadDlOptions(arguments, keywords, options) || !DeviceOf(self, tensor.device)) {
    return nullptr;
  }
  if (options.has_device &&
      (options.device.type != tensor.device.type || options.device.id != tensor.device.id)) {
    PyErr_Format(PyExc_BufferError, "dl_device: expected (%d, %d), found (%d, %d)",
                 tensor.device.type, tensor.device.id, options.device.type, options.device.id);
    return nullptr;
  }
  if (options.copy) {
    PyErr_SetString(PyExc_BufferError, "copy: hologram.ops.copy makes one");
    return nullptr;
  }
  uint64_t pointer = 0;
  Py_BEGIN_ALLOW_THREADS;
  pointer = hologram_device_pointer(self->memory);
  Py_END_ALLOW_THREADS;
  tensor.data = reinterpret_cast<void*>(static_cast<uintptr_t>(pointer));  // NOLINT
  tensor.rank = static_cast<int32_t>(self->shape.rank);
  tensor.type = DlTypeOf(self->code);
  tensor.shape = reinterpret_cast<int64_t*>(self->shape.extents);
  DlExport* exported = NewDlExport(object, tensor, 0);
  return exported == nullptr ? nullptr : DlCapsule(exported, options.versioned);
}

PyMethodDef kMethods[] = {
    {"__dlpack__",
     reinterpret_cast<PyCFunction>(
         reinterpret_cast<void*>(ArrayToDlpack)),  // NOLINT: as CPython has it
     METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nThe memory as "
     "a DLPack capsule, of an array on a CUDA device."},
    {"__dlpack_device__", ArrayDlpackDevice, METH_NOARGS,
     "__dlpack_device__()\n--\n\n(2, n): the n-th CUDA device."},
    {"_write", Write, METH_O, "Copies a C-contiguous array of the host with as many bytes."},
    {"_read", Read, METH_O, "Copies to one."},
    {"wait", Wait, METH_NOARGS,
     "Waits until all launches on its device are done; copies to the host do so themselves. Raises "
     "UnsupportedError with what the driver reports of one of them."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef kProperties[] = {
    {"element_type", ElementType, nullptr, "As kernels name it: 'f32'.", nullptr},
    {"shape", Shape, nullptr, "Extents, outermost first.", nullptr},
    {"size", Size, nullptr, "How many elements there are.", nullptr},
    {"nbytes", NumBytes, nullptr, "Bytes of all elements.", nullptr},
    {"_pointer", Pointer, nullptr, "What the driver calls its memory.", nullptr},
    {"device", PlaceName, nullptr, "Where it is: 'cuda:0'.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot kSlots[] = {
    {Py_tp_new, reinterpret_cast<void*>(New)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
    {Py_tp_methods, kMethods},
    {Py_tp_getset, kProperties},
    {0, nullptr},
};

PyType_Spec kSpec = {"hologram._native.DeviceArray", sizeof(DeviceArrayObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, kSlots};

}  // namespace

PyObject* MakeDeviceArrayType() {
  PyObject* type = PyType_FromSpec(&kSpec);
  device_array_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

bool IsDeviceArray(PyObject* object) {
  return PyObject_TypeCheck(object, device_array_type) != 0;
}

void ReadDeviceArray(PyObject* object, ArrayView& view, hologram_array_shape* shape) {
  const DeviceArrayObject* self = AsDeviceArray(object);
  view.memory = {hologram_device_address(self->memory), BytesOf(self)};
  view.code = self->code | kBuffer | kWritable | HOLOGRAM_ARGUMENT_DEVICE;
  if (shape != nullptr) *shape = self->shape;
}

}  // namespace hologram::python
