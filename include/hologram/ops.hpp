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

  // ---- Two operands, element by element

  // out = a + b. All types; integers wrap, floats are correctly rounded. For `out` see the rules
  // above; in place is ops.add(a, b, a).
  template <class T>
  void add(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::add, a, b, out);
  }
  // out = a - b. All types; integers wrap, floats are correctly rounded.
  template <class T>
  void sub(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::sub, a, b, out);
  }
  // out = a * b. All types; integers wrap, floats are correctly rounded.
  template <class T>
  void mul(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::mul, a, b, out);
  }

  // out = a / b. All types. Floats are correctly rounded, and x / 0 is an infinity or NaN as in
  // IEEE 754. Integers round towards zero and wrap; one divided by 0 throws HOLOGRAM_ERROR_FAULT,
  // "division by zero".
  template <class T>
  void div(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::div, a, b, out);
  }

  // out = the smaller of a and b, exactly. All types. A number comes before NaN, so the result is
  // NaN only if both are; -0 comes before +0.
  template <class T>
  void minimum(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::minimum, a, b, out);
  }

  // out = the larger of a and b, exactly. All types. A number comes before NaN, so the result is
  // NaN only if both are; +0 comes before -0.
  template <class T>
  void maximum(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::maximum, a, b, out);
  }

  // out = a to the power b. Floats; 1.5 ulp of float and double. Special values as in IEEE
  // 754-2019, 9.2.1: pow(x, 0) is 1 even of NaN. Integers are UNSUPPORTED.
  template <class T>
  void pow(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::pow, a, b, out);
  }

  // Each of the seven to a new tensor, whose shape is that which broadcast_shapes() of a and b
  // gives. They throw the same, and where the shapes do not go together.
  //
  // a + b:
  template <class T>
  Tensor<T> add(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::add, a, b);
  }
  // a - b
  template <class T>
  Tensor<T> sub(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::sub, a, b);
  }
  // a * b
  template <class T>
  Tensor<T> mul(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::mul, a, b);
  }
  // a / b
  template <class T>
  Tensor<T> div(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::div, a, b);
  }
  // The smaller of a and b.
  template <class T>
  Tensor<T> minimum(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::minimum, a, b);
  }
  // The larger of a and b.
  template <class T>
  Tensor<T> maximum(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::maximum, a, b);
  }
  // a to the power b.
  template <class T>
  Tensor<T> pow(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::pow, a, b);
  }

  // ---- One operand, element by element; of the same shape or broadcast to that of `out`

  // The operations of apply(). Formulas, types and errors are those of docs/ops.md:
  //
  // - exact: abs and neg (floats, signed integers, whose lowest number stays), relu (all types;
  //   max(x, 0), but NaN stays), floor, ceil, round (floats; ties to even);
  // - correctly rounded: sqrt (NaN below 0);
  // - 1 ulp, 1.5 of double: rsqrt, exp, log, log2, log10, sin, cos, tan (radians), tanh, sigmoid (1
  //   / (1 + e^-x)), erf;
  // - gelu: x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2, 4 ulp from -1 on; gelu_erf: x *
  //   (1 + erf(x / sqrt(2))) / 2, 2 ulp from 0 on;
  // - silu: x * sigmoid(x), 2 ulp, 2.5; softplus: log(1 + e^x), 2.5 ulp, 3, without overflow.
  //
  // `count` is the number of them, and none itself.
  enum class Unary : std::uint8_t {
    abs,
    neg,
    relu,
    sqrt,
    rsqrt,
    floor,
    ceil,
    round,
    exp,
    log,
    log2,
    log10,
    sin,
    cos,
    tan,
    tanh,
    sigmoid,
    erf,
    gelu,
    gelu_erf,
    silu,
    softplus,
    count
  };

  // out = op(x), element by element; x has the shape of `out` or is broadcast to it. Accuracy::fast
  // is there for float, of exp, log, log2, log10, sin, cos, tanh, sigmoid, erf (4 ulp), silu (5),
  // gelu and gelu_erf (8), and UNSUPPORTED for the rest.
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

  // apply() of the functions that are used most, under names of their own; types and errors are
  // those of Unary.
  //
  // e^x; of float an infinity above 88.73, 0 below -103.97.
  template <class T>
  Tensor<T> exp(const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    return apply(Unary::exp, x, accuracy);
  }
  // The natural logarithm: NaN below 0, minus infinity at 0.
  template <class T>
  Tensor<T> log(const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    return apply(Unary::log, x, accuracy);
  }
  // The hyperbolic tangent, -1 to 1.
  template <class T>
  Tensor<T> tanh(const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    return apply(Unary::tanh, x, accuracy);
  }
  // 1 / (1 + e^-x), 0 to 1.
  template <class T>
  Tensor<T> sigmoid(const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    return apply(Unary::sigmoid, x, accuracy);
  }
  // max(x, 0), of all types; NaN stays, -0 gives +0.
  template <class T>
  Tensor<T> relu(const Tensor<T>& x) {
    return apply(Unary::relu, x);
  }

  // x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2; minus infinity gives NaN. The form by
  // erf is Unary::gelu_erf.
  template <class T>
  Tensor<T> gelu(const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    return apply(Unary::gelu, x, accuracy);
  }

  // out = x + s for a number s of the type of the elements: ops.scalar_add(x, 1.0f, out). All
  // types; integers wrap, floats are correctly rounded. x is broadcast to the shape of `out`.
  template <class T>
  void scalar_add(const Tensor<T>& x, T s, const Tensor<T>& out) {
    elements(Op::scalar_add, Form::flat, x, out, s);
  }
  // out = x * s, as scalar_add().
  template <class T>
  void scalar_mul(const Tensor<T>& x, T s, const Tensor<T>& out) {
    elements(Op::scalar_mul, Form::flat, x, out, s);
  }

  // out = min(max(x, low), high), exactly. All types. NaN counts as `low`; where low > high every
  // element gives `high`, NaN too.
  template <class T>
  void clip(const Tensor<T>& x, T low, T high, const Tensor<T>& out) {
    elements(Op::clip, Form::flat, x, out, low, high);
  }

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

  // The names of kernels are in the order of Unary.
  static_assert(static_cast<std::uint8_t>(Unary::count) == num_unary);
};

}  // namespace hologram
