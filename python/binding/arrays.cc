#include "arrays.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "dlpack.h"
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

ReadResult ReadBuffer(PyObject* object, ArrayView& view, Holds& holds) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    return ReadResult::kFailed;
  }
  holds.Add(buffer);
  if (PyBuffer_IsContiguous(&buffer, 'C') == 0) {
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

ReadResult ReadBFloat16(PyObject* object, ArrayView& view, Holds& holds) {
  PyObject* words = PyObject_CallMethod(object, "view", "s", "uint16");
  if (words == nullptr) return ReadResult::kFailed;
  holds.Add(words);
  const ReadResult result = ReadBuffer(words, view, holds);
  view.code = (view.code & ~0xfU) | HOLOGRAM_BF16;
  return result;
}

}  // namespace

Holds::~Holds() {
  for (Py_buffer& buffer : buffers_) PyBuffer_Release(&buffer);
  for (PyObject* object : objects_) Py_DECREF(object);
}

ReadResult ReadArray(PyObject* object, ArrayView& view, Holds& holds) {
  if (ReadNumpyFields(object, view)) return ReadResult::kRead;
  if (PyObject_CheckBuffer(object) != 0) {
    if (IsBFloat16(object)) return ReadBFloat16(object, view, holds);
    return ReadBuffer(object, view, holds);
  }
  if (HasDlpack(object)) return ReadDlpack(object, view, holds);
  return ReadResult::kNoArray;
}

}  // namespace hologram::python
