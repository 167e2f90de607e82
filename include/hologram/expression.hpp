// Expressions over arrays, computed in one loop:
//
//   hologram::Tensor<float> x({1000}), b({1000}), out({1000});
//   auto y = relu(2.0f * x + b);     // nothing is computed yet
//   evaluate(y, out);                // one kernel; compiled when the expression is first used
//   exec.run(y, out);                // the same, on as many threads as the executor may use
//
// Operands are tensors without gaps of one shape, which is that of the result, and numbers; other
// arrays (buffers, vectors, spans) by array(x), by their size. Nothing is broadcast but numbers.
// All have one element type: cast<T>(x) converts. Operators and functions are the operations of
// hologram.ops (docs/ops.md), with the bits of these one by one; comparisons give std::uint8_t, 1
// or 0, and where(c, a, b) takes them. For f16 and bf16 numbers are hologram::f16 and bf16 too.
//
// A number takes the type of the arrays beside it. One that it cannot hold is refused when the
// expression is made: u8 + 300; a float is rounded to it.
//
// An expression is a circuit (docs/sigmatics.md): it is compiled by the compiler plugin, without
// which the first use throws HOLOGRAM_ERROR_UNSUPPORTED, once in a process for each type of
// expression and each way in which its arrays are the same ones; native code is kept in the code
// cache. The values of numbers are arguments: another one does not make another expression. Later
// calls take no lock and no memory.
//
// Lifetime: a tensor in an expression keeps its memory, array(x) does not. An expression may be
// copied and kept; it reads its arrays when it is evaluated, each time. Threads: several may
// evaluate one expression, into results of their own; the result may be one of the arrays, but not
// a part of one.
//
// Errors are thrown as hologram::Error with HOLOGRAM_ERROR_INVALID_ARGUMENT for shapes, sizes and
// numbers, and INVALID_TEXT for an operation that has no form for the type, as exp of integers.
// Tested by tests/capi/expression_test.cc.
#pragma once

#include "detail/expression_kernels.hpp"
#include "detail/expression_terms.hpp"
#include "tensor.hpp"

