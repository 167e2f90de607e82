#include "arrays.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <string_view>

#include "buffer_object.h"
#include "conversion.h"
#include "device_array.h"
#include "dlpack.h"
#include "isa/type.h"
#include "numpy_fields.h"

namespace hologram::python {
namespace {

static_assert(std::endian::native == std::endian::little);

// Types by size (1, 2, 4, 8 bytes) as in hologram.h.
std::optional<uint32_t> IntegerCode(bool is_signed, size_t size) {
  const uint32_t first = is_signed ? HOLOGRAM_I8 : HOLOGRAM_U8;
  switch (size) {
    case 1:
    case 2:
    case 4:
    case 8:
      return first + static_cast<uint32_t>(std::countr_zero(size));
    default:
      return std::nullopt;
  }
}

std::optional<uint32_t> FloatCode(size_t size) {
  switch (size) {
    case 2:
      return HOLOGRAM_F16;
    case 4:
      return HOLOGRAM_F32;
    case 8:
      return HOLOGRAM_F64;
    default:
      return std::nullopt;
  }
}

// A format of the struct module, of one element in native order.
std::optional<uint32_t> CodeOfFormat(std::string_view format, size_t size) {
  if (format.empty()) return HOLOGRAM_U8;
  if (format.size() == 2 && (format[0] == '@' || format[0] == '=' || format[0] == '<')) {
    format.remove_prefix(1);
  }
  if (format.size() != 1) return std::nullopt;
  constexpr std::string_view kSigned = "bhilqn";
  constexpr std::string_view kUnsigned = "?cBHILQN";
  constexpr std::string_view kFloats = "efd";
  if (kSigned.find(format[0]) != std::string_view::npos) return IntegerCode(true, size);
  if (kUnsigned.find(format[0]) != std::string_view::npos) return IntegerCode(false, size);
  if (kFloats.find(format[0]) != std::string_view::npos) return FloatCode(size);
  return std::nullopt;
}

// The shape of a buffer, and its memory from the first element to the last.
bool ReadShape(const Py_buffer& buffer, ArrayView& view, hologram_array_shape& shape) {
  std::vector<int64_t> strides;
  // Exporters do not all give what was asked for: numpy.timedelta64 has no strides.
  if (buffer.ndim > 0 && (buffer.shape == nullptr || buffer.strides == nullptr)) {
    PyErr_SetString(PyExc_ValueError, "has a buffer without a shape or without strides");
    return false;
  }
  for (int d = 0; d < buffer.ndim; ++d) {
    if (buffer.strides[d] % buffer.itemsize != 0) {
      PyErr_SetString(PyExc_ValueError, "has strides that are not whole elements");
      return false;
    }
    strides.push_back(buffer.strides[d] / buffer.itemsize);
  }
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  const std::vector<int64_t> extents(buffer.shape, buffer.shape + buffer.ndim);
  const std::optional<uint64_t> elements = SetShape(extents, strides, shape);
  if (!elements) return false;
  view.memory = {buffer.buf, *elements * static_cast<uint64_t>(buffer.itemsize)};
  return true;
}

ReadResult ReadBuffer(PyObject* object, ArrayView& view, hologram_array_shape* shape,
                      Holds& holds) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    return ReadResult::kFailed;
  }
  holds.Add(buffer);
  if (shape == nullptr && PyBuffer_IsContiguous(&buffer, 'C') == 0) {
    PyErr_SetString(PyExc_ValueError,
                    "is not C-contiguous; numpy.ascontiguousarray makes a copy that is");
    return ReadResult::kFailed;
  }
  const char* format = buffer.format == nullptr ? "" : buffer.format;
  const auto code = CodeOfFormat(format, static_cast<size_t>(buffer.itemsize));
  if (!code) {
    PyErr_Format(PyExc_TypeError, "has elements of format '%s', which no kernel has", format);
    return ReadResult::kFailed;
  }
  view.memory = {buffer.buf, static_cast<uint64_t>(buffer.len)};
  if (shape != nullptr && !ReadShape(buffer, view, *shape)) return ReadResult::kFailed;
  view.code = *code | kBuffer | (buffer.readonly != 0 ? 0U : kWritable);
  return ReadResult::kRead;
}

// numpy.bfloat16 of ml_dtypes has no format; its arrays say 'bfloat16' and two bytes.
bool IsBFloat16(PyObject* object) {
  PyObject* dtype = PyObject_GetAttrString(object, "dtype");
  if (dtype == nullptr) {
    PyErr_Clear();
    return false;
  }
  PyObject* name = PyObject_GetAttrString(dtype, "name");
  Py_DECREF(dtype);
  if (name == nullptr) {
    PyErr_Clear();
    return false;
  }
  const bool is =
      PyUnicode_Check(name) != 0 && PyUnicode_CompareWithASCIIString(name, "bfloat16") == 0;
  Py_DECREF(name);
  return is;
}

ReadResult ReadBFloat16(PyObject* object, ArrayView& view, hologram_array_shape* shape,
                        Holds& holds) {
  PyObject* words = PyObject_CallMethod(object, "view", "s", "uint16");
  if (words == nullptr) return ReadResult::kFailed;
  holds.Add(words);
  const ReadResult result = ReadBuffer(words, view, shape, holds);
  view.code = (view.code & ~0xfU) | HOLOGRAM_BF16;
  return result;
}

}  // namespace

