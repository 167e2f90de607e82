#include "dlpack.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hologram::python {
namespace {

struct DlDevice {
  int32_t type;
  int32_t id;
};
struct DlType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  int32_t rank;
  DlType type;
  int64_t* shape;
  int64_t* strides;  // in elements; null: C-contiguous
  uint64_t byte_offset;
};
struct DlManagedTensor {
  DlTensor tensor;
  void* context;
  void (*release)(DlManagedTensor*);
};
struct DlManagedTensorVersioned {
  uint32_t major;
  uint32_t minor;
  void* context;
  void (*release)(DlManagedTensorVersioned*);
  uint64_t flags;
  DlTensor tensor;
};
constexpr uint64_t kReadOnly = 1;
constexpr int32_t kCpu = 1;
constexpr int32_t kCudaHost = 3;

std::optional<uint32_t> CodeOf(DlType type) {
  if (type.lanes != 1 || type.bits < 8 || type.bits > 64 || !std::has_single_bit(type.bits)) {
    return std::nullopt;
  }
  const auto log2 = static_cast<uint32_t>(std::countr_zero(type.bits)) - 3;
  switch (type.code) {
    case 0:
      return HOLOGRAM_I8 + log2;
    case 1:
      return HOLOGRAM_U8 + log2;
    case 2:
      if (log2 == 0) return std::nullopt;
      return log2 == 1 ? uint32_t{HOLOGRAM_F16} : HOLOGRAM_F32 + (log2 - 2);
    case 4:
      if (log2 != 1) return std::nullopt;
      return HOLOGRAM_BF16;
    case 6:  // bool
      if (log2 != 0) return std::nullopt;
      return HOLOGRAM_U8;
    default:
      return std::nullopt;
  }
}

// The number of elements from the first to the last, or nothing with a Python error set.
std::optional<uint64_t> Layout(const DlTensor& tensor, hologram_array_shape* shape) {
  const std::span extents(tensor.shape, static_cast<size_t>(std::max(tensor.rank, 0)));
  std::vector<int64_t> strides(extents.size());
  int64_t dense = 1;
  bool contiguous = true;
  for (size_t d = extents.size(); d-- > 0;) {
    strides[d] = tensor.strides == nullptr ? dense : tensor.strides[d];
    contiguous &= extents[d] <= 1 || strides[d] == dense;
    if (extents[d] < 0 || __builtin_mul_overflow(dense, std::max<int64_t>(extents[d], 1), &dense) ||
        dense >> 56 != 0) {
      PyErr_SetString(PyExc_ValueError, "has a size that no memory has");
      return std::nullopt;
    }
  }
  if (shape != nullptr) return SetShape(extents, strides, *shape);
  const bool empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
  if (empty) return 0;
  if (!contiguous) {
    PyErr_SetString(PyExc_ValueError, "is not C-contiguous; .contiguous() makes a copy that is");
    return std::nullopt;
  }
  return static_cast<uint64_t>(dense);
}

ReadResult ReadTensor(const DlTensor& tensor, bool read_only, ArrayView& view,
                      hologram_array_shape* shape) {
  if (tensor.device.type != kCpu && tensor.device.type != kCudaHost) {
    PyErr_SetString(PyExc_TypeError, "lies in the memory of another device than the CPU");
    return ReadResult::kFailed;
  }
  const auto code = CodeOf(tensor.type);
  if (!code) {
    PyErr_Format(PyExc_TypeError, "has elements that no kernel has (DLPack type %d of %d bits)",
                 tensor.type.code, tensor.type.bits);
    return ReadResult::kFailed;
  }
  const std::optional<uint64_t> elements = Layout(tensor, shape);
  if (!elements) return ReadResult::kFailed;
  const uint64_t bytes = *elements * (tensor.type.bits / 8);
  view.memory = {static_cast<char*>(tensor.data) + tensor.byte_offset, bytes};
  view.code = *code | kBuffer | (read_only ? 0U : kWritable);
  return ReadResult::kRead;
}

// obj.__dlpack__(max_version=(1, 0)), or without for producers that do not know it.
PyObject* Export(PyObject* object) {
  PyObject* method = PyObject_GetAttrString(object, "__dlpack__");
  if (method == nullptr) return nullptr;
  PyObject* empty = PyTuple_New(0);
  PyObject* keywords = Py_BuildValue("{s(ii)}", "max_version", 1, 0);
  PyObject* capsule = nullptr;
  if (empty != nullptr && keywords != nullptr) capsule = PyObject_Call(method, empty, keywords);
  if (capsule == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
    PyErr_Clear();
    capsule = PyObject_CallNoArgs(method);
  }
  Py_XDECREF(empty);
  Py_XDECREF(keywords);
  Py_DECREF(method);
  return capsule;
}

bool IsOfJax(PyObject* object) {
  const std::string_view type = Py_TYPE(object)->tp_name;
  return type.starts_with("jax") || type == "ArrayImpl";
}

}  // namespace

bool HasDlpack(PyObject* object) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dlpack__") != 0;
}

ReadResult ReadDlpack(PyObject* object, ArrayView& view, hologram_array_shape* shape,
                      Holds& holds) {
  // The capsule is not consumed: it releases the tensor itself when it goes, after the launch.
  PyObject* capsule = Export(object);
  if (capsule == nullptr) return ReadResult::kFailed;
  holds.Add(capsule);
  const bool constant = IsOfJax(object);
  if (PyCapsule_IsValid(capsule, "dltensor_versioned") != 0) {
    const auto* managed = static_cast<const DlManagedTensorVersioned*>(
        PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    if (managed->major != 1) {
      PyErr_Format(PyExc_TypeError, "speaks DLPack %u; version 1 is known", managed->major);
      return ReadResult::kFailed;
    }
    return ReadTensor(managed->tensor, constant || (managed->flags & kReadOnly) != 0, view, shape);
  }
  if (PyCapsule_IsValid(capsule, "dltensor") != 0) {
    const auto* managed =
        static_cast<const DlManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    return ReadTensor(managed->tensor, constant, view, shape);
  }
  PyErr_SetString(PyExc_TypeError, "gives no DLPack tensor");
  return ReadResult::kFailed;
}

}  // namespace hologram::python
