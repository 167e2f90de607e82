// Calls of operations on elements. The commonest, arrays of one type and shape without gaps, go
// straight to the kernel; NumPy arrays of other shapes and strides, plain numbers beside them, and
// arrays whose type offers the table of functions of DLPack, through strided.h. What is left over
// goes to a Python function, which knows all kinds of arrays and all errors.
#include <algorithm>
#include <cstring>

#include "arrays.h"
#include "dlpack.h"
#include "isa/type.h"
#include "numpy_fields.h"
#include "op_fields.h"
#include "scalars.h"
#include "trace.h"

namespace hologram::python {
namespace {

constexpr int kMostTurned = 8;  // dimensions
constexpr uint64_t kMostFlat = uint64_t{1} << 31;

// The kernels of an operation for one type, looked for when they are first needed.
class OpKernels final : public Kernels {
 public:
  OpKernels(OpObject* self, uint32_t code) : self_(self), code_(code) {}

  const hologram_kernel* Find(Form form) override {
    return FindKernel(
        self_, static_cast<size_t>(form), NameOf(form), code_,
        [&](const hologram_launch_plan* plan) { return form != Form::kFlat || Fits(plan); });
  }
  bool has_rows() const override { return self_->has_rows && !self_->copies_bits; }
  bool has_transposed() const override { return self_->has_rows && self_->copies_bits; }

 private:
  // The parameters must be what is passed without another look: arrays, scalars, and a count.
  bool Fits(const hologram_launch_plan* plan) const {
    const uint32_t arrays = self_->num_arrays + 1;
    bool fits = plan->num_parameters == arrays + self_->num_scalars + 1;
    for (uint32_t k = 0; fits && k < plan->num_parameters; ++k) {
      const bool chooses = self_->copies_bits && self_->num_arrays == 3 && k == 0;
      const bool converted = k == self_->num_arrays && self_->result >= 0;
      const uint32_t type = chooses     ? uint32_t{HOLOGRAM_U8}
                            : converted ? static_cast<uint32_t>(self_->result)
                                        : code_;
      const uint32_t wanted = k < arrays                      ? type | kBuffer
                              : k + 1 == plan->num_parameters ? uint32_t{HOLOGRAM_U32}
                                                              : type;
      fits = (plan->codes[k] & ~kWritable) == wanted;
    }
    return fits;
  }

  OpObject* self_;
  uint32_t code_;
};

Operand OperandOf(const NumpyArray& array, uint32_t code) {
  return {array.data, code, array.size, array.rank, array.extents, array.strides};
}

// Whether all can be broadcast to the last one, and have elements as large as those of their type.
bool Fit(const Operands& operands) {
  const Operand& out = operands.out();
  bool fit = out.rank <= kMostRank;
  for (size_t k = 0; k < operands.count; ++k) {
    const Operand& operand = operands.list[k];
    fit = fit && operand.rank <= out.rank &&
          operand.size == isa::SizeOf(static_cast<isa::Type>(operand.code));
    for (int d = 0; fit && d < operand.rank; ++d) {
      const Py_ssize_t extent = operand.extents[d];
      fit = extent == 1 || extent == out.extents[d + out.rank - operand.rank];
    }
  }
  return fit;
}

// What a call says, beside its arrays and scalars.
struct Options {
  PyObject* const* scalars = nullptr;
  std::array<PyObject*, kMostNumbers> defaults{};  // instead of scalars that are left out
  PyObject* out = nullptr;
  bool fast = false;
  bool exact = false;
};

bool Is(PyObject* text, const char* expected) {
  return PyUnicode_Check(text) != 0 && PyUnicode_CompareWithASCIIString(text, expected) == 0;
}

// op(arrays..., scalars..., out=None, accuracy="precise", approximate="tanh"); false for anything
// else.
bool ReadOptions(const OpObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names,
                 Options& options) {
  Py_ssize_t fixed = self->num_arrays + self->num_scalars;
  options.scalars = given + self->num_arrays;
  if (self->defaults != nullptr && count == static_cast<Py_ssize_t>(self->num_arrays)) {
    for (Py_ssize_t k = 0; k < PyTuple_Size(self->defaults); ++k) {
      options.defaults[static_cast<size_t>(k)] = PyTuple_GetItem(self->defaults, k);
    }
    options.scalars = options.defaults.data();
    fixed = count;
  }
  // Behind the array there, the axes are said.
  if (count != fixed && (count != fixed + 1 || self->transposes)) return false;
  if (count > fixed) options.out = given[fixed];
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_Size(names);
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* name = PyTuple_GetItem(names, k);
    PyObject* value = given[count + k];
    if (count == fixed && Is(name, "out")) {
      options.out = value;
    } else if (self->fast != nullptr && Is(name, "accuracy") &&
               (Is(value, "fast") || Is(value, "precise"))) {
      options.fast = Is(value, "fast");
    } else if (self->exact != nullptr && Is(name, "approximate") &&
               (Is(value, "none") || Is(value, "tanh"))) {
      options.exact = Is(value, "none");
    } else {
      return false;
    }
  }
  if (options.out == Py_None) options.out = nullptr;
  return true;
}

enum class Outcome : uint8_t {
  kDone,
  kFailed,     // a Python error is set
  kUnhandled,  // nothing has happened
  kAgain,      // nothing but that a kernel was found
};

// One call on its way.
class Call {
 public:
  Call(OpObject* self, PyObject* const* given, PyObject* const* scalars)
      : self_(self), given_(given), scalars_(scalars) {}