Holds::~Holds() {
  if (buffers_.empty() && objects_.empty()) return;
  // What lets memory go may be Python code, which must not see the error of the launch.
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  for (Py_buffer& buffer : buffers_) PyBuffer_Release(&buffer);
  for (PyObject* object : objects_) Py_DECREF(object);
  if (PyErr_Occurred() != nullptr) PyErr_WriteUnraisable(nullptr);
  PyErr_Restore(type, value, trace);
}

std::optional<uint64_t> SetShape(std::span<const int64_t> extents, std::span<const int64_t> strides,
                                 hologram_array_shape& shape) {
  shape = {};
  if (extents.size() > HOLOGRAM_MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "has %zu dimensions, %d at most are possible", extents.size(),
                 HOLOGRAM_MAX_RANK);
    return std::nullopt;
  }
  shape.rank = static_cast<uint32_t>(extents.size());
  // No element has a place, so the strides of an array without any say nothing; NumPy's are 0.
  const bool empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
  bool gaps = false;
  unsigned __int128 last = 0;
  int64_t dense = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    shape.extents[d] = static_cast<uint64_t>(extents[d]);
    shape.strides[d] = static_cast<uint64_t>(dense);
    const bool counts = extents[d] > 1 && !empty;
    if (counts) {  // else its stride says nothing, and may be anything
      gaps |= strides[d] != dense;
      shape.strides[d] = static_cast<uint64_t>(strides[d]);
      last += static_cast<unsigned __int128>(extents[d] - 1) * shape.strides[d];
    }
    if (extents[d] < 0 || (counts && strides[d] < 1) || last >> 62 != 0) {
      PyErr_SetString(PyExc_ValueError,
                      "has strides that do not lead forward; "
                      "numpy.ascontiguousarray makes a copy whose strides do");
      return std::nullopt;
    }
    dense *= std::max<int64_t>(extents[d], 1);
  }
  if (empty) return 0;
  if (!gaps) std::fill(std::begin(shape.strides), std::end(shape.strides), 0);
  return static_cast<uint64_t>(last) + 1;
}

bool IsSameShape(const hologram_array_shape& a, const hologram_array_shape& b) {
  return a.rank == b.rank && std::equal(a.extents, a.extents + a.rank, b.extents) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

// Of an array that ReadNumpyArray reads: runs no code, where the buffer protocol asks for formats.
ReadResult ReadNumpyShape(const NumpyArray& array, ArrayView& view, hologram_array_shape& shape) {
  constexpr size_t kMostDimensions = 64;  // of NumPy
  std::array<int64_t, kMostDimensions> strides{};
  const auto rank = static_cast<size_t>(array.rank);
  for (size_t d = 0; d < rank && d < kMostDimensions; ++d) {
    strides[d] = array.strides[d] / static_cast<Py_ssize_t>(array.size);
  }
  const std::optional<uint64_t> elements =
      SetShape({array.extents, rank}, {strides.data(), rank}, shape);
  if (!elements) return ReadResult::kFailed;
  view.memory = {array.data, *elements * array.size};
  view.code = array.code | kBuffer | (array.writable ? kWritable : 0U);
  return ReadResult::kRead;
}

ReadResult ReadArray(PyObject* object, ArrayView& view, hologram_array_shape* shape, Holds& holds) {
  if (shape == nullptr) {
    if (ReadNumpyFields(object, view)) return ReadResult::kRead;
  } else if (NumpyArray array; ReadNumpyArray(object, array)) {
    return ReadNumpyShape(array, view, *shape);
  }
  if (IsBuffer(object)) {
    view = ViewOfBuffer(object);
    if (shape != nullptr) {
      *shape = {};
      shape->rank = 1;
      shape->extents[0] = view.memory.bytes / isa::SizeOf(static_cast<isa::Type>(view.code & 0xf));
    }
    return ReadResult::kRead;
  }
  holds.SetMayHaveRunCode();
  const Conversion conversion;
  if (!conversion.may_go_on()) return ReadResult::kFailed;
  if (PyObject_CheckBuffer(object) != 0) {
    if (IsBFloat16(object)) return ReadBFloat16(object, view, shape, holds);
    return ReadBuffer(object, view, shape, holds);
  }
  if (AskTable(object)) {
    const ReadResult by_table = ReadDlpackByTable(object, view, shape);
    if (by_table != ReadResult::kNoArray) return by_table;
  }
  if (!IsDeviceArray(object) && HasDlpack(object)) return ReadDlpack(object, view, shape, holds);
  return ReadResult::kNoArray;
}

bool IsUnchanged(PyObject* object, const ArrayView& view, const hologram_array_shape* shape) {
  bool same = true;
  if (HasNumpyFields(object)) {
    same = HasMemory(object, view, shape);
  } else if (!IsBuffer(object) && PyObject_CheckBuffer(object) == 0) {
    ArrayView again;
    hologram_array_shape found{};
    const ReadResult result = ReadDlpackByTable(object, again, shape == nullptr ? nullptr : &found);
    if (result == ReadResult::kFailed) PyErr_Clear();
    // Without a table it is held by a capsule.
    same = result == ReadResult::kNoArray ||
           (result == ReadResult::kRead && again.memory.data == view.memory.data &&
            again.memory.bytes == view.memory.bytes &&
            (again.code | kWritable) == (view.code | kWritable) &&
            (shape == nullptr || IsSameShape(found, *shape)));
  }
  if (!same) {
    PyErr_SetString(PyExc_ValueError, "was moved or resized while the arguments were read");
  }
  return same;
}

}  // namespace hologram::python
