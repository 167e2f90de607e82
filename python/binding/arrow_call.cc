#include "arrow_call.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow_abi.h"
#include "isa/type.h"
#include "kernel_fields.h"
#include "kernel_object.h"
#include "strided.h"

namespace hologram::python {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kMostColumns = 8;
constexpr Py_ssize_t kFixed = 3;  // arguments before the columns
constexpr uint64_t kMostRows = uint64_t{1} << 31;
constexpr const char* kSchemaName = "arrow_schema";
constexpr const char* kArrayName = "arrow_array";

// ---- The result, which lives until who takes it lets it go

struct OwnArray {
  const void* buffers[2] = {nullptr, nullptr};
  std::string format;
  ~OwnArray() {
    for (const void* buffer : buffers) std::free(const_cast<void*>(buffer));
  }
};

void ReleaseSchema(ArrowSchema* schema) {
  delete static_cast<std::string*>(schema->private_data);
  schema->release = nullptr;
}
void ReleaseArray(ArrowArray* array) {
  delete static_cast<OwnArray*>(array->private_data);
  array->release = nullptr;
}
template <class T>
void DestroyCapsule(PyObject* capsule) {
  auto* held = static_cast<T*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  if (held->release != nullptr) held->release(held);
  delete held;
}

PyObject* SchemaCapsule(const std::string& format) {
  auto text = std::make_unique<std::string>(format);
  auto schema = std::make_unique<ArrowSchema>();
  *schema = {text->c_str(), "",      nullptr,       kArrowNullable, 0,
             nullptr,       nullptr, ReleaseSchema, text.get()};
  PyObject* capsule = PyCapsule_New(schema.get(), kSchemaName, DestroyCapsule<ArrowSchema>);
  if (capsule == nullptr) return nullptr;
  text.release();
  schema.release();
  return capsule;
}

PyObject* ArrayCapsule(std::unique_ptr<OwnArray> own, uint64_t rows, uint64_t nulls) {
  auto array = std::make_unique<ArrowArray>();
  *array = {static_cast<int64_t>(rows),
            static_cast<int64_t>(nulls),
            0,
            2,
            0,
            own->buffers,
            nullptr,
            nullptr,
            ReleaseArray,
            own.get()};
  PyObject* capsule = PyCapsule_New(array.get(), kArrayName, DestroyCapsule<ArrowArray>);
  if (capsule == nullptr) return nullptr;
  own.release();
  array.release();
  return capsule;
}

char* NewBuffer(uint64_t bytes) {
  const uint64_t rounded = (bytes / kAlignment + 1) * kAlignment;
  auto* memory = static_cast<char*>(std::aligned_alloc(kAlignment, rounded));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// ---- Columns

struct Column {
  const ArrowSchema* schema = nullptr;
  const ArrowArray* array = nullptr;
  uint32_t size = 0;
  const char* data() const {
    return static_cast<const char*>(array->buffers[1]) + array->offset * int64_t{size};
  }
  const uint8_t* validity() const {
    return array->null_count == 0 ? nullptr : static_cast<const uint8_t*>(array->buffers[0]);
  }
};

// What a call has, let go at its end.
struct Call {
  std::array<Column, kMostColumns> columns;
  size_t count = 0;
  uint64_t rows = 0;
  std::vector<PyObject*> held;
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    for (PyObject* object : held) Py_DECREF(object);
  }
};

uint32_t SizeOfFormat(const char* format) {
  if (format[0] == '\0' || format[1] != '\0') return 0;
  constexpr std::string_view kOfSize[] = {"cC", "sSe", "iIf", "lLg"};
  for (uint32_t log2 = 0; log2 < 4; ++log2) {
    if (kOfSize[log2].find(format[0]) != std::string_view::npos) return 1U << log2;
  }
  return 0;
}

// False: a Python error is set.
bool ReadColumn(PyObject* object, Call& call) {
  static PyObject* const name = PyUnicode_InternFromString("__arrow_c_array__");
  PyObject* pair = PyObject_CallMethodObjArgs(object, name, nullptr);
  if (pair == nullptr) return false;
  call.held.push_back(pair);
  if (PyTuple_CheckExact(pair) == 0 || PyTuple_Size(pair) != 2) {
    PyErr_SetString(PyExc_TypeError, "__arrow_c_array__ gives two capsules");
    return false;
  }
  Column& column = call.columns[call.count];
  column.schema =
      static_cast<const ArrowSchema*>(PyCapsule_GetPointer(PyTuple_GetItem(pair, 0), kSchemaName));
  column.array =
      static_cast<const ArrowArray*>(PyCapsule_GetPointer(PyTuple_GetItem(pair, 1), kArrayName));
  if (column.schema == nullptr || column.array == nullptr) return false;
  column.size = SizeOfFormat(column.schema->format);
  const char* what = nullptr;
  if (column.size == 0 || column.array->n_buffers != 2 || column.schema->dictionary != nullptr) {
    what = "expected columns of integers or floats";
  } else if (call.count != 0 && static_cast<uint64_t>(column.array->length) != call.rows) {
    what = "the columns have different lengths";
  }
  if (what != nullptr) return Refuse("arrow", what);
  call.rows = static_cast<uint64_t>(column.array->length);
  ++call.count;
  return true;
}

bool BitAt(const uint8_t* bits, uint64_t at) {
  return (bits[at / 8] >> (at % 8) & 1) != 0;
}

// `into` AND the bits of a column. Both have whole bytes for `rows`.
void AndBits(uint8_t* into, const Column& column, uint64_t rows) {
  const uint8_t* bits = column.validity();
  const auto offset = static_cast<uint64_t>(column.array->offset);
  const uint64_t bytes = (rows + 7) / 8;
  const uint64_t last = (offset + rows - 1) / 8;  // nothing behind it is read
  bits += offset / 8;
  const unsigned shift = offset % 8;
  for (uint64_t k = 0; k < bytes; ++k) {
    unsigned value = static_cast<unsigned>(bits[k]) >> shift;
    if (shift != 0 && offset / 8 + k + 1 <= last) {
      value |= static_cast<unsigned>(bits[k + 1]) << (8 - shift);
    }
    into[k] = static_cast<uint8_t>(into[k] & value);
  }
}

// The validity of the result; null if all is valid. `nulls`: how many are not.
std::unique_ptr<char, void (*)(void*)> Validity(const Call& call, uint64_t& nulls) {
  std::unique_ptr<char, void (*)(void*)> bits(nullptr, std::free);
  nulls = 0;
  const uint64_t bytes = (call.rows + 7) / 8;
  for (size_t k = 0; k < call.count && call.rows != 0; ++k) {
    if (call.columns[k].validity() == nullptr) continue;
    if (bits == nullptr) {
      bits.reset(NewBuffer(bytes));
      std::memset(bits.get(), 0xff, bytes);
    }
    AndBits(reinterpret_cast<uint8_t*>(bits.get()), call.columns[k], call.rows);
  }
  if (bits == nullptr) return bits;
  auto* words = reinterpret_cast<uint8_t*>(bits.get());
  if (call.rows % 8 != 0) words[bytes - 1] &= static_cast<uint8_t>((1U << (call.rows % 8)) - 1);
  uint64_t valid = 0;
  for (uint64_t k = 0; k < bytes; ++k) valid += static_cast<uint64_t>(std::popcount(words[k]));
  nulls = call.rows - valid;
  if (nulls == 0) bits.reset();
  return bits;
}

// ---- Running

struct Target {
  const KernelObject* kernel = nullptr;
  std::string format;
  uint32_t size = 0;
};

// Of the dict, or found. False: a Python error is set.
bool FindTarget(PyObject* kernels, PyObject* find, Call& call, Target& target) {
  std::string formats;
  for (size_t k = 0; k < call.count; ++k) {
    if (k != 0) formats += ',';
    formats += call.columns[k].schema->format;
  }
  PyObject* key =
      PyUnicode_FromStringAndSize(formats.data(), static_cast<Py_ssize_t>(formats.size()));
  if (key == nullptr) return false;
  PyObject* found = Py_XNewRef(PyDict_GetItemWithError(kernels, key));
  if (found == nullptr && PyErr_Occurred() == nullptr) {
    found = PyObject_CallFunctionObjArgs(find, key, nullptr);
    if (found != nullptr && PyDict_SetItem(kernels, key, found) != 0) Py_CLEAR(found);
  }
  Py_DECREF(key);
  if (found == nullptr) return false;
  call.held.push_back(found);
  PyObject* kernel = nullptr;
  const char* format = nullptr;
  if (PyArg_ParseTuple(found, "Os", &kernel, &format) == 0) return false;
  if (!IsKernel(kernel) || !Resolve(AsKernel(kernel)) ||
      AsKernel(kernel)->plan->num_parameters != call.count + 2 || SizeOfFormat(format) == 0) {
    PyErr_SetString(PyExc_TypeError, "expected a kernel of arrays and their length");
    return false;
  }
  target = {AsKernel(kernel), format, SizeOfFormat(format)};
  return true;
}

hologram_error* Run(const Target& target, const Call& call, const char* const* columns, char* out,
                    uint64_t rows) {
  std::array<hologram_buffer_ref, kMostColumns + 1> buffers;
  for (size_t k = 0; k < call.count; ++k) {
    buffers[k] = {const_cast<char*>(columns[k]), rows * call.columns[k].size};
  }
  buffers[call.count] = {out, rows * target.size};
  const uint64_t scalar = rows;
  return LaunchBound(target.kernel->kernel, buffers.data(), &scalar, nullptr);
}

// Of the rows that are valid alone: the values under nulls made the launch fail.
hologram_error* RunValid(const Target& target, const Call& call, const uint8_t* bits,
                         uint64_t valid, char* out) {
  std::vector<std::vector<char>> kept(call.count);
  std::array<const char*, kMostColumns> columns{};
  for (size_t k = 0; k < call.count; ++k) {
    const uint32_t size = call.columns[k].size;
    kept[k].reserve(valid * size);
    for (uint64_t row = 0; row < call.rows; ++row) {
      const char* from = call.columns[k].data() + row * size;
      if (BitAt(bits, row)) kept[k].insert(kept[k].end(), from, from + size);
    }
    columns[k] = kept[k].data();
  }
  std::vector<char> made(valid * target.size);
  hologram_error* error =
      valid == 0 ? nullptr : Run(target, call, columns.data(), made.data(), valid);
  if (error != nullptr) return error;
  const char* next = made.data();
  for (uint64_t row = 0; row < call.rows; ++row) {
    char* to = out + row * target.size;
    if (BitAt(bits, row)) {
      std::memcpy(to, next, target.size);
      next += target.size;
    } else {
      std::memset(to, 0, target.size);
    }
  }
  return nullptr;
}

bool RunAll(const Target& target, const Call& call, const uint8_t* bits, uint64_t nulls,
            char* out) {
  if (call.rows == 0) return true;
  if (call.rows > kMostRows) return Refuse("arrow", "a column has more than 2^31 rows");
  std::array<const char*, kMostColumns> columns{};
  for (size_t k = 0; k < call.count; ++k) columns[k] = call.columns[k].data();
  hologram_error* error = Run(target, call, columns.data(), out, call.rows);
  if (error != nullptr && nulls != 0 && hologram_error_code(error) == HOLOGRAM_ERROR_FAULT) {
    hologram_error_destroy(error);
    error = RunValid(target, call, bits, call.rows - nulls, out);
  }
  return Succeeded(error);
}

PyObject* Pair(PyObject* schema, PyObject* array) {
  if (schema == nullptr || array == nullptr) {
    Py_XDECREF(schema);
    Py_XDECREF(array);
    return nullptr;
  }
  return Py_BuildValue("(NN)", schema, array);
}

}  // namespace

