#include "strided.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel_fields.h"
#include "kernel_object.h"
#include "scalars.h"

namespace hologram::python {
namespace {

constexpr uint32_t kBuffer = HOLOGRAM_ARGUMENT_BUFFER;
constexpr uint32_t kWritable = HOLOGRAM_ARGUMENT_WRITABLE;
constexpr size_t kMostArrays = 4;
constexpr size_t kMostScalars = 4;
// Extents and strides are 32 bits in the kernels, strides with a sign.
constexpr int64_t kFurthest = INT32_MAX;

// One dimension: how far apart neighbours are in each array, in elements.
struct Dimension {
  int64_t extent = 1;
  std::array<int64_t, kMostArrays> strides{};
};

// The arrays of one call.
struct Operands {
  Operands() = default;
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  ~Operands() {
    for (size_t k = 0; k < held; ++k) PyBuffer_Release(&buffers[k]);
  }
  size_t out() const { return count - 1; }

  size_t count = 0;
  size_t held = 0;
  std::array<Py_buffer, kMostArrays> buffers;
  std::array<char*, kMostArrays> first{};  // the element where the loops begin
  std::array<uint32_t, kMostArrays> codes{};
};

bool Refuse(const char* op, const std::string& what) {
  PyObject* errors = PyImport_ImportModule("hologram.errors");
  PyObject* type = errors == nullptr ? nullptr : PyObject_GetAttrString(errors, "ArgumentError");
  Py_XDECREF(errors);
  if (type != nullptr) PyErr_Format(type, "%s: %s", op, what.c_str());
  Py_XDECREF(type);
  return false;
}

bool Read(PyObject* arrays, PyObject* codes, Operands& operands) {
  operands.count = static_cast<size_t>(PyTuple_GET_SIZE(arrays));
  if (operands.count < 1 || operands.count > kMostArrays ||
      PyTuple_GET_SIZE(codes) != PyTuple_GET_SIZE(arrays)) {
    PyErr_SetString(PyExc_ValueError, "expected one to four arrays and their types");
    return false;
  }
  for (size_t k = 0; k < operands.count; ++k) {
    const auto index = static_cast<Py_ssize_t>(k);
    const int flags = PyBUF_STRIDES | (k == operands.out() ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(PyTuple_GET_ITEM(arrays, index), &operands.buffers[k], flags) != 0) {
      return false;
    }
    operands.held = k + 1;
    operands.first[k] = static_cast<char*>(operands.buffers[k].buf);
    const unsigned long code = PyLong_AsUnsignedLong(PyTuple_GET_ITEM(codes, index));
    if (code > HOLOGRAM_F64) {
      if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_ValueError, "expected a type");
      return false;
    }
    operands.codes[k] = static_cast<uint32_t>(code);
  }
  return true;
}

// Dimension d of the output in all arrays. False: a Python error is set.
bool ReadDimension(const char* op, int d, Operands& operands, Dimension& dimension) {
  const Py_buffer& out = operands.buffers[operands.out()];
  dimension.extent = out.shape[d];
  for (size_t k = 0; k < operands.count; ++k) {
    const Py_buffer& buffer = operands.buffers[k];
    const int own = d - (out.ndim - buffer.ndim);
    if (own < 0 || buffer.shape[own] == 1) continue;
    if (buffer.shape[own] != dimension.extent) {
      return Refuse(op, "these shapes do not go together");
    }
    if (buffer.strides[own] % buffer.itemsize != 0) {
      return Refuse(op, "an array has strides that are no whole elements");
    }
    dimension.strides[k] = buffer.strides[own] / buffer.itemsize;
  }
  int64_t& step = dimension.strides[operands.out()];
  if (step == 0) return Refuse(op, "'out' holds one element in several places");
  if (step > 0) return true;
  for (size_t k = 0; k < operands.count; ++k) {  // the other way round
    const int64_t way = (dimension.extent - 1) * dimension.strides[k];
    operands.first[k] += way * operands.buffers[k].itemsize;
    dimension.strides[k] = -dimension.strides[k];
  }
  return true;
}

// As few dimensions as it takes, at least three, in the order of the memory of the output.
bool ReadDimensions(const char* op, Operands& operands, std::vector<Dimension>& merged) {
  std::vector<Dimension> rows;
  const size_t out = operands.out();
  for (int d = 0; d < operands.buffers[out].ndim; ++d) {
    if (operands.buffers[out].shape[d] == 1) continue;
    rows.emplace_back();
    if (!ReadDimension(op, d, operands, rows.back())) return false;
  }
  // Two dimensions with one stride would be several lanes at one element, which a launch refuses.
  std::sort(rows.begin(), rows.end(), [&](const Dimension& a, const Dimension& b) {
    return a.strides[out] > b.strides[out];
  });
  for (const Dimension& row : rows) {
    bool one = !merged.empty();
    for (size_t k = 0; one && k < operands.count; ++k) {
      one = merged.back().strides[k] == row.strides[k] * row.extent;
    }
    if (one) {
      merged.back().extent *= row.extent;
      merged.back().strides = row.strides;
    } else {
      merged.push_back(row);
    }
  }
  while (merged.size() < 3) {
    // That no two lanes write one element is proved by strides that grow.
    Dimension none;
    none.strides[out] = merged.empty() ? 1 : merged[0].extent * merged[0].strides[out];
    merged.insert(merged.begin(), none);
  }
  return true;
}

// What one launch sees of an array.
struct Part {
  hologram_buffer_ref memory{};
  int64_t start = 0;  // the first element in the memory
};

class Launcher {
 public:
  Launcher(const char* op, PyObject* find, const Operands& operands, bool has_rows)
      : op_(op), find_(find), operands_(operands), has_rows_(has_rows) {}
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher() { Py_XDECREF(kernel_); }

