// Calls of reductions. NumPy arrays with strides that lead forward go from here to the kernels
// (reduce.h); everything else goes to a Python function, which knows all kinds of arrays and all
// errors.
#include <algorithm>
#include <bit>
#include <cmath>

#include "arrays.h"
#include "dlpack.h"
#include "isa/half.h"
#include "isa/type.h"
#include "numpy_fields.h"
#include "op_fields.h"
#include "scalars.h"
#include "trace.h"

namespace hologram::python {
namespace {

class OpSteps final : public StepKernels {
 public:
  explicit OpSteps(OpObject* self) : self_(self) {}

  const hologram_kernel* Find(Step step, uint32_t code) override {
    return FindKernel(self_, static_cast<size_t>(step), NameOf(step), code,
                      [&](const hologram_launch_plan* plan) {
                        return (plan->codes[0] & ~kWritable) == (code | kBuffer);
                      });
  }
  bool finds_indices() const override { return self_->kind == OpKind::kIndex; }

 private:
  OpObject* self_;
};

Operand OperandOf(const NumpyArray& array) {
  return {array.data, array.code, array.size, array.rank, array.extents, array.strides};
}

detail::ReducedArray ReducedOf(const NumpyArray& array) {
  return {array.data, array.code, array.size, array.rank, array.extents, array.strides};
}

// Dividing one number, or taking its root, by a launch would take longer than the reduction; both
// are correctly rounded here and there. Those of other types, and arrays, go to kernels.
bool EndOne(OpKind kind, const NumpyArray& made, uint64_t count) {
  if (made.count() != 1) return false;
  const auto finished = [&]<class T>(T* value) {
    *value = kind == OpKind::kMean ? *value / static_cast<T>(count) : std::sqrt(*value);
    return true;
  };
  if (made.code == HOLOGRAM_F32) return finished(reinterpret_cast<float*>(made.data));
  if (made.code == HOLOGRAM_F64) return finished(reinterpret_cast<double*>(made.data));
  return false;
}

enum class Outcome : uint8_t {
  kDone,
  kFailed,     // a Python error is set, or none: it begins again, as a kernel was looked for
  kUnhandled,  // nothing has happened
};

// What a call says, beside its arrays.
struct Options {
  PyObject* axis = Py_None;
  PyObject* out = Py_None;
  bool keepdims = false;
};

bool Is(PyObject* text, const char* expected) {
  return PyUnicode_CompareWithASCIIString(text, expected) == 0;
}

bool ReadOptions(const OpObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names,
                 Options& options) {
  const bool one = self->num_arrays == 1;
  if (count < static_cast<Py_ssize_t>(self->num_arrays) || count > 3) return false;
  if (one && count > 1) options.axis = given[1];
  if (count > 2) options.out = given[2];
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_Size(names);
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* name = PyTuple_GetItem(names, k);
    PyObject* value = given[count + k];
    if (one && count < 2 && Is(name, "axis")) {
      options.axis = value;
    } else if (one && Is(name, "keepdims") && PyBool_Check(value)) {
      options.keepdims = value == Py_True;
    } else {
      return false;
    }
  }
  return options.out == Py_None;
}

// A dimension of an array; false for what is none.
bool ReadAxis(PyObject* given, int rank, uint64_t& axes) {
  if (!PyLong_CheckExact(given)) return false;
  int overflow = 0;
  const long axis = PyLong_AsLongAndOverflow(given, &overflow);
  if (overflow != 0 || axis < -rank || axis >= rank) return false;
  const uint64_t bit = uint64_t{1} << (axis < 0 ? axis + rank : axis);
  if ((axes & bit) != 0) return false;
  axes |= bit;
  return true;
}

bool ReadAxes(const OpObject* self, PyObject* given, int rank, uint64_t& axes) {
  axes = 0;
  if (given == Py_None) {
    axes = rank == 0 ? 0 : ~uint64_t{0} >> (64 - rank);
    return true;
  }
  if (PyLong_CheckExact(given)) return ReadAxis(given, rank, axes);
  if (!PyTuple_CheckExact(given) || self->kind == OpKind::kIndex) return false;
  for (Py_ssize_t k = 0; k < PyTuple_Size(given); ++k) {
    if (!ReadAxis(PyTuple_GetItem(given, k), rank, axes)) return false;
  }
  return true;
}

bool LeadsForward(const NumpyArray& array) {
  for (int d = 0; d < array.rank; ++d) {
    if (array.strides[d] < 0 && array.extents[d] != 1) return false;
  }
  return true;
}

// Of several axes that are one in memory the index of an element can be told.
bool MayReduce(const OpObject* self, const NumpyArray& x, uint64_t axes) {
  return x.contiguous || self->kind != OpKind::kIndex || std::popcount(axes) == 1;
}

// The shape of the result.
int Left(const NumpyArray& x, uint64_t axes, bool keepdims,
         std::array<Py_ssize_t, kMostRank>& extents) {
  int rank = 0;
  for (int d = 0; d < x.rank; ++d) {
    const bool reduced = (axes >> d & 1) != 0;
    if (reduced && !keepdims) continue;
    extents[static_cast<size_t>(rank++)] = reduced ? 1 : x.extents[d];
  }
  return rank;
}

// The type of a result, from that of what kernels give; false where it must be converted.
bool FinishedCode(const OpObject* self, uint32_t from, uint32_t& code) {
  if (self->kind == OpKind::kIndex || self->kind == OpKind::kTruth) {
    code = self->kind == OpKind::kIndex ? uint32_t{HOLOGRAM_I64} : kBoolCode;
    return true;
  }
  return code == from || !isa::IsFloat(static_cast<isa::Type>(from));
}

bool End(const OpObject* self, const NumpyArray& made, uint64_t count) {
  if (self->after == nullptr || EndOne(self->kind, made, count)) return true;
  Operands operands;
  const auto type = static_cast<isa::Type>(made.code);
  const uint64_t bits = isa::FloatBits(static_cast<double>(count), type);
  Operand number{};
  number.data = const_cast<char*>(reinterpret_cast<const char*>(&bits));
  number.code = made.code;
  number.size = made.size;
  do {  // nobody else has what was made
    operands.count = 0;
    operands.list[operands.count++] = OperandOf(made);
    if (self->kind == OpKind::kMean) operands.list[operands.count++] = number;
    operands.list[operands.count++] = OperandOf(made);
    if (RunElements(AsOp(self->after), made.code, operands)) return true;
  } while (MustRepeat());
  return false;
}

// `any` and `all` of many elements, until one decides: pieces that grow, so that all of them cost
// little more than one launch.
bool ReduceTruth(OpObject* self, OpSteps& kernels, const NumpyArray& x, char* out) {
  constexpr uint64_t kFirst = uint64_t{1} << 16;
  const bool ends_with = Is(self->name, "any");
  const int64_t stride = x.size;
  uint64_t begin = 0;
  for (uint64_t size = kFirst; begin < x.count(); size *= 4) {
    const uint64_t count = std::min(size, x.count() - begin);
    const auto extent = static_cast<int64_t>(count);
    Reduced reduced;
    reduced.x = {x.data + begin * x.size, x.code, x.size, 1, &extent, &stride};
    if (!Reduce(PyUnicode_AsUTF8AndSize(self->name, nullptr), kernels, reduced, 1, out))
      return false;
    if ((*out != 0) == ends_with) return true;
    begin += count;
  }
  return true;
}

[[gnu::noinline]] Outcome CallCommon(OpObject* self, PyObject* const* given, const Options& options,
                                     PyObject*& result) {
  NumpyArray x;
  NumpyArray y;
  const uint64_t needed = self->types;
  std::array<Py_ssize_t, kMostRank> strides;
  const bool is_numpy = ReadNumpyArray(given[0], x);
  if ((!is_numpy && !ReadTableArray(given[0], x, strides)) || x.rank >= kMostRank ||
      x.count() == 0) {
    return Outcome::kUnhandled;
  }
  if ((needed & (x.is_bool ? kBoolBit : 1U << x.code)) == 0) return Outcome::kUnhandled;
  uint64_t axes = 0;
  Reduced reduced;
  reduced.x = ReducedOf(x);
  if (self->num_arrays == 2) {
    if (!ReadDenseArray(given[1], y) || y.type_number != x.type_number || y.code != x.code ||
        !SameShape(x, y) || !x.contiguous || (self->kind == OpKind::kNone && x.rank != 1)) {
      return Outcome::kUnhandled;  // products are of vectors
    }
    reduced.y = y.data;
  } else if (!LeadsForward(x)) {
    return Outcome::kUnhandled;
  }
  if (!ReadAxes(self, options.axis, x.rank, axes) || !MayReduce(self, x, axes)) {
    return Outcome::kUnhandled;
  }
  OpSteps kernels(self);
  uint32_t code = 0;
  if (!ResultCode(kernels, x.code, code)) return Outcome::kFailed;
  if (self->defaults != nullptr) {
    PyObject* number = PyTuple_GetItem(self->defaults, x.code == HOLOGRAM_F64 ? 0 : 1);
    if (!ReadScalar(number, code, reduced.numbers[0])) return Outcome::kFailed;
    reduced.num_numbers = 1;
  }
  if (!FinishedCode(self, x.code, code)) return Outcome::kUnhandled;
  std::array<Py_ssize_t, kMostRank> extents;
  const int rank = Left(x, axes, options.keepdims, extents);
  result = code == x.code && !x.is_bool ? NewArrayAs(given[0], x, rank, extents.data(), self->empty)
                                        : NewArrayOf(code, rank, extents.data(), self->empty);
  NumpyArray made;
  if (result == nullptr || !ReadNumpyArray(result, made)) return Outcome::kFailed;
  const uint64_t count = x.count() / std::max<uint64_t>(made.count(), 1);
  const bool decides = self->kind == OpKind::kTruth && x.contiguous && made.count() == 1;
  const bool ran = decides ? ReduceTruth(self, kernels, x, made.data)
                           : Reduce(PyUnicode_AsUTF8AndSize(self->name, nullptr), kernels, reduced,
                                    axes, made.data);
  if (ran && End(self, made, count)) return Outcome::kDone;
  Py_CLEAR(result);
  return Outcome::kFailed;
}

bool ReadFold(OpObject* self, uint32_t code, PyObject* x, PyObject* y, NumpyArray& array,
              Reduced& reduced) {
  NumpyArray other;
  const char* name = PyUnicode_AsUTF8AndSize(self->name, nullptr);
  if (code >= kTypes || !ReadNumpyArray(x, array) || array.rank >= kMostRank ||
      array.size != isa::SizeOf(static_cast<isa::Type>(code))) {
    return Refuse(name, "an array has strides that are not whole elements; x.copy() has others");
  }
  if (array.count() == 0 || !LeadsForward(array)) {
    return Refuse(name, "expected elements at strides that lead forward");
  }
  reduced.x = ReducedOf(array);
  reduced.x.code = code;
  if ((y != Py_None) != (self->num_arrays == 2)) return Refuse(name, "expected another array");
  if (y == Py_None) return true;
  if (!ReadNumpyArray(y, other) || !other.contiguous || !array.contiguous ||
      !SameShape(array, other) || other.size != array.size) {
    return Refuse(name, "expected two arrays of one shape without gaps");
  }
  reduced.y = other.data;
  return true;
}

}  // namespace

