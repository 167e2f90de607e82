#include "dlpack.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "buffer_object.h"
#include "objects.h"

namespace hologram::python {
namespace {

// The number of elements from the first to the last, or nothing with a Python error set.
std::optional<uint64_t> Layout(const DlTensor& tensor, hologram_array_shape* shape) {
  const std::span extents(tensor.shape, static_cast<size_t>(std::max(tensor.rank, 0)));
  if (extents.size() == 1 && shape == nullptr && tensor.shape != nullptr && extents[0] > 0 &&
      extents[0] >> 56 == 0 && (tensor.strides == nullptr || tensor.strides[0] == 1)) {
    return static_cast<uint64_t>(extents[0]);
  }
  if (tensor.rank < 0 || (!extents.empty() && tensor.shape == nullptr)) {
    PyErr_SetString(PyExc_ValueError, "has a size that no memory has");
    return std::nullopt;
  }
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
  if (!IsHost(tensor)) {
    PyErr_SetString(PyExc_TypeError, "is in the memory of another device than the CPU");
    return ReadResult::kFailed;
  }
  const auto code = CodeOfDlType(tensor.type);
  if (!code) {
    PyErr_Format(PyExc_TypeError, "has elements that no kernel has (DLPack type %d of %d bits)",
                 tensor.type.code, tensor.type.bits);
    return ReadResult::kFailed;
  }
  const std::optional<uint64_t> elements = Layout(tensor, shape);
  if (!elements) return ReadResult::kFailed;
  const uint64_t bytes = *elements * (tensor.type.bits / 8);
  if (bytes != 0 && tensor.data == nullptr) {
    PyErr_SetString(PyExc_ValueError, "has no memory");
    return ReadResult::kFailed;
  }
  view.memory = {static_cast<char*>(tensor.data) + tensor.byte_offset, bytes};
  view.code = *code | kBuffer | (read_only ? 0U : kWritable);
  return ReadResult::kRead;
}

bool IsOfJax(PyObject* object) {
  return IsOfModule(Py_TYPE(object), "jax");
}

// ---- The table of functions of a type

// Types that offer a table, once an array of them was read. They are kept for ever: there are few.
struct KnownType {
  PyTypeObject* type = nullptr;
  const DlExchange* exchange = nullptr;
  bool may_need_gradient = false;  // PyTorch, whose table does not look at that
  // All that its table gives a view of may be written, which a view alone cannot tell.
  bool is_writable = false;
};
constexpr size_t kMostTypes = 8;
constexpr int32_t kMostTableRank = 64;  // what NumPy's arrays have at most
std::array<KnownType, kMostTypes> known_types;
size_t num_known_types = 0;

// What a type offers itself. One that is derived from it may have a __dlpack__ of its own. That of
// Buffers, who come first, is of no other type; all others vouch for theirs.
const DlExchange* ExchangeOf(PyTypeObject* type) {
  static PyObject* const name = PyUnicode_InternFromString(kDlExchangeAttribute);
  PyObject* const capsule = name == nullptr ? nullptr : OwnAttribute(type, name);
  const bool is_valid = capsule != nullptr && PyCapsule_IsValid(capsule, kDlExchangeName) != 0;
  const auto* table =
      is_valid ? static_cast<const DlExchange*>(PyCapsule_GetPointer(capsule, kDlExchangeName))
               : nullptr;
  Py_XDECREF(capsule);  // the type has it
  while (table != nullptr && table->version.major != kDlMajor) table = table->previous;
  return num_known_types != 0 && table == known_types[0].exchange ? nullptr : table;
}

// Null: it was not asked, or offers none.
const KnownType* Find(PyTypeObject* type) {
  for (size_t k = 0; k < num_known_types; ++k) {
    if (known_types[k].type == type) return &known_types[k];
  }
  return nullptr;
}

// Null: it offers none, or there are more types than are kept.
const KnownType* Known(PyTypeObject* type) {
  if (const KnownType* const known = Find(type)) return known;
  const DlExchange* const exchange = num_known_types == kMostTypes ? nullptr : ExchangeOf(type);
  if (exchange == nullptr) return nullptr;
  const bool is_of_pytorch =
      PyObject_HasAttrString(reinterpret_cast<PyObject*>(type), "requires_grad") != 0;
  if (num_known_types == kMostTypes) return nullptr;  // that ran code
  KnownType& known = known_types[num_known_types++];
  known = {type, exchange, is_of_pytorch, is_of_pytorch || type == buffer_type};
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  return &known;
}

// Whether __dlpack__ has to be asked, which says what is wrong.
bool NeedsGradient(PyObject* object) {
  static PyObject* const name = PyUnicode_InternFromString("requires_grad");
  PyObject* const needs = name == nullptr ? nullptr : PyObject_GetAttr(object, name);
  Py_XDECREF(needs);
  if (needs == nullptr) PyErr_Clear();
  return needs != Py_False;
}

// PyTorch keeps some views with a mark that their elements are to be negated, which neither its
// table nor its capsules say. False as well where there is no such mark.
bool IsNegated(PyObject* object) {
  static PyObject* const name = PyUnicode_InternFromString("is_neg");
  PyObject* const negated =
      name == nullptr ? nullptr : PyObject_CallMethodObjArgs(object, name, nullptr);
  Py_XDECREF(negated);
  if (negated == nullptr) PyErr_Clear();
  return negated == Py_True;
}

void Release(DlManagedTensorVersioned* managed) {
  if (managed->release != nullptr) managed->release(managed);
}

// A capsule as __dlpack__ would give it.
PyObject* ExportByTable(PyObject* object, const DlExchange& exchange) {
  constexpr const char* kName = "dltensor_versioned";
  DlManagedTensorVersioned* managed = nullptr;
  if (exchange.from_object(object, &managed) != 0) return nullptr;
  PyObject* capsule = PyCapsule_New(managed, kName, [](PyObject* self) {
    if (PyCapsule_IsValid(self, kName) == 0) return;  // already consumed
    Release(static_cast<DlManagedTensorVersioned*>(PyCapsule_GetPointer(self, kName)));
  });
  if (capsule == nullptr) Release(managed);
  return capsule;
}

// obj.__dlpack__(max_version=(1, 0)), or without for producers that do not know it.
PyObject* Export(PyObject* object) {
  const KnownType* const known = Known(Py_TYPE(object));
  if (known != nullptr && !known->may_need_gradient) {
    PyObject* capsule = ExportByTable(object, *known->exchange);
    if (capsule != nullptr) return capsule;
    PyErr_Clear();  // __dlpack__ says it
  }
  if (IsNegated(object)) {
    PyErr_SetString(PyExc_BufferError, "its elements are to be negated; use .resolve_neg()");
    return nullptr;
  }
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

bool GivesViews(const KnownType* known) {
  return known != nullptr && known->is_writable && known->exchange->view_object != nullptr;
}

// False: the object is to be asked for a capsule. No Python error is set then.
bool ViewByTable(PyObject* object, DlTensor& tensor) {
  const KnownType* const known = Find(Py_TYPE(object));
  if (!GivesViews(known)) return false;
  if (known->exchange->view_object(object, &tensor) == 0) return true;
  PyErr_Clear();
  return false;
}

}  // namespace

std::optional<uint32_t> CodeOfDlType(DlType type) {
  const std::optional<isa::Type> known = isa::TypeOfDlpack(type);
  if (!known) return std::nullopt;
  return static_cast<uint32_t>(*known);
}

DlType DlTypeOf(uint32_t code) {
  if (code == HOLOGRAM_F16) return {2, 16, 1};
  if (code == HOLOGRAM_BF16) return {4, 16, 1};
  if (code >= HOLOGRAM_F32) return {2, static_cast<uint8_t>(32 << (code - HOLOGRAM_F32)), 1};
  const bool is_signed = code < HOLOGRAM_U8;
  const uint32_t log2 = code - (is_signed ? HOLOGRAM_I8 : HOLOGRAM_U8);
  return {static_cast<uint8_t>(is_signed ? 0 : 1), static_cast<uint8_t>(8 << log2), 1};
}

bool KnowBuffers() {
  if (Known(buffer_type) != nullptr) return true;
  PyErr_SetString(PyExc_ImportError, "hologram.Buffer has no table of functions");
  return false;
}

bool AskTable(PyObject* object) {
  const KnownType* const known = Known(Py_TYPE(object));
  return GivesViews(known) &&
         (!known->may_need_gradient || (!NeedsGradient(object) && !IsNegated(object)));
}

ReadResult ReadDlpackByTable(PyObject* object, ArrayView& view, hologram_array_shape* shape) {
  DlTensor tensor;
  if (!ViewByTable(object, tensor)) return ReadResult::kNoArray;
  return ReadTensor(tensor, false, view, shape);
}

bool ReadTableArray(PyObject* object, NumpyArray& array, std::span<Py_ssize_t> strides) {
  DlTensor tensor;
  if (!ViewByTable(object, tensor)) return false;
  const auto code = CodeOfDlType(tensor.type);
  if (!code || *code == HOLOGRAM_BF16 || !IsHost(tensor) || tensor.rank < 0 ||
      tensor.rank > kMostTableRank) {
    return false;
  }
  const bool has_room = strides.size() >= static_cast<size_t>(tensor.rank);
  static_assert(std::is_same_v<Py_ssize_t, int64_t>);
  array = {};
  array.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  array.code = *code;
  array.size = tensor.type.bits / 8;
  array.is_bool = tensor.type.code == isa::kDlBool;
  array.writable = true;
  array.contiguous = true;
  array.type_number = kNoTypeNumber;
  array.rank = tensor.rank;
  array.extents = tensor.shape;
  array.strides = has_room ? strides.data() : nullptr;
  int64_t dense = 1;
  for (auto d = static_cast<size_t>(tensor.rank); d-- > 0;) {
    const int64_t stride = tensor.strides == nullptr ? dense : tensor.strides[d];
    array.contiguous &= tensor.shape[d] <= 1 || stride == dense;
    int64_t bytes = 0;
    if (tensor.shape[d] < 0 || __builtin_mul_overflow(dense, tensor.shape[d], &dense) ||
        __builtin_mul_overflow(stride, static_cast<int64_t>(array.size), &bytes)) {
      return false;
    }
    if (has_room) strides[d] = bytes;
  }
  if (!has_room && !array.contiguous) return false;
  return dense == 0 || tensor.data != nullptr;
}

bool ReadDenseArray(PyObject* object, NumpyArray& array) {
  if (ReadNumpyArray(object, array)) return array.contiguous;
  return ReadTableArray(object, array, {});
}

PyObject* NewArrayAs(PyObject* like, const NumpyArray& array, int rank, const Py_ssize_t* extents,
                     PyObject* empty) {
  if (array.type_number == kNoTypeNumber) return NewArrayOf(array.code, rank, extents, empty);
  return NewArrayLike(like, rank, extents, empty);
}

bool HasDlpack(PyObject* object) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dlpack__") != 0;
}

namespace {

// The tensor of a capsule; null: a Python error is set.
const DlTensor* TensorIn(PyObject* capsule, bool& read_only) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned") != 0) {
    const auto* managed = static_cast<const DlManagedTensorVersioned*>(
        PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    if (managed->version.major != kDlMajor) {
      PyErr_Format(PyExc_TypeError, "speaks DLPack %u; version 1 is known", managed->version.major);
      return nullptr;
    }
    read_only |= (managed->flags & kDlReadOnly) != 0;
    return &managed->tensor;
  }
  if (PyCapsule_IsValid(capsule, "dltensor") != 0) {
    return &static_cast<const DlManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"))->tensor;
  }
  PyErr_SetString(PyExc_TypeError, "gives no DLPack tensor");
  return nullptr;
}

}  // namespace