  bool ReadScalars(PyObject* scalars) {
    num_scalars_ = static_cast<size_t>(PyTuple_GET_SIZE(scalars));
    if (num_scalars_ > kMostScalars) return Refuse(op_, "too many numbers");
    for (size_t k = 0; k < num_scalars_; ++k) {
      const uint32_t code = operands_.codes[operands_.out()];
      if (!ReadScalar(PyTuple_GET_ITEM(scalars, static_cast<Py_ssize_t>(k)), code, scalars_[k])) {
        return false;
      }
    }
    return true;
  }

  // The last three dimensions, from `first` on.
  bool Launch(const Dimension* inner, const std::array<char*, kMostArrays>& first) {
    uint64_t extents[3];
    for (int d = 0; d < 3; ++d) {
      if (inner[d].extent > kFurthest) return Refuse(op_, "an array has more than 2^31 rows");
      extents[d] = static_cast<uint64_t>(inner[d].extent);
    }
    if (!Choose(inner, first)) return false;
    std::array<hologram_argument, HOLOGRAM_MAX_PARAMETERS> arguments{};
    size_t count = 0;
    std::array<Part, kMostArrays> parts;
    for (size_t k = first_operand_; k < operands_.count; ++k) {
      if (!Cut(k, inner, first[k], parts[k])) return false;
      arguments[count].code = operands_.codes[k] | kBuffer | kWritable;
      arguments[count++].buffer = parts[k].memory;
    }
    const auto scalar = [&](uint32_t code, uint64_t bits) {
      arguments[count].code = code;
      arguments[count++].scalar = bits;
    };
    for (size_t k = 0; k < num_scalars_; ++k) {
      scalar(operands_.codes[operands_.out()], scalars_[k]);
    }
    for (uint64_t extent : extents) scalar(HOLOGRAM_U32, extent);
    const int places = is_rows_ ? 2 : 3;
    for (size_t k = first_operand_; k < operands_.count; ++k) {
      const bool any = !is_rows_ && k != operands_.out();
      if (any) scalar(HOLOGRAM_I32, static_cast<uint32_t>(parts[k].start));
      for (int d = 0; d < places; ++d) {
        scalar(any ? HOLOGRAM_I32 : HOLOGRAM_U32, static_cast<uint32_t>(inner[d].strides[k]));
      }
    }
    return Run(arguments.data(), count, extents);
  }

 private:
  // The form of the kernel for such strides.
  bool Choose(const Dimension* inner, const std::array<char*, kMostArrays>& first) {
    const char* form = "strided";
    const auto& last = inner[2].strides;
    const size_t out = operands_.out();
    if (has_rows_ && operands_.count == 3 && last[out] == 1 && inner[2].extent > 1) {
      bool forward = true;
      for (size_t k = 0; k < out; ++k) {
        for (int d = 0; d < 2; ++d) forward &= inner[d].strides[k] >= 0;
      }
      if (forward && last[0] == 1 && last[1] == 1) form = "rows";
      if (forward && last[0] == 1 && last[1] == 0) form = "rows_left";
      if (forward && last[0] == 0 && last[1] == 1) form = "rows_right";
    }
    if (has_rows_ && IsInto(inner, first)) form = "into";
    is_rows_ = form[0] == 'r';
    first_operand_ = form[0] == 'i' ? 1 : 0;
    if (form == form_) return true;
    Py_XDECREF(kernel_);
    kernel_ = PyObject_CallFunction(find_, "s", form);
    if (kernel_ == nullptr) return false;
    if (!IsKernel(kernel_) || AsKernel(kernel_)->kernel == nullptr) {
      PyErr_SetString(PyExc_TypeError, "expected a kernel");
      return false;
    }
    form_ = form;
    return true;
  }