  Outcome Run(PyObject* out, PyObject*& result) {
    if (!ReadInputs() || !ReadScalars()) return Outcome::kUnhandled;
    if (self_->square != nullptr && IsTwo(arrays_[1])) {
      self_ = AsOp(self_->square);
      arrays_[1] = arrays_[0];
    }
    if (!Broadcast()) return Outcome::kUnhandled;
    if (self_->result >= 0 && (!same_ || count_ > UINT32_MAX)) return Outcome::kUnhandled;
    if (out != nullptr) {
      if (!ReadOutput(out)) return Outcome::kUnhandled;
      result = Py_NewRef(out);
    } else {
      result = NewResult();
      if (result == nullptr) return Outcome::kFailed;
      if (!ReadOutput(result)) {
        Py_CLEAR(result);
        return Outcome::kUnhandled;
      }
    }
    if (Launch()) return Outcome::kDone;
    Py_CLEAR(result);
    return MustRepeat() ? Outcome::kAgain : Outcome::kFailed;
  }

 private:
  PyObject* NewResult() {
    if (self_->result < 0 && !by_table_) {
      return NewArrayLike(typed_, rank_, extents_.data(), self_->empty);
    }
    const uint32_t code = self_->result < 0 ? code_ : static_cast<uint32_t>(self_->result);
    return NewArrayOf(code, rank_, extents_.data(), self_->empty);
  }

  // An array of NumPy, or of a type with a table.
  bool ReadOne(uint32_t k, PyObject* object) {
    if (ReadNumpyArray(object, arrays_[k])) return true;
    return !self_->copies_bits && ReadTableArray(object, arrays_[k], strides_[k]);
  }

  uint32_t CodeOf(const NumpyArray& array) const {
    return self_->copies_bits ? kBitsCodes[array.size] : array.code;
  }

  // The arrays, which have one type; numbers among them take it.
  bool ReadInputs() {
    const bool chooses = self_->copies_bits && self_->num_arrays == 3;
    for (uint32_t k = 0; k < self_->num_arrays; ++k) {
      if (!self_->copies_bits && IsNumber(given_[k])) {
        has_numbers_ = true;
        continue;
      }
      if (!ReadOne(k, given_[k])) return false;
      if (chooses && k == 0) {
        if (arrays_[0].code != HOLOGRAM_U8) return false;
      } else if (typed_ == nullptr) {
        if (self_->transposes && !Transpose(arrays_[k])) return false;
        typed_ = given_[k];
        typed_size_ = arrays_[k].size;
        type_number_ = arrays_[k].type_number;
        by_table_ = type_number_ == kNoTypeNumber;
        code_ = CodeOf(arrays_[k]);
        if (!self_->copies_bits && arrays_[k].is_bool) return false;
      } else if (self_->copies_bits ? arrays_[k].type_number != type_number_
                                    : arrays_[k].is_bool || CodeOf(arrays_[k]) != code_) {
        return false;
      }
    }
    if (typed_ == nullptr || (self_->types >> code_ & 1) == 0) return false;
    for (uint32_t k = 0; has_numbers_ && k < self_->num_arrays; ++k) {
      if (!ReadNumber(k)) return false;
    }
    return true;
  }

  // Takes the dimensions the other way round.
  bool Transpose(NumpyArray& array) {
    if (array.rank > kMostTurned) return false;
    const auto rank = static_cast<size_t>(array.rank);
    std::reverse_copy(array.extents, array.extents + rank, turned_.begin());
    std::reverse_copy(array.strides, array.strides + rank, turned_.begin() + rank);
    array.extents = turned_.data();
    array.strides = turned_.data() + rank;
    array.contiguous &= rank < 2;
    return true;
  }

