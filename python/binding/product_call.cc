// Calls of products of matrices and of running sums: NumPy arrays without gaps go from here to the
// kernels, everything else to a Python function, which knows all layouts and all errors.
#include "product_call.h"

#include <algorithm>

#include "arrays.h"
#include "dlpack.h"
#include "hologram/detail/product.hpp"
#include "launch_call.h"
#include "numpy_fields.h"
#include "op_fields.h"
#include "scalars.h"

namespace hologram::python {
namespace {

constexpr uint32_t kBlock = 64;
constexpr uint32_t kSumBlock = 256;
constexpr uint64_t kRowsOfBlock = 8;  // of op_matvec_rows

// What a call is about: the operands, the shape of the result, and the launch.
struct Product {
  std::array<NumpyArray, 2> operands;
  size_t count = 0;
  std::array<Py_ssize_t, 2> extents{};
  int rank = 0;
  detail::MatrixProduct matrices;     // of a product of two matrices; of others m is 0
  bool swapped = false;               // the first operand is the second matrix
  const char* step = "";              // of another: the name of its kernel, if it is not its own
  std::array<uint64_t, 3> numbers{};  // and what follows the arrays
  size_t num_numbers = 0;
  std::array<uint32_t, 3> grid{1, 1, 1};
  uint32_t lanes = kBlock;
};

bool IsMatrix(const NumpyArray& array) {
  return array.rank == 2 && array.extents[0] <= INT32_MAX && array.extents[1] <= INT32_MAX;
}

// A matrix without gaps, by rows or by columns.
bool ReadMatrix(PyObject* object, NumpyArray& array) {
  if (ReadDenseArray(object, array)) return true;
  return ReadNumpyArray(object, array) && array.rank == 2 && array.count() != 0 &&
         array.strides[0] == static_cast<Py_ssize_t>(array.size) &&
         array.strides[1] == array.extents[0] * array.strides[0];
}

bool PlanMatvec(Product& product) {
  const auto& [a, x] = product.operands;
  if (!IsMatrix(a) || x.rank != 1 || x.extents[0] != a.extents[1]) return false;
  product.extents[0] = a.extents[0];
  product.rank = 1;
  const auto rows = static_cast<uint64_t>(a.extents[0]);
  const auto columns = static_cast<uint64_t>(a.extents[1]);
  if (!a.contiguous) {  // out = x A, A by columns
    product.swapped = true;
    product.matrices = {.m = 1,
                        .n = static_cast<uint32_t>(rows),
                        .k = static_cast<uint32_t>(columns),
                        .a_row = static_cast<uint32_t>(columns),
                        .a_column = 1,
                        .b_row = static_cast<uint32_t>(rows),
                        .b_column = 1,
                        .out_row = static_cast<uint32_t>(rows),
                        .code = a.code};
    return true;
  }
  if (rows < kRowsOfBlock) {
    product.numbers = {columns, columns};
    product.num_numbers = 2;
    product.grid[0] = static_cast<uint32_t>(rows);
    return true;
  }
  product.step = "matvec_rows";
  product.numbers = {rows, columns, columns};
  product.num_numbers = 3;
  product.grid[0] = static_cast<uint32_t>((rows + kRowsOfBlock - 1) / kRowsOfBlock);
  return true;
}

bool PlanGemm(Product& product) {
  const auto& [a, b] = product.operands;
  if (!IsMatrix(a) || !IsMatrix(b) || b.extents[0] != a.extents[1]) return false;
  const auto m = static_cast<uint32_t>(a.extents[0]);
  const auto n = static_cast<uint32_t>(b.extents[1]);
  const auto k = static_cast<uint32_t>(a.extents[1]);
  product.extents = {a.extents[0], b.extents[1]};
  product.rank = 2;
  product.matrices = {.m = m,
                      .n = n,
                      .k = k,
                      .a_row = k,
                      .a_column = 1,
                      .b_row = n,
                      .b_column = 1,
                      .out_row = n,
                      .code = a.code};
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
    const bool by_columns = self->kind == OpKind::kMatvec && k == 0;
    if (!(by_columns ? ReadMatrix(given[k], array) : ReadDenseArray(given[k], array)) ||
        array.is_bool || array.code != first.code || array.count() == 0) {
      return false;
    }
  }
  if ((self->types >> first.code & 1) == 0) return false;
  switch (self->kind) {
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

// False: as for FindKernel.
bool Multiply(OpObject* self, const detail::MatrixProduct& product,
              const std::array<detail::ProductMemory, 3>& memory) {
  return detail::multiply(
      product, memory,
      [&](detail::ProductStep step) {
        const auto at = static_cast<size_t>(step);
        return FindKernel(self, at, detail::product_steps[at], product.code,
                          [](const hologram_launch_plan* plan) {
                            return plan->num_parameters >= 5 && plan->num_parameters <= 11;
                          });
      },
      [](const hologram_kernel* kernel, const hologram_argument* arguments, size_t count,
         const std::array<uint32_t, 3>& grid,
         uint32_t lanes) { return RunShaped(kernel, arguments, count, grid, {lanes, 1, 1}); });
}

bool Launch(OpObject* self, const Product& product, const NumpyArray& out) {
  const auto memory = [](const NumpyArray& array) {
    return detail::ProductMemory{array.data, array.count() * array.size};
  };
  if (product.matrices.m != 0) {
    const NumpyArray& a = product.operands[product.swapped ? 1 : 0];
    const NumpyArray& b = product.operands[product.swapped ? 0 : 1];
    return Multiply(self, product.matrices, {memory(a), memory(b), memory(out)});
  }
  const uint32_t code = product.operands[0].code;
  const size_t arrays = product.count + 1;
  const hologram_kernel* kernel = FindKernel(
      self, *product.step == 0 ? 0 : 1, product.step, code, [&](const hologram_launch_plan* plan) {
        return plan->num_parameters == arrays + product.num_numbers;
      });
  if (kernel == nullptr) return false;
  std::array<hologram_argument, 6> arguments;
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
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_Size(names);
  const bool has_out =
      named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "out") == 0;
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

PyObject* MultiplyMatrices(PyObject* /*module*/, PyObject* const* given, Py_ssize_t count) {
  constexpr Py_ssize_t kNumbers = 8;
  constexpr Py_ssize_t kArrays = 3;
  if (count != 1 + kArrays + kNumbers || !IsOp(given[0]) || AsOp(given[0])->kind != OpKind::kGemm) {
    PyErr_SetString(PyExc_TypeError, "expected gemm, three matrices and eight numbers");
    return nullptr;
  }
  OpObject* self = AsOp(given[0]);
  std::array<uint32_t, kNumbers> numbers;
  for (Py_ssize_t k = 0; k < kNumbers; ++k) {
    uint64_t bits = 0;
    if (!ReadScalar(given[1 + kArrays + k], HOLOGRAM_U32, bits)) return nullptr;
    numbers[static_cast<size_t>(k)] = static_cast<uint32_t>(bits);
  }
  while (true) {
    std::array<detail::ProductMemory, 3> memory;
    Holds holds;
    uint32_t code = 0;
    for (size_t k = 0; k < memory.size(); ++k) {
      hologram_argument argument;
      if (!ReadMemory("gemm", given[1 + k], argument, holds)) return nullptr;
      memory[k] = {static_cast<char*>(argument.buffer.data), argument.buffer.bytes};
      const uint32_t type = argument.code & 0xfU;
      if ((k != 0 && type != code) || (self->types >> type & 1) == 0 ||
          (k == 2 && (argument.code & kWritable) == 0)) {
        PyErr_SetString(PyExc_TypeError, "expected matrices of one type, the last to be written");
        return nullptr;
      }
      code = type;
    }
    const auto& [m, n, k, a_row, a_column, b_row, b_column, out_row] = numbers;
    if (m == 0 || n == 0 || k == 0) Py_RETURN_NONE;
    if (Multiply(self, {m, n, k, a_row, a_column, b_row, b_column, out_row, code}, memory)) {
      Py_RETURN_NONE;
    }
    if (!MustRepeat()) return nullptr;
  }
}

}  // namespace hologram::python