PyObject* CallArrow(PyObject* /*module*/, PyObject* const* given, Py_ssize_t count) {
  if (count <= kFixed || count > kFixed + static_cast<Py_ssize_t>(kMostColumns) ||
      PyDict_CheckExact(given[0]) == 0) {
    PyErr_Format(PyExc_TypeError, "expected one column to %zu", kMostColumns);
    return nullptr;
  }
  try {
    Call call;
    for (Py_ssize_t k = kFixed; k < count; ++k) {
      if (!ReadColumn(given[k], call)) return nullptr;
    }
    Target target;
    if (!FindTarget(given[0], given[1], call, target)) return nullptr;
    uint64_t nulls = 0;
    auto bits = Validity(call, nulls);
    if (nulls != 0 && given[2] == Py_True) {
      Refuse("arrow", "a column has nulls, and nulls='refuse' was given");
      return nullptr;
    }
    auto own = std::make_unique<OwnArray>();
    char* out = NewBuffer(call.rows * target.size);
    own->buffers[1] = out;
    own->buffers[0] = bits.release();
    if (!RunAll(target, call, static_cast<const uint8_t*>(own->buffers[0]), nulls, out)) {
      return nullptr;
    }
    return Pair(SchemaCapsule(target.format), ArrayCapsule(std::move(own), call.rows, nulls));
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

}  // namespace hologram::python