namespace hologram {

// ---- Operators and functions. Each line of the table is an operation of docs/ops.md.

#define HOLOGRAM_BINARY(name, ...)                                             \
  template <detail::ExpressionOperand A, detail::ExpressionOperand B>          \
    requires(detail::ExpressionArray<A> || detail::ExpressionArray<B>)         \
  auto name(A&& a, B&& b) {                                                    \
    return detail::apply<__VA_ARGS__>(std::forward<A>(a), std::forward<B>(b)); \
  }
#define HOLOGRAM_UNARY(name, ...)                          \
  template <detail::ExpressionArray X>                     \
  auto name(X&& x) {                                       \
    return detail::apply<__VA_ARGS__>(std::forward<X>(x)); \
  }

// The operations on elements: every row of docs/ops.md, "Element by element", under its name there,
// with its types, its largest error in ulp and its range as a comment. add, sub, mul and div are
// the operators, neg(x) is -x too, gelu_erf(x) is gelu by erf.
//
//   abs(x), softplus(x)         // one array
//   pow(a, b), a * 2.0f, 1 / b  // two operands, of which one at least is an array
//   clip(x, low, high)          // an array and numbers, which may be arrays too
//   fast::exp(x)                // a shorter approximation, where docs/ops.md has one
//
// Results have the type of the arrays. Integers divided by 0 are HOLOGRAM_ERROR_FAULT.
#include "detail/operation_terms.inc"
#undef HOLOGRAM_BINARY
#undef HOLOGRAM_UNARY

#define HOLOGRAM_COMPARISON(name, word)                                            \
  template <detail::ExpressionOperand A, detail::ExpressionOperand B>              \
    requires(detail::ExpressionArray<A> || detail::ExpressionArray<B>)             \
  auto name(A&& a, B&& b) {                                                        \
    return detail::apply<detail::OneStep<word>, std::uint8_t>(std::forward<A>(a),  \
                                                              std::forward<B>(b)); \
  }

// Comparisons give std::uint8_t, 1 or 0, for where(). With NaN all are 0 but not_equal, which is 1.
// There are no operators == and !=: equal(a, b) and not_equal(a, b).
//
//   auto larger = where(a > b, a, b);
HOLOGRAM_COMPARISON(operator<, "merge:lt")
// a <= b
HOLOGRAM_COMPARISON(operator<=, "merge:le")
// a > b
HOLOGRAM_COMPARISON(operator>, "merge:gt")
// a >= b
HOLOGRAM_COMPARISON(operator>=, "merge:ge")
// a == b; -0 and +0 are equal.
HOLOGRAM_COMPARISON(equal, "merge:eq")
// Not equal(a, b).
HOLOGRAM_COMPARISON(not_equal, "merge:ne")
#undef HOLOGRAM_COMPARISON

// x as another element type, cast<std::uint8_t>(x): to floats rounded to nearest even, to integers
// towards zero; what does not fit becomes the nearest integer that does, NaN becomes 0.
template <class T, detail::ExpressionArray X>
auto cast(X&& x) {
  using From = typename detail::first_array<X>::type;
  return detail::apply<detail::Cast<From, T>, T>(std::forward<X>(x));
}

// a where the condition (std::uint8_t) is not 0, else b, bit for bit. a and b have one type, and
// one of them is an array; all of both are computed, so that a fault in what is not taken is one.
template <detail::ExpressionArray C, detail::ExpressionOperand A, detail::ExpressionOperand B>
  requires(detail::ExpressionArray<A> || detail::ExpressionArray<B>)
auto where(C&& condition, A&& a, B&& b) {
  using T = typename detail::first_array<A, B>::type;
  using Op = detail::OneStep<"merge:select">;
  auto c = detail::operand<std::uint8_t>(std::forward<C>(condition));
  auto x = detail::operand<T>(std::forward<A>(a));
  auto y = detail::operand<T>(std::forward<B>(b));
  return Applied<Op, T, decltype(c), decltype(x), decltype(y)>(std::move(c), std::move(x),
                                                               std::move(y));
}

// ---- Evaluation

// Computes an expression into `out`: a tensor without gaps, a buffer, vector or span, of the
// element type and the size of the expression; a tensor also of its shape. It may be one of the
// arrays. Nothing is computed for no elements. Of the options `threads` and `backend` count.
//
//   evaluate(relu(2.0f * x + b), out);
//   evaluate(x + 1.0f, x, {.threads = 1});  // in place
//
// The first evaluation of a type of expression compiles it, which takes far longer than a launch,
// or loads it from the code cache. Throws INVALID_ARGUMENT for other shapes and sizes ("array 1 of
// an expression has 3 elements, the result 4"), a result that overlaps an array in part, and more
// than 2^32 - 1 elements; INVALID_TEXT for an operation without a form for the type; UNSUPPORTED
// without the compiler plugin; RESOURCE_LIMIT for more than 96 values at a time; FAULT for integers
// divided by 0. More than 62 arrays and numbers do not compile.
template <Expression E, class Out>
void evaluate(const E& expression, Out&& out, const LaunchConfig& config = {}) {
  static_assert(E::arrays > 0, "expected an array in the expression");
  static_assert(E::arrays + E::numbers + 2 <= HOLOGRAM_MAX_PARAMETERS,
                "an expression has up to 62 arrays and numbers; compute a part of it first");
  using T = typename E::value_type;
  detail::ExpressionCall<E::arrays, E::numbers> call;
  std::span<T> result;
  if constexpr (detail::is_tensor<std::remove_cvref_t<Out>>::value) {
    result = out.flat();
    call.shape = &out.shape();
  } else {
    result = std::span<T>(std::data(out), std::size(out));
  }
  call.count = result.size();
  expression.collect(call);
  if (call.count == 0) return;
  if (call.count > UINT32_MAX) detail::refuse("an expression of more than 2^32 - 1 elements");
  const auto same = detail::same_arrays<E::arrays>(call);
  const Kernel& kernel = detail::expression_kernel<E>(same);
  // Each array once, then the result.
  std::size_t num_buffers = 0;
  for (std::size_t k = 0; k < E::arrays; ++k) {
    if (same[k] == num_buffers) call.buffers[num_buffers++] = call.buffers[k];
  }
  call.buffers[num_buffers] = {result.data(), result.size_bytes()};
  call.scalars[E::numbers] = call.count;
  if (config.threads != 0 || config.backend != Backend::automatic) {
    return detail::launch_expression(kernel, call, config);
  }
  hologram_error* const error = detail::launch(
      [&](hologram_launch_state* state) {
        return detail::enter(*hologram_kernel_plan(kernel.get()), call.buffers.data(),
                             call.scalars.data(), state);
      },
      [&](const hologram_launch_state& state) {
        return hologram_kernel_fault(kernel.get(), call.buffers.data(), call.scalars.data(),
                                     nullptr, &state);
      },
      [&]() -> hologram_error* {
        detail::launch_expression(kernel, call, config);
        return nullptr;
      });
  detail::check(error);
}

// The circuit of an expression whose arrays are all different, as it is written
// (docs/sigmatics.md), for Executor::load_circuit and to look at. Needs no plugin.
template <Expression E>
std::string circuit(const E&) {
  std::array<std::uint8_t, E::arrays> same;
  for (std::size_t k = 0; k < E::arrays; ++k) same[k] = static_cast<std::uint8_t>(k);
  return detail::circuit_text<E>(same);
}

}  // namespace hologram
