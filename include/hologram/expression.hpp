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

#define HOLOGRAM_BINARY(name, word)                                                      \
  template <detail::ExpressionOperand A, detail::ExpressionOperand B>                    \
    requires(detail::ExpressionArray<A> || detail::ExpressionArray<B>)                   \
  auto name(A&& a, B&& b) {                                                              \
    return detail::apply<detail::OneStep<word>>(std::forward<A>(a), std::forward<B>(b)); \
  }

// Two operands, one of which at least is an array; element by element. Types and largest errors are
// those of docs/ops.md, in ulp of float.
//
// a + b; integers wrap, floats are correctly rounded.
HOLOGRAM_BINARY(operator+, "merge:add")
// a - b, likewise.
HOLOGRAM_BINARY(operator-, "merge:sub")
// a * b, likewise.
HOLOGRAM_BINARY(operator*, "merge:mul")

// a / b. Integers round towards zero, and one divided by 0 is HOLOGRAM_ERROR_FAULT; floats are
// correctly rounded, x / 0 is an infinity or NaN.
HOLOGRAM_BINARY(operator/, "split:div")  // integers towards zero; by 0 it is a fault
// The smaller one, exactly. A number comes before NaN, -0 before +0.
HOLOGRAM_BINARY(minimum, "merge:min")
// The larger one, exactly. A number comes before NaN, +0 before -0.
HOLOGRAM_BINARY(maximum, "merge:max")
// a to the power b. Floats; 1.5 ulp.
HOLOGRAM_BINARY(pow, "merge:pow")
#undef HOLOGRAM_BINARY

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

#define HOLOGRAM_UNARY(name, ...)                          \
  template <detail::ExpressionArray X>                     \
  auto name(X&& x) {                                       \
    return detail::apply<__VA_ARGS__>(std::forward<X>(x)); \
  }

// One array, element by element; results have its type.
//
// -x; floats and signed integers, whose lowest number stays as it is.
HOLOGRAM_UNARY(operator-, detail::OneStep<"merge:neg">)
// |x|; floats and signed integers, whose lowest number stays as it is.
HOLOGRAM_UNARY(abs, detail::OneStep<"merge:abs">)
// The largest whole number up to x, exactly. Floats.
HOLOGRAM_UNARY(floor, detail::OneStep<"merge:floor">)
// The smallest whole number from x on, exactly. Floats.
HOLOGRAM_UNARY(ceil, detail::OneStep<"merge:ceil">)
// x rounded to a whole number, ties to even: 2.5 gives 2. Floats.
HOLOGRAM_UNARY(round, detail::OneStep<"merge:round">)
// The square root, correctly rounded. Floats; x < 0 gives NaN, -0 gives -0.
HOLOGRAM_UNARY(sqrt, detail::OneStep<"merge:sqrt">)
// 1 / sqrt(x). Floats; 1 ulp. x < 0 gives NaN, 0 an infinity.
HOLOGRAM_UNARY(rsqrt, detail::OneStep<"merge:rsqrt">)
// e^x. Floats; 1 ulp, 1.5 of double. Of float an infinity above 88.73, 0 below -103.97.
HOLOGRAM_UNARY(exp, detail::OneStep<"merge:exp">)
// The natural logarithm. Floats; 1 ulp, 1.5 of double. x < 0 gives NaN, 0 gives -inf.
HOLOGRAM_UNARY(log, detail::OneStep<"merge:log">)
// The logarithm to base 2, as log().
HOLOGRAM_UNARY(log2, detail::OneStep<"merge:log2">)
// The logarithm to base 10, as log().
HOLOGRAM_UNARY(log10, detail::OneStep<"merge:log10">)
// sin(x), x in radians. Floats; 1 ulp, 1.5 of double. An infinity gives NaN.
HOLOGRAM_UNARY(sin, detail::OneStep<"merge:sin">)
// cos(x), as sin().
HOLOGRAM_UNARY(cos, detail::OneStep<"merge:cos">)
// tan(x), as sin().
HOLOGRAM_UNARY(tan, detail::OneStep<"merge:tan">)
// The hyperbolic tangent. Floats; 1 ulp, 1.5 of double.
HOLOGRAM_UNARY(tanh, detail::OneStep<"merge:tanh">)
// 1 / (1 + e^-x). Floats; 1 ulp, 1.5 of double.
HOLOGRAM_UNARY(sigmoid, detail::OneStep<"merge:sigmoid">)
// The error function. Floats; 1 ulp, 1.5 of double.
HOLOGRAM_UNARY(erf, detail::OneStep<"merge:erf">)
// max(x, 0), exactly. All types; NaN stays, -0 gives +0.
HOLOGRAM_UNARY(relu, detail::Relu)
// log(1 + e^x), without overflow. Floats; 2.5 ulp, 3 of double.
HOLOGRAM_UNARY(softplus, detail::Softplus)
// x * sigmoid(x). Floats; 2 ulp, 2.5 of double. -inf gives NaN.
HOLOGRAM_UNARY(silu, detail::Silu)

// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2. Floats; 4 ulp from -1 on, below it grows
// (docs/ops.md). -inf gives NaN.
HOLOGRAM_UNARY(gelu, detail::Gelu)
// x * (1 + erf(x / sqrt(2))) / 2. Floats; 2 ulp from 0 on, below |error| <= 1.2e-7 * |x| of float.
HOLOGRAM_UNARY(gelu_erf, detail::GeluErf)

// The forms with at most 4 ulp of float, by shorter approximations: fast::exp(x). Of other floats
// they are the precise ones. They have the same bits on every machine too.
namespace fast {
HOLOGRAM_UNARY(exp, detail::OneStep<"merge:exp_fast">)
HOLOGRAM_UNARY(log, detail::OneStep<"merge:log_fast">)
HOLOGRAM_UNARY(log2, detail::OneStep<"merge:log2_fast">)
HOLOGRAM_UNARY(log10, detail::OneStep<"merge:log10_fast">)
HOLOGRAM_UNARY(sin, detail::OneStep<"merge:sin_fast">)
HOLOGRAM_UNARY(cos, detail::OneStep<"merge:cos_fast">)
HOLOGRAM_UNARY(tanh, detail::OneStep<"merge:tanh_fast">)
HOLOGRAM_UNARY(sigmoid, detail::OneStep<"merge:sigmoid_fast">)
HOLOGRAM_UNARY(erf, detail::OneStep<"merge:erf_fast">)
}  // namespace fast
#undef HOLOGRAM_UNARY

// min(max(x, low), high), exactly. All types; bounds are arrays or numbers. NaN counts as `low`;
// where low > high every element gives `high`.
template <detail::ExpressionArray X, detail::ExpressionOperand L, detail::ExpressionOperand H>
auto clip(X&& x, L&& low, H&& high) {
  return detail::apply<detail::Clip>(std::forward<X>(x), std::forward<L>(low),
                                     std::forward<H>(high));
}

// x where x >= 0, else slope * x, correctly rounded. Floats; the slope is an array or a number:
// leaky_relu(x, 0.01f).
template <detail::ExpressionArray X, detail::ExpressionOperand S>
auto leaky_relu(X&& x, S&& slope) {
  return detail::apply<detail::LeakyRelu>(std::forward<X>(x), std::forward<S>(slope));
}

// x where x > 0, else alpha * (e^x - 1). Floats; 2 ulp, 2.5 of double. alpha is an array or a
// number: elu(x, 1.0f).
template <detail::ExpressionArray X, detail::ExpressionOperand A>
auto elu(X&& x, A&& alpha) {
  return detail::apply<detail::Elu>(std::forward<X>(x), std::forward<A>(alpha));
}

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