ReadResult ReadDlpack(PyObject* object, ArrayView& view, hologram_array_shape* shape,
                      Holds& holds) {
  // The capsule is not consumed: it releases the tensor itself when it goes, after the launch.
  PyObject* capsule = Export(object);
  if (capsule == nullptr) return ReadResult::kFailed;
  holds.Add(capsule);
  bool read_only = IsOfJax(object);
  const DlTensor* const tensor = TensorIn(capsule, read_only);
  return tensor == nullptr ? ReadResult::kFailed : ReadTensor(*tensor, read_only, view, shape);
}

PyObject* ReadCudaCapsule(PyObject* /*module*/, PyObject* capsule) {
  bool read_only = false;
  const DlTensor* const tensor = TensorIn(capsule, read_only);
  if (tensor == nullptr) return nullptr;
  if (tensor->device.type != kDlCuda && tensor->device.type != kDlCudaManaged) {
    PyErr_SetString(PyExc_TypeError, "is not on a CUDA device");
    return nullptr;
  }
  const auto code = CodeOfDlType(tensor->type);
  if (!code) {
    PyErr_Format(PyExc_TypeError, "has elements that no kernel has (DLPack type %d of %d bits)",
                 tensor->type.code, tensor->type.bits);
    return nullptr;
  }
  if (!Layout(*tensor, nullptr)) return nullptr;
  const auto rank = static_cast<Py_ssize_t>(tensor->rank);
  PyObject* extents = PyTuple_New(rank);
  for (Py_ssize_t d = 0; extents != nullptr && d < rank; ++d) {
    PyObject* extent = PyLong_FromLongLong(tensor->shape[d]);
    if (extent == nullptr) {
      Py_CLEAR(extents);
    } else {
      PyTuple_SetItem(extents, d, extent);
    }
  }
  if (extents == nullptr) return nullptr;
  const auto address = static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(tensor->data)) +
                       tensor->byte_offset;
  const std::string name(isa::NameOf(static_cast<isa::Type>(*code)));
  return Py_BuildValue("(isNKO)", tensor->device.id, name.c_str(), extents, address,
                       read_only ? Py_True : Py_False);
}

}  // namespace hologram::python