PyObject* CallReduction(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names) {
  OpObject* self = AsOp(callable);
  Options options;
  PyObject* result = nullptr;
  if (ReadOptions(self, given, PyVectorcall_NARGS(flags), names, options) &&
      AskArrays({given, self->num_arrays})) {
    Outcome outcome;
    do {
      outcome = CallCommon(self, given, options, result);
    } while (outcome == Outcome::kFailed && MustRepeat());
    if (outcome != Outcome::kUnhandled) return result;
  }
  return CallUncommon(self, given, flags, names);
}

bool ReduceLine(OpObject* self, uint32_t code, char* data, uint64_t count, char* out) {
  const auto extent = static_cast<int64_t>(count);
  const int64_t stride = isa::SizeOf(static_cast<isa::Type>(code));
  Reduced reduced;
  reduced.x = {data, code, static_cast<uint32_t>(stride), 1, &extent, &stride};
  OpSteps kernels(self);
  const char* name = PyUnicode_AsUTF8AndSize(self->name, nullptr);
  do {
    if (Reduce(name, kernels, reduced, 1, out)) return true;
  } while (MustRepeat());
  return false;
}

PyObject* FoldArray(PyObject* object, PyObject* arguments) {
  OpObject* self = AsOp(object);
  unsigned int code = 0;
  PyObject* x = nullptr;
  PyObject* y = nullptr;
  PyObject* given = nullptr;
  PyObject* scalars = nullptr;
  if (PyArg_ParseTuple(arguments, "IOOO!O!", &code, &x, &y, &PyTuple_Type, &given, &PyTuple_Type,
                       &scalars) == 0) {
    return nullptr;
  }
  NumpyArray array;
  Reduced reduced;
  if (self->vectorcall != CallReduction) {
    PyErr_SetString(PyExc_TypeError, "expected a reduction");
    return nullptr;
  }
  // The scalars before the arrays: their conversion may run code of the user.
  OpSteps kernels(self);
  uint32_t to = HOLOGRAM_I64;
  const auto found = [&] {
    return code >= kTypes || self->kind == OpKind::kIndex || ResultCode(kernels, code, to);
  };
  if (!found() && (!MustRepeat() || !found())) return nullptr;
  reduced.num_numbers = static_cast<size_t>(PyTuple_Size(scalars));
  if (reduced.num_numbers > kMostNumbers) {
    PyErr_SetString(PyExc_ValueError, "expected at most two scalars");
    return nullptr;
  }
  for (size_t k = 0; k < reduced.num_numbers; ++k) {
    if (!ReadScalar(PyTuple_GetItem(scalars, static_cast<Py_ssize_t>(k)), to, reduced.numbers[k])) {
      return nullptr;
    }
  }
  PyObject* result = nullptr;
  do {
    if (!ReadFold(self, code, x, y, array, reduced)) return nullptr;
    uint64_t axes = 0;
    for (Py_ssize_t k = 0; k < PyTuple_Size(given); ++k) {
      if (!ReadAxis(PyTuple_GetItem(given, k), array.rank, axes)) {
        PyErr_SetString(PyExc_ValueError, "expected the axes, each once");
        return nullptr;
      }
    }
    if (!MayReduce(self, array, axes)) {
      PyErr_SetString(PyExc_ValueError, "expected axes that are one");
      return nullptr;
    }
    std::array<Py_ssize_t, kMostRank> extents;
    const int rank = Left(array, axes, true, extents);
    // NumPy has no bf16: its bits.
    const uint32_t kept = to == HOLOGRAM_BF16 ? uint32_t{HOLOGRAM_U16} : to;
    result = NewArrayOf(kept, rank, extents.data(), self->empty);
    if (result == nullptr) return nullptr;
    NumpyArray made;
    if (ReadNumpyArray(result, made) &&
        Reduce(PyUnicode_AsUTF8AndSize(self->name, nullptr), kernels, reduced, axes, made.data)) {
      return result;
    }
    Py_CLEAR(result);
  } while (MustRepeat());
  return nullptr;
}

}  // namespace hologram::python
