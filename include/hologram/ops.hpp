// Operations on tensors, each a kernel of the standard library, stdlib.holo, compiled beforehand:
//
//   hologram::Ops ops;
//   hologram::Tensor<float> a({100, 3}), b({3}), c({100, 3});
//   ops.add(a, b, c);                          // b is repeated along the rows
//   auto y = ops.softmax(ops.exp(a));          // new tensors
//   float total = ops.sum(c);
//   auto best = ops.argmax(y, 1);              // along an axis: tensor_reductions.hpp
//
// Rules of all operations:
//
// - Shapes are broadcast by NumPy's rules (dimensions.hpp). Strides are honoured: only softmax and
//   log_softmax copy an operand with gaps first.
// - Forms without `out` give a new tensor. Forms with it write one that is there, of the shape of
//   the result; it may be strided, but not repeat its elements. It may be an operand if all tensors
//   of the call have one shape and no gaps; otherwise its memory must be apart from theirs.
// - Types are those of docs/ops.md: float and double everywhere, f16, bf16 and the integers where
//   it is named. f16 and bf16 are computed in float and rounded once.
// - Results have the same bits on every machine and with any number of threads. Largest errors are
//   given in units in the last place (ulp) of float, or double after a comma; docs/ops.md has them
//   for all types.
// - A tensor, or each of its dimensions and strides if it has gaps, has up to 2^31 - 1 elements.
//
// Errors are thrown as hologram::Error, before anything is written: HOLOGRAM_ERROR_INVALID_ARGUMENT
// for shapes, strides and overlaps, HOLOGRAM_ERROR_UNSUPPORTED for a type, or a fast form, that an
// operation does not have. Division of integers by zero alone is HOLOGRAM_ERROR_FAULT, and `out`
// may hold part of the results. Tested by tests/capi/ops_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "detail/ops_kernels.hpp"
#include "tensor.hpp"
#include "tensor_reductions.hpp"

namespace hologram {

// The form of a function. precise: the errors given with Unary, at most 1 ulp of float for most.
// fast: 4 to 8 ulp, of float alone, by shorter approximations (apply() describes which functions
// have one). Both give the same bits everywhere.
enum class Accuracy { precise, fast };

// The operations. One object is enough for a program: it holds the opened library and the kernels
// that were used so far, each found at its first use; later calls look nothing up. Neither copied
// nor moved. Reductions, as sum and argmax, are inherited from tensor_reductions.hpp.
//
//   hologram::Ops ops;
//   ops.apply(hologram::Ops::Unary::silu, x, y);       // y = x * sigmoid(x)
//   auto fast = ops.exp(x, hologram::Accuracy::fast);  // at most 4 ulp
//   ops.matmul(weights, y.transpose(), out);           // strides are honoured
//
// Threads: several may use one Ops, on memory that no other thread writes; a lock is taken only
// while a kernel is looked for. Large operations are spread over threads as launches are
// (hologram.h).
class Ops : public Reductions<Ops>, private detail::OpKernels {
 public:
  // Opens stdlib.holo: the file that HOLOGRAM_STDLIB names, or hologram/stdlib.holo beside
  // libhologram, or stdlib.holo beside the program; trusted by the hash of this build. Throws
  // HOLOGRAM_ERROR_NOT_FOUND if there is none, and HOLOGRAM_ERROR_INVALID_BUNDLE for one of another
  // build.
  Ops() = default;

  // The engine of the operations on this machine: "native (bundle, v4)" or "interpreter". Throws if
  // kernels of the library cannot be used.
  std::string path() { return OpKernels::find<float>(Op::add, Form::flat).path(); }

  // ---- Element by element

  // The operations of one operand, for apply(), in the order of docs/ops.md, which has formulas,
  // types and errors; gelu_erf is gelu by erf. `count` is the number of them, and none itself.
  enum class Unary : std::uint8_t {
#define HOLOGRAM_UNARY_NAME(name) name,
#define HOLOGRAM_OTHER_NAME(name)
#include "detail/operation_names.inc"
    count
  };