  // Of one element, a float.
  static bool IsTwo(const NumpyArray& array) {
    if (array.rank != 0) return false;
    uint64_t bits = 0;
    std::memcpy(&bits, array.data, array.size);
    switch (array.code) {
      case HOLOGRAM_F16:
      case HOLOGRAM_BF16:
        return bits == 0x4000;
      case HOLOGRAM_F32:
        return bits == 0x4000'0000;
      case HOLOGRAM_F64:
        return bits == 0x4000'0000'0000'0000;
      default:
        return false;
    }
  }

  static bool IsNumber(PyObject* object) {
    return PyFloat_CheckExact(object) || PyLong_CheckExact(object);
  }

  // A number among the arrays, as an array without dimensions.
  bool ReadNumber(uint32_t k) {
    if (arrays_[k].data != nullptr) return true;
    if (!ReadScalar(given_[k], code_, values_[k])) {
      PyErr_Clear();
      return false;
    }
    arrays_[k] = {};
    arrays_[k].data = reinterpret_cast<char*>(&values_[k]);
    arrays_[k].code = code_;
    arrays_[k].size = typed_size_;
    arrays_[k].contiguous = true;
    return true;
  }

  // Numbers whose conversion runs no code of the user: the arrays have been read.
  bool ReadScalars() {
    for (uint32_t k = 0; k < self_->num_scalars; ++k) {
      if (!IsNumber(scalars_[k]) && !IsPlainNumber(scalars_[k])) return false;
      if (!ReadScalar(scalars_[k], code_, numbers_[k])) {
        PyErr_Clear();
        return false;
      }
    }
    return true;
  }

  // The shape of the result, by NumPy's rules. False for those that do not go together, and for
  // results without elements.
  bool Broadcast() {
    same_ = arrays_[0].contiguous;
    for (uint32_t k = 1; k < self_->num_arrays; ++k) {
      same_ &= arrays_[k].contiguous && SameShape(arrays_[0], arrays_[k]);
    }
    if (same_) {
      rank_ = arrays_[0].rank;
      if (rank_ > kMostRank) return false;
      std::copy(arrays_[0].extents, arrays_[0].extents + rank_, extents_.begin());
    } else if (!Stretch()) {
      return false;
    }
    count_ = 1;
    for (int d = 0; d < rank_; ++d)
      count_ *= static_cast<uint64_t>(extents_[static_cast<size_t>(d)]);
    return count_ != 0;
  }

  bool Stretch() {
    rank_ = 0;
    for (uint32_t k = 0; k < self_->num_arrays; ++k) rank_ = std::max(rank_, arrays_[k].rank);
    if (rank_ > kMostRank) return false;
    for (int d = 0; d < rank_; ++d) {
      Py_ssize_t extent = 1;
      for (uint32_t k = 0; k < self_->num_arrays; ++k) {
        const int own = d - (rank_ - arrays_[k].rank);
        if (own < 0 || arrays_[k].extents[own] == 1) continue;
        if (extent != 1 && extent != arrays_[k].extents[own]) return false;
        extent = arrays_[k].extents[own];
      }
      extents_[static_cast<size_t>(d)] = extent;
    }
    return true;
  }

  bool ReadOutput(PyObject* out) {
    NumpyArray& array = arrays_[self_->num_arrays];
    if (!ReadOne(self_->num_arrays, out) || !array.writable || array.rank != rank_ ||
        !std::equal(extents_.begin(), extents_.begin() + rank_, array.extents)) {
      return false;
    }
    same_ &= array.contiguous;
    if (self_->result >= 0) {
      return same_ && array.code == static_cast<uint32_t>(self_->result) && !array.is_bool;
    }
    return self_->copies_bits ? array.type_number == type_number_
                              : array.code == code_ && !array.is_bool;
  }

  bool Launch() {
    OpKernels kernels(self_, code_);
    if (same_ && (count_ <= kMostFlat || self_->result >= 0)) {
      const hologram_kernel* kernel = kernels.Find(Form::kFlat);
      if (kernel == nullptr) return false;
      std::array<hologram_buffer_ref, kMostOperands> buffers;
      for (uint32_t k = 0; k <= self_->num_arrays; ++k) {
        buffers[k] = {arrays_[k].data, count_ * arrays_[k].size};
      }
      numbers_[self_->num_scalars] = count_;
      return RunFlat(kernel, buffers.data(), numbers_.data());
    }
    Operands operands;
    operands.count = self_->num_arrays + 1;
    for (uint32_t k = 0; k < operands.count; ++k) {
      const bool bits = self_->copies_bits || arrays_[k].is_bool;
      operands.list[k] = OperandOf(arrays_[k], bits ? kBitsCodes[arrays_[k].size] : code_);
    }
    operands.num_numbers = self_->num_scalars;
    operands.numbers = numbers_;
    return RunOperands(PyUnicode_AsUTF8AndSize(self_->name, nullptr), kernels, operands);
  }

