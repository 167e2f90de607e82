// The memory of a hologram.Buffer for NumPy and others, without a copy: buffer protocol, DLPack
// capsules, and DLPack's table of functions.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "buffer_object.h"
#include "dlpack.h"
#include "dlpack_export.h"
#include "objects.h"

namespace hologram::python {
namespace {

BufferObject* AsBuffer(PyObject* object) {
  return reinterpret_cast<BufferObject*>(object);
}

// By type of hologram.h, as the struct module says it. bf16 has none.
constexpr const char* kFormats[] = {"b", "h", "i", "q", "B", "H", "I", "Q", "e", nullptr, "f", "d"};

DlTensor TensorOf(BufferObject* self) {
  DlTensor tensor{};
  tensor.data = self->data;
  tensor.device = {kDlCpu, 0};
  tensor.rank = 1;
  tensor.type = DlTypeOf(self->code);
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  tensor.shape = reinterpret_cast<int64_t*>(&self->count);
  tensor.strides = &self->step;
  return tensor;
}

DlExport* Export(PyObject* object, uint64_t flags) {
  BufferObject* self = AsBuffer(object);
  return NewDlExport(object, TensorOf(self), flags | (self->read_only ? kDlReadOnly : 0));
}

// ---- The table of functions

// Whoever has the table may call it with anything.
bool CheckBuffer(void* object) {
  if (IsBuffer(static_cast<PyObject*>(object))) [[likely]] {
    return true;
  }
  PyObject* name = FullName(Py_TYPE(static_cast<PyObject*>(object)));
  PyErr_Format(PyExc_TypeError, "expected a hologram.Buffer, found an object of %V", name, "?");
  Py_XDECREF(name);
  return false;
}

int FromObject(void* object, DlManagedTensorVersioned** out) {
  if (!CheckBuffer(object)) return -1;
  DlExport* exported = Export(static_cast<PyObject*>(object), 0);
  if (exported == nullptr) return -1;
  *out = &exported->versioned;
  return 0;
}

int ViewObject(void* object, DlTensor* out) {
  if (!CheckBuffer(object)) return -1;
  BufferObject* self = AsBuffer(static_cast<PyObject*>(object));
  if (self->read_only) {  // of which a tensor alone cannot tell
    PyErr_SetString(PyExc_BufferError, "the buffer is read-only");
    return -1;
  }
  *out = TensorOf(self);
  return 0;
}

int ToObject(DlManagedTensorVersioned* managed, void** out) {
  const DlTensor& tensor = managed->tensor;
  const auto code = CodeOfDlType(tensor.type);
  const bool flat = tensor.rank == 1 && tensor.shape[0] >= 0 &&
                    (tensor.strides == nullptr || tensor.strides[0] == 1 || tensor.shape[0] <= 1);
  if (managed->version.major != kDlMajor || !code || !flat || !IsHost(tensor) ||
      (tensor.data == nullptr && tensor.shape[0] != 0)) {
    PyErr_SetString(PyExc_BufferError,
                    "a hologram.Buffer has one dimension without gaps, elements of a type that "
                    "kernels have, in memory of the CPU");
    return -1;
  }
  PyObject* object = NewManagedBuffer(*code, managed);
  if (object == nullptr) return -1;
  *out = object;
  return 0;
}

int CurrentStream(int32_t /*device_type*/, int32_t /*device_id*/, void** out) {
  *out = nullptr;
  return 0;
}

struct OwnTensor {
  DlManagedTensorVersioned managed{};
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  std::unique_ptr<void, decltype(&std::free)> memory{nullptr, std::free};
};

// Without the lock of the interpreter.
int AllocateTensor(DlTensor* prototype, DlManagedTensorVersioned** out, void* error_context,
                   void (*set_error)(void*, const char*, const char*)) {
  const auto refuse = [&](const char* kind, const char* message) {
    set_error(error_context, kind, message);
    return -1;
  };
  if (prototype->device.type != kDlCpu) {
    return refuse("BufferError", "hologram allocates memory of the CPU");
  }
  if (prototype->rank < 0 || prototype->type.bits % 8 != 0) {
    return refuse("BufferError", "hologram allocates whole bytes");
  }
  try {
    auto own = std::make_unique<OwnTensor>();
    own->shape.assign(prototype->shape, prototype->shape + prototype->rank);
    own->strides.resize(own->shape.size());
    int64_t bytes = prototype->type.bits / 8 * int64_t{prototype->type.lanes};
    int64_t step = 1;
    for (size_t d = own->shape.size(); d-- > 0;) {
      own->strides[d] = step;
      if (own->shape[d] < 0 || __builtin_mul_overflow(bytes, own->shape[d], &bytes) ||
          bytes >> 56 != 0) {
        return refuse("MemoryError", "a size that no memory has");
      }
      step *= own->shape[d] == 0 ? 1 : own->shape[d];
    }
    constexpr size_t kAlignment = 64;
    const size_t size = (static_cast<size_t>(bytes) / kAlignment + 1) * kAlignment;
    own->memory.reset(std::aligned_alloc(kAlignment, size));
    if (own->memory == nullptr) return refuse("MemoryError", "no memory for a tensor");
    std::memset(own->memory.get(), 0, size);
    DlManagedTensorVersioned& managed = own->managed;
    managed.version = {kDlMajor, kDlMinor};
    managed.context = own.get();
    managed.release = [](DlManagedTensorVersioned* tensor) {
      delete static_cast<OwnTensor*>(tensor->context);
    };
    managed.tensor.data = own->memory.get();
    managed.tensor.device = {kDlCpu, 0};
    managed.tensor.rank = prototype->rank;
    managed.tensor.type = prototype->type;
    managed.tensor.shape = own->shape.data();
    managed.tensor.strides = own->strides.data();
    *out = &own.release()->managed;
    return 0;
  } catch (const std::bad_alloc&) {
    return refuse("MemoryError", "no memory for a tensor");
  }
}

constexpr DlExchange kExchange = {
    {kDlMajor, kDlMinor}, nullptr, AllocateTensor, FromObject, ToObject, ViewObject, CurrentStream};

}  // namespace

PyObject* DlpackTable() {
  return PyCapsule_New(const_cast<DlExchange*>(&kExchange), kDlExchangeName, nullptr);
}

int GetPyBuffer(PyObject* object, Py_buffer* view, int flags) {
  BufferObject* self = AsBuffer(object);
  view->obj = nullptr;
  const char* format = kFormats[self->code];
  if (format == nullptr) {
    PyErr_SetString(PyExc_BufferError, "the buffer protocol has no bf16; DLPack has");
    return -1;
  }
  if (self->read_only && (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "the buffer is read-only");
    return -1;
  }
  view->buf = self->data;
  view->len = self->count * self->stride;
  view->readonly = self->read_only ? 1 : 0;
  view->itemsize = self->stride;
  view->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
  view->ndim = 1;
  view->shape = (flags & PyBUF_ND) == PyBUF_ND ? &self->count : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &self->stride : nullptr;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  view->obj = Py_NewRef(object);
  return 0;
}

PyObject* DlpackDevice(PyObject* /*object*/, PyObject* /*unused*/) {
  return Py_BuildValue("(ii)", kDlCpu, 0);
}

PyObject* ToDlpack(PyObject* object, PyObject* arguments, PyObject* keywords) {
  DlOptions options;
  if (!ReadDlOptions(arguments, keywords, options)) return nullptr;
  if (options.stream != Py_None) {
    PyErr_SetString(PyExc_ValueError, "stream: expected None, memory of the CPU has no streams");
    return nullptr;
  }
  if (options.has_device && (options.device.type != kDlCpu || options.device.id != 0)) {
    PyErr_Format(PyExc_BufferError, "dl_device: expected (1, 0), the CPU, found (%d, %d)",
                 options.device.type, options.device.id);
    return nullptr;
  }
  BufferObject* self = AsBuffer(object);
  if (!options.versioned && self->read_only) {
    PyErr_SetString(PyExc_BufferError, "a read-only buffer needs max_version=(1, 0)");
    return nullptr;
  }
  PyObject* source = Py_NewRef(object);
  if (options.copy) {
    Replace(source, NewBuffer(self->code, static_cast<size_t>(self->count)));
    if (source == nullptr) return nullptr;
    std::memcpy(AsBuffer(source)->data, self->data, self->size());
  }
  DlExport* exported = Export(source, options.copy ? kDlCopied : 0);
  Py_DECREF(source);
  return exported == nullptr ? nullptr : DlCapsule(exported, options.versioned);
}

}  // namespace hologram::python