  // The first of two inputs is the output.
  bool IsInto(const Dimension* inner, const std::array<char*, kMostArrays>& first) const {
    const size_t out = operands_.out();
    bool same = operands_.count == 3 && first[0] == first[out];
    for (int d = 0; d < 3; ++d) {
      same &= inner[d].extent == 1 || inner[d].strides[0] == inner[d].strides[out];
    }
    return same;
  }

  bool Cut(size_t k, const Dimension* inner, char* first, Part& part) const {
    int64_t low = 0;
    int64_t high = 0;
    for (int d = 0; d < 3; ++d) {
      const int64_t way = (inner[d].extent - 1) * inner[d].strides[k];
      (way < 0 ? low : high) += way;
      // Of a dimension of one element the stride says nothing, but for the output.
      if (inner[d].strides[k] > kFurthest || inner[d].strides[k] < -kFurthest) {
        return Refuse(op_, "an array has elements more than 2^31 apart");
      }
    }
    const int64_t size = operands_.buffers[k].itemsize;
    if (high - low > kFurthest) {
      return Refuse(op_, "an array with gaps reaches over more than 2^31 elements");
    }
    part.memory = {first + low * size, static_cast<uint64_t>((high - low + 1) * size)};
    part.start = -low;
    return true;
  }

  bool Run(const hologram_argument* arguments, size_t count, const uint64_t* extents) const {
    hologram_launch_config config{};
    uint32_t width = 256;
    while (width >= 2 * extents[2] && width > 16) width /= 2;
    config.block[0] = width;
    config.block[1] = config.block[2] = 1;
    config.grid[0] = static_cast<uint32_t>((extents[2] + width - 1) / width);
    config.grid[1] = static_cast<uint32_t>(extents[1]);
    config.grid[2] = static_cast<uint32_t>(extents[0]);
    hologram_error* error = nullptr;
    const hologram_kernel* kernel = AsKernel(kernel_)->kernel;
    Py_BEGIN_ALLOW_THREADS;
    error = hologram_kernel_launch(kernel, arguments, count, &config);
    Py_END_ALLOW_THREADS;
    if (error == nullptr) return true;
    SetError(error);
    return false;
  }

  const char* op_;
  PyObject* find_;
  const Operands& operands_;
  bool has_rows_;
  bool is_rows_ = false;
  size_t first_operand_ = 0;
  const char* form_ = nullptr;
  PyObject* kernel_ = nullptr;
  std::array<uint64_t, kMostScalars> scalars_{};
  size_t num_scalars_ = 0;
};

// All launches, one for each place in the dimensions before the last three.
bool LaunchAll(Launcher& launcher, const Operands& operands,
               const std::vector<Dimension>& dimensions) {
  const size_t outer = dimensions.size() - 3;
  std::vector<int64_t> place(outer, 0);
  for (;;) {
    std::array<char*, kMostArrays> first = operands.first;
    for (size_t d = 0; d < outer; ++d) {
      for (size_t k = 0; k < operands.count; ++k) {
        first[k] += place[d] * dimensions[d].strides[k] * operands.buffers[k].itemsize;
      }
    }
    if (!launcher.Launch(dimensions.data() + outer, first)) return false;
    size_t d = outer;
    while (d > 0 && ++place[d - 1] == dimensions[d - 1].extent) place[--d] = 0;
    if (d == 0) return true;
  }
}

}  // namespace

PyObject* LaunchStrided(PyObject* /*module*/, PyObject* arguments) {
  const char* op = nullptr;
  PyObject* find = nullptr;
  PyObject* arrays = nullptr;
  PyObject* codes = nullptr;
  PyObject* scalars = nullptr;
  int has_rows = 0;
  if (PyArg_ParseTuple(arguments, "sOO!O!O!p", &op, &find, &PyTuple_Type, &arrays, &PyTuple_Type,
                       &codes, &PyTuple_Type, &scalars, &has_rows) == 0) {
    return nullptr;
  }
  Operands operands;
  std::vector<Dimension> dimensions;
  if (!Read(arrays, codes, operands) || !ReadDimensions(op, operands, dimensions)) return nullptr;
  Launcher launcher(op, find, operands, has_rows != 0);
  if (!launcher.ReadScalars(scalars) || !LaunchAll(launcher, operands, dimensions)) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace hologram::python
