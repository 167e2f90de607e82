// Calls of products of matrices and of running sums: NumPy arrays without gaps go from here to the
// kernels, everything else to a Python function, which knows all layouts and all errors.
#include <algorithm>

#include "arrays.h"
#include "dlpack.h"
#include "hologram/detail/layout.hpp"
#include "numpy_fields.h"
#include "op_fields.h"

namespace hologram::python {
namespace {

constexpr uint32_t kBlock = 64;
constexpr uint32_t kSumBlock = 256;

// What a call is about: the operands, the shape of the result, and the launch.
struct Product {
  std::array<NumpyArray, 2> operands;
  size_t count = 0;
  std::array<Py_ssize_t, 2> extents{};
  int rank = 0;
  std::array<uint64_t, 7> numbers{};  // of the kernel, behind the arrays
  size_t num_numbers = 0;
  std::array<uint32_t, 3> grid{1, 1, 1};
  uint32_t lanes = kBlock;
};

bool IsMatrix(const NumpyArray& array) {
  return array.rank == 2 && array.extents[0] <= INT32_MAX && array.extents[1] <= INT32_MAX;
}

bool PlanMatvec(Product& product) {
  const auto& [a, x] = product.operands;
  if (!IsMatrix(a) || x.rank != 1 || x.extents[0] != a.extents[1]) return false;
  product.extents[0] = a.extents[0];
  product.rank = 1;
  const auto columns = static_cast<uint64_t>(a.extents[1]);
  product.numbers = {columns, columns};
  product.num_numbers = 2;
  product.grid[0] = static_cast<uint32_t>(a.extents[0]);
  return true;
}

bool PlanGemm(Product& product) {
  const auto& [a, b] = product.operands;
  if (!IsMatrix(a) || !IsMatrix(b) || b.extents[0] != a.extents[1]) return false;
  const auto m = static_cast<uint64_t>(a.extents[0]);
  const auto n = static_cast<uint64_t>(b.extents[1]);
  const auto k = static_cast<uint64_t>(a.extents[1]);
  product.extents = {a.extents[0], b.extents[1]};
  product.rank = 2;
  product.numbers = {m, n, k, k, 1, n, n};
  product.num_numbers = 7;
  const auto [columns, lanes] = detail::launch_width(static_cast<uint32_t>(n));
  product.grid = {columns, static_cast<uint32_t>((m + 3) / 4), 1};
  product.lanes = lanes;
  return true;
}

bool PlanSums(Product& product) {
  const NumpyArray& x = product.operands[0];
  if (x.rank != 1 || x.extents[0] > INT32_MAX) return false;
  product.extents[0] = x.extents[0];
  product.rank = 1;
  const auto n = static_cast<uint64_t>(x.extents[0]);
  product.numbers = {n, n};
  product.num_numbers = 2;
  product.lanes = kSumBlock;
  return true;
}

bool ReadOperands(const OpObject* self, PyObject* const* given, Product& product) {
  product.count = self->num_arrays;
  const NumpyArray& first = product.operands[0];
  for (size_t k = 0; k < product.count; ++k) {
    NumpyArray& array = product.operands[k];
    if (!ReadDenseArray(given[k], array) || array.is_bool || array.code != first.code ||
        array.count() == 0) {
      return false;
    }
  }
  if ((self->types >> first.code & 1) == 0) return false;
  switch (self->finish) {
    case OpKind::kMatvec:
      return PlanMatvec(product);
    case OpKind::kGemm:
      return PlanGemm(product);
    default:
      return PlanSums(product);
  }
}

bool FitsOutput(PyObject* out, const Product& product, NumpyArray& array) {
  return ReadDenseArray(out, array) && array.writable && !array.is_bool &&
         array.code == product.operands[0].code && array.rank == product.rank &&
         std::equal(array.extents, array.extents + array.rank, product.extents.begin());
}

bool Launch(OpObject* self, const Product& product, const NumpyArray& out) {
  const uint32_t code = product.operands[0].code;
  const size_t arrays = product.count + 1;
  const hologram_kernel* kernel =
      FindKernel(self, 0, "", code, [&](const hologram_launch_plan* plan) {
        return plan->num_parameters == arrays + product.num_numbers;
      });
  if (kernel == nullptr) return false;
  std::array<hologram_argument, 10> arguments;
  for (size_t k = 0; k < arrays; ++k) {
    const NumpyArray& array = k == product.count ? out : product.operands[k];
    arguments[k].code = array.code | kBuffer | (k == product.count ? kWritable : 0U);
    arguments[k].buffer = {array.data, array.count() * array.size};
  }
  for (size_t k = 0; k < product.num_numbers; ++k) {
    arguments[arrays + k].code = HOLOGRAM_U32;
    arguments[arrays + k].scalar = product.numbers[k];
  }
  return RunShaped(kernel, arguments.data(), arrays + product.num_numbers, product.grid,
                   {product.lanes, 1, 1});
}

}  // namespace

PyObject* CallProduct(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names) {
  OpObject* self = AsOp(callable);
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  const bool has_out =
      named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "out") == 0;
  PyObject* out = has_out && given[count] != Py_None ? given[count] : nullptr;
  const bool common = count == static_cast<Py_ssize_t>(self->num_arrays) &&
                      (named == 0 || has_out) && AskArrays({given, static_cast<size_t>(count)}) &&
                      AskArrays({&out, 1});
  Product product;
  while (common && ReadOperands(self, given, product)) {
    NumpyArray array;
    PyObject* result = out != nullptr ? Py_NewRef(out)
                                      : NewArrayAs(given[0], product.operands[0], product.rank,
                                                   product.extents.data(), self->empty);
    if (result == nullptr) return nullptr;
    const bool fits = FitsOutput(result, product, array);
    if (fits && Launch(self, product, array)) return result;
    Py_DECREF(result);
    if (!fits) break;
    if (!MustRepeat()) return nullptr;
    product = {};
  }
  return PyObject_Vectorcall(self->slow, given, flags, names);
}

}  // namespace hologram::python