  OpObject* self_;
  PyObject* const* given_;
  PyObject* const* scalars_;
  PyObject* typed_ = nullptr;  // the first array that has the type of the result
  uint32_t typed_size_ = 0;    // of its elements
  int type_number_ = 0;
  bool by_table_ = false;  // it is none of NumPy
  uint32_t code_ = 0;
  bool has_numbers_ = false;
  bool same_ = false;  // one shape, no gaps
  int rank_ = 0;
  uint64_t count_ = 0;
  std::array<NumpyArray, kMostOperands> arrays_;
  std::array<std::array<Py_ssize_t, kMostRank>, kMostOperands> strides_;  // of arrays with a table
  std::array<uint64_t, kMostOperands> values_;  // of numbers among the arrays
  std::array<uint64_t, kMostNumbers + 1> numbers_;
  std::array<Py_ssize_t, kMostRank> extents_;
  std::array<Py_ssize_t, 2 * kMostTurned> turned_;  // extents and strides
};

}  // namespace

PyObject* CallOp(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names) {
  OpObject* self = AsOp(callable);
  Options options;
  PyObject* result = nullptr;
  if (ReadOptions(self, given, PyVectorcall_NARGS(flags), names, options) &&
      AskArrays({given, self->num_arrays}) && AskArrays({&options.out, 1})) {
    OpObject* form = options.exact ? AsOp(self->exact) : self;
    if (options.fast) form = AsOp(form->fast);
    if (self->number != nullptr && (PyFloat_CheckExact(given[1]) || PyLong_CheckExact(given[1]))) {
      form = AsOp(self->number);
      options.scalars = given + 1;
    }
    Outcome outcome;
    do {
      outcome = Call(form, given, options.scalars).Run(options.out, result);
    } while (outcome == Outcome::kAgain);
    if (outcome != Outcome::kUnhandled) return result;
  }
  return CallUncommon(self, given, flags, names);
}

bool RunElements(OpObject* self, uint32_t code, Operands& operands) {
  OpKernels kernels(self, code);
  return RunOperands(PyUnicode_AsUTF8AndSize(self->name, nullptr), kernels, operands);
}

PyObject* RunOp(PyObject* object, PyObject* arguments) {
  OpObject* self = AsOp(object);
  unsigned int code = 0;
  PyObject* arrays = nullptr;
  PyObject* scalars = nullptr;
  if (PyArg_ParseTuple(arguments, "IO!O!", &code, &PyTuple_Type, &arrays, &PyTuple_Type,
                       &scalars) == 0) {
    return nullptr;
  }
  Operands operands;
  operands.count = self->num_arrays + 1;
  operands.num_numbers = self->num_scalars;
  if ((self->vectorcall != CallOp && self->vectorcall != CallFill) || code >= kTypes ||
      PyTuple_Size(arrays) != static_cast<Py_ssize_t>(operands.count) ||
      PyTuple_Size(scalars) != static_cast<Py_ssize_t>(operands.num_numbers)) {
    PyErr_SetString(PyExc_ValueError, "expected a type, the arrays and the scalars");
    return nullptr;
  }
  const char* name = PyUnicode_AsUTF8AndSize(self->name, nullptr);
  // Before the arrays: their conversion may run code of the user.
  for (size_t k = 0; k < operands.num_numbers; ++k) {
    if (!ReadScalar(PyTuple_GetItem(scalars, static_cast<Py_ssize_t>(k)), code,
                    operands.numbers[k])) {
      return nullptr;
    }
  }
  do {
    for (size_t k = 0; k < operands.count; ++k) {
      NumpyArray array;
      if (!ReadNumpyArray(PyTuple_GetItem(arrays, static_cast<Py_ssize_t>(k)), array)) {
        Refuse(name, "an array has strides that are not whole elements; x.copy() has others");
        return nullptr;
      }
      operands.list[k] = OperandOf(array, self->copies_bits ? kBitsCodes[array.size] : code);
      if (array.count() == 0) Py_RETURN_NONE;
    }
    if (!Fit(operands)) {
      Refuse(name, "these arrays do not go together");
      return nullptr;
    }
    if (RunElements(self, code, operands)) Py_RETURN_NONE;
  } while (MustRepeat());
  return nullptr;
}

}  // namespace hologram::python
