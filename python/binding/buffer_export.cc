// The memory of a hologram.Buffer for NumPy and others, without a copy: buffer protocol, DLPack
// capsules, and DLPack's table of functions.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "buffer_object.h"
#include "dlpack.h"
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

// Both forms of an export, which keeps the buffer.
struct Exported {
  DlManagedTensorVersioned versioned;
  DlManagedTensor plain;
  PyObject* owner;
};

// May be called from any thread, also when the interpreter is gone.
void Release(Exported* exported) {
  if (Py_IsInitialized() != 0) {
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(exported->owner);
    PyGILState_Release(state);
  }
  delete exported;
}

Exported* Export(PyObject* object, uint64_t flags) {
  auto* exported = new (std::nothrow) Exported{};
  if (exported == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  BufferObject* self = AsBuffer(object);
  exported->owner = Py_NewRef(object);
  DlManagedTensorVersioned& versioned = exported->versioned;
  versioned.version = {kDlMajor, kDlMinor};
  versioned.context = exported;
  versioned.release = [](DlManagedTensorVersioned* tensor) {
    Release(static_cast<Exported*>(tensor->context));
  };
  versioned.flags = flags | (self->read_only ? kDlReadOnly : 0);
  versioned.tensor = TensorOf(self);
  exported->plain.context = exported;
  exported->plain.release = [](DlManagedTensor* tensor) {
    Release(static_cast<Exported*>(tensor->context));
  };
  exported->plain.tensor = versioned.tensor;
  return exported;
}

// Of a capsule that nobody has consumed: its name is still the one that it was made with.
template <class Managed>
void DropCapsule(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->release(managed);
}

PyObject* Capsule(Exported* exported, bool versioned) {
  PyObject* capsule = versioned ? PyCapsule_New(&exported->versioned, "dltensor_versioned",
                                                [](PyObject* object) {
                                                  DropCapsule<DlManagedTensorVersioned>(
                                                      object, "dltensor_versioned");
                                                })
                                : PyCapsule_New(&exported->plain, "dltensor", [](PyObject* object) {
                                    DropCapsule<DlManagedTensor>(object, "dltensor");
                                  });
  if (capsule == nullptr) Release(exported);
  return capsule;
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
  Exported* exported = Export(static_cast<PyObject*>(object), 0);
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
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject* stream = Py_None;
  PyObject* version = Py_None;
  PyObject* device = Py_None;
  PyObject* copy = Py_None;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OOOO", const_cast<char**>(names), &stream,
                                  &version, &device, &copy) == 0) {
    return nullptr;
  }
  if (stream != Py_None) {
    PyErr_SetString(PyExc_ValueError, "stream: expected None, memory of the CPU has no streams");
    return nullptr;
  }
  int type = kDlCpu;
  int number = 0;
  if (device != Py_None) {
    if (PyTuple_Check(device) == 0 || PyArg_ParseTuple(device, "ii", &type, &number) == 0) {
      PyErr_Format(PyExc_TypeError, "dl_device: expected two numbers, found %R", device);
      return nullptr;
    }
    if (type != kDlCpu || number != 0) {
      PyErr_Format(PyExc_BufferError, "dl_device: expected (1, 0), the CPU, found %R", device);
      return nullptr;
    }
  }
  unsigned int major = 0;
  unsigned int minor = 0;
  if (version != Py_None &&
      (PyTuple_Check(version) == 0 || PyArg_ParseTuple(version, "II", &major, &minor) == 0)) {
    PyErr_Format(PyExc_TypeError, "max_version: expected two numbers, found %R", version);
    return nullptr;
  }
  BufferObject* self = AsBuffer(object);
  if (major < kDlMajor && self->read_only) {
    PyErr_SetString(PyExc_BufferError, "a read-only buffer needs max_version=(1, 0)");
    return nullptr;
  }
  const int copies = copy == Py_None ? 0 : PyObject_IsTrue(copy);
  if (copies < 0) return nullptr;
  PyObject* source = Py_NewRef(object);
  if (copies != 0) {
    Replace(source, NewBuffer(self->code, static_cast<size_t>(self->count)));
    if (source == nullptr) return nullptr;
    std::memcpy(AsBuffer(source)->data, self->data, self->size());
  }
  Exported* exported = Export(source, copies != 0 ? kDlCopied : 0);
  Py_DECREF(source);
  return exported == nullptr ? nullptr : Capsule(exported, major >= kDlMajor);
}

}  // namespace hologram::python
