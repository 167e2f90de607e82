// Calls of operations along rows, the last axis: NumPy arrays without gaps, with all weights, go
// from here to the kernels; everything else goes to a Python function, which knows all layouts and
// all errors.
#include <algorithm>
#include <bit>
#include <span>

#include "arrays.h"
#include "dlpack.h"
#include "numpy_fields.h"
#include "op_fields.h"
#include "trace.h"

namespace hologram::python {
namespace {

constexpr uint32_t kBlock = 64;
constexpr size_t kMostParameters = 5;

// The parameters of op(x, ...), in order. Weights are vectors; those with them have an epsilon, the
// others an axis.
std::span<const char* const> ParametersOf(const OpObject* self) {
  static constexpr const char* kPlain[] = {"x", "axis", "out"};
  static constexpr const char* kOne[] = {"x", "gamma", "epsilon", "out"};
  static constexpr const char* kTwo[] = {"x", "gamma", "beta", "epsilon", "out"};
  if (self->num_arrays == 1) return kPlain;
  return self->num_arrays == 2 ? std::span<const char* const>(kOne) : kTwo;
}

// What is given for each parameter; false where that is not clear.
bool ReadParameters(const OpObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names,
                    std::array<PyObject*, kMostParameters>& values) {
  const std::span<const char* const> parameters = ParametersOf(self);
  const auto positions = static_cast<size_t>(count);
  if (positions > parameters.size()) return false;
  std::copy(given, given + positions, values.begin());
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_Size(names);
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* name = PyTuple_GetItem(names, k);
    size_t place = positions;
    while (place < parameters.size() &&
           PyUnicode_CompareWithASCIIString(name, parameters[place]) != 0) {
      ++place;
    }
    if (place == parameters.size() || values[place] != nullptr) return false;
    values[place] = given[count + k];
  }
  return std::find(values.begin(), values.begin() + self->num_arrays, nullptr) ==
         values.begin() + self->num_arrays;
}

// Without one: the last.
bool IsLast(PyObject* axis, int rank) {
  if (axis == nullptr) return true;
  if (!PyLong_CheckExact(axis)) return false;
  int overflow = 0;
  const long number = PyLong_AsLongAndOverflow(axis, &overflow);
  return overflow == 0 && (number == -1 || number == rank - 1);
}

// x, the weights, and a place for the result.
struct Rows {
  std::array<NumpyArray, kMostInputs + 1> arrays;
  uint64_t columns = 0;
  uint64_t epsilon = 0;  // the bits of f32
};

bool ReadInputs(const OpObject* self, const std::array<PyObject*, kMostParameters>& values,
                Rows& rows) {
  NumpyArray& x = rows.arrays[0];
  if (!ReadDenseArray(values[0], x) || x.is_bool || x.rank < 1 || x.rank > kMostRank ||
      x.count() == 0 || (self->types >> x.code & 1) == 0) {
    return false;
  }
  rows.columns = static_cast<uint64_t>(x.extents[x.rank - 1]);
  if (rows.columns > INT32_MAX || x.count() / rows.columns > INT32_MAX) return false;
  for (uint32_t k = 1; k < self->num_arrays; ++k) {
    NumpyArray& vector = rows.arrays[k];
    if (!ReadDenseArray(values[k], vector) || vector.rank != 1 || vector.code != x.code ||
        vector.is_bool || vector.count() != rows.columns) {
      return false;
    }
  }
  PyObject* option = values[self->num_arrays];
  if (self->num_arrays == 1) return IsLast(option, x.rank);
  constexpr double kEpsilon = 1e-5;
  if (option != nullptr && !PyFloat_CheckExact(option)) return false;
  const auto epsilon = static_cast<float>(option == nullptr ? kEpsilon : PyFloat_AsDouble(option));
  if (!(epsilon < 1)) return false;
  rows.epsilon = std::bit_cast<uint32_t>(epsilon);
  return true;
}

bool FitsOutput(PyObject* out, const NumpyArray& x, NumpyArray& array) {
  return ReadDenseArray(out, array) && array.writable && !array.is_bool && array.code == x.code &&
         SameShape(array, x);
}

bool Launch(OpObject* self, const Rows& rows) {
  const NumpyArray& x = rows.arrays[0];
  const uint32_t arrays = self->num_arrays + 1;
  const bool weighted = self->num_arrays > 1;
  const size_t count = arrays + (weighted ? 4U : 3U);
  const hologram_kernel* kernel =
      FindKernel(self, 0, "", x.code,
                 [&](const hologram_launch_plan* plan) { return plan->num_parameters == count; });
  if (kernel == nullptr) return false;
  std::array<hologram_argument, kMostInputs + 5> arguments;
  size_t k = 0;
  for (; k < arrays; ++k) {
    const NumpyArray& array = rows.arrays[k];
    arguments[k].code = array.code | kBuffer | (k + 1 == arrays ? kWritable : 0U);
    arguments[k].buffer = {array.data, array.count() * array.size};
  }
  if (weighted) {
    arguments[k].code = HOLOGRAM_F32;
    arguments[k++].scalar = rows.epsilon;
  }
  for (; k < count; ++k) {  // how many columns, and how far rows are apart in x and in the result
    arguments[k].code = HOLOGRAM_U32;
    arguments[k].scalar = rows.columns;
  }
  const auto blocks = static_cast<uint32_t>(x.count() / rows.columns);
  return RunShaped(kernel, arguments.data(), count, {blocks, 1, 1}, {kBlock, 1, 1});
}

}  // namespace

PyObject* CallRows(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names) {
  OpObject* self = AsOp(callable);
  std::array<PyObject*, kMostParameters> values{};
  Rows rows;
  const bool clear = ReadParameters(self, given, PyVectorcall_NARGS(flags), names, values);
  PyObject* out = values[ParametersOf(self).size() - 1];
  if (out == Py_None) out = nullptr;
  const bool common = clear && AskArrays({values.data(), self->num_arrays}) && AskArrays({&out, 1});
  while (common && ReadInputs(self, values, rows)) {
    const NumpyArray& x = rows.arrays[0];
    PyObject* result =
        out != nullptr ? Py_NewRef(out) : NewArrayAs(given[0], x, x.rank, x.extents, self->empty);
    if (result == nullptr) return nullptr;
    const bool fits = FitsOutput(result, x, rows.arrays[self->num_arrays]);
    if (fits && Launch(self, rows)) return result;
    Py_DECREF(result);
    if (!fits) break;
    if (!MustRepeat()) return nullptr;
  }
  return CallUncommon(self, given, flags, names);
}

}  // namespace hologram::python