  // out = op(x), element by element; x has the shape of `out` or is broadcast to it. Accuracy::fast
  // is there for float, of the functions that take it below, and UNSUPPORTED for the rest.
  template <class T>
  void apply(Unary op, const Tensor<T>& x, const Tensor<T>& out,
             Accuracy accuracy = Accuracy::precise) {
    if (op >= Unary::count) detail::refuse("an operation that is none");
    elements(static_cast<Op>(op), accuracy == Accuracy::fast ? Form::fast : Form::flat, x, out);
  }
  // op(x) in a new tensor of the shape of x, which is contiguous whatever x is.
  template <class T>
  Tensor<T> apply(Unary op, const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    Tensor<T> out(x.shape());
    apply(op, x, out, accuracy);
    return out;
  }

  // Each operation under its own name: of two operands to `out` and to a new tensor, whose shape is
  // that which broadcast_shapes() of a and b gives; of one operand to a new tensor, as apply()
  // does; with numbers of the type of the elements to `out`, to whose shape x is broadcast:
  //
  //   ops.add(a, b, a);               // in place; for `out` see the rules above
  //   auto y = ops.sigmoid(ops.mul(a, b));
  //   ops.clip(y, 0.25f, 0.75f, y);
  //
  // A type that an operation does not have is UNSUPPORTED. Integers divided by 0 throw
  // HOLOGRAM_ERROR_FAULT, "division by zero".
#include "detail/operation_methods.inc"

  // ---- Rows: along the last dimension, which has at least one element

  // For each row e^(x - m) / sum of e^(x - m), m the largest of it: positive numbers with the sum
  // 1, without overflow. float and double; |error| <= (8 + log(1 / y) + n / 64) * 2 * eps * y for a
  // result y in a row of n. A row with NaN, +inf or nothing but -inf gives NaN. Throws for a
  // scalar; a tensor of no elements gives one.
  template <class T>
  Tensor<T> softmax(const Tensor<T>& x) {
    return rows(Op::softmax, x);
  }

  // For each row x - m - log(sum of e^(x - m)): the logarithm of softmax(), computed without it, so
  // that small probabilities keep their digits. float and double; |error| <= (8 + n / 64) * 2 * eps
  // * (1 + |x| + |m|) in a row of n. Throws for a scalar.
  template <class T>
  Tensor<T> log_softmax(const Tensor<T>& x) {
    return rows(Op::log_softmax, x);
  }

  // The product of two matrices, [m, k] by [k, n] to [m, n]: out(i, j) = sum of a(i, l) * b(l, j).
  // float and double. Each element is the sum of k products in order, fused; |error| <= k * eps *
  // (|a| |b|).
  //
  // Strides of a and b are honoured, so a.transpose() costs no copy; rows of `out` may be apart,
  // but neighbours in a row may not. With k == 0 the result is zeros. `out` is apart from a and
  // b. Throws for other shapes and ranks: "matmul of 13 x 17 by 19 x 17 to 13 x 17".
  template <class T>
  void matmul(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    floating<T>();
    if (a.ndim() != 2 || b.ndim() != 2 || a.shape()[1] != b.shape()[0] ||
        !(out.shape() == Dimensions({a.shape()[0], b.shape()[1]}))) {
      detail::refuse("matmul of " + to_string(a.shape()) + " by " + to_string(b.shape()) + " to " +
                     to_string(out.shape()));
    }
    const std::size_t m = a.shape()[0];
    const std::size_t n = b.shape()[1];
    if (m == 0 || n == 0) return;
    if (n > 1 && out.strides()[1] != 1) {
      detail::refuse("matmul to rows with gaps (stride " + std::to_string(out.strides()[1]) + ")");
    }
    gemm(a, b, out);
  }
  // The product in a new tensor, [m, n]. Throws for other shapes and ranks.
  template <class T>
  Tensor<T> matmul(const Tensor<T>& a, const Tensor<T>& b) {
    if (a.ndim() != 2 || b.ndim() != 2) {
      detail::refuse("matmul of " + to_string(a.shape()) + " by " + to_string(b.shape()));
    }
    Tensor<T> out({a.shape()[0], b.shape()[1]});
    matmul(a, b, out);
    return out;
  }

 private:
  friend class detail::ReductionCalls<Ops>;
};

}  // namespace hologram
