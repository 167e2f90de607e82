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
// cache. The values of numbers are arguments: another one is no other expression. Later calls take
// no lock and no memory.
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

#include <atomic>
#include <cmath>
#include <limits>

#include "detail/circuit_writer.hpp"
#include "tensor.hpp"

namespace hologram {

namespace detail {

// The arguments of one launch, in the order of the expression: `count` and `shape` are set first,
// then each term adds its own.
template <std::size_t Arrays, std::size_t Numbers>
struct ExpressionCall {
  std::array<hologram_buffer_ref, Arrays + 1> buffers;
  std::array<std::uint32_t, Arrays + 1> codes;
  std::array<std::uint64_t, Numbers + 1> scalars;
  std::size_t num_arrays = 0;
  std::size_t num_numbers = 0;
  std::size_t count = 0;              // of elements of the result
  const Dimensions* shape = nullptr;  // of the result; null: it has none

  // Adds an array of `size` elements of `bytes` bytes. Throws unless the result has as many.
  void add(const void* data, std::size_t size, std::uint32_t type, std::uint32_t bytes) {
    if (size != count) [[unlikely]] {
      refuse("array " + std::to_string(num_arrays + 1) + " of an expression has " +
             std::to_string(size) + " elements, the result " + std::to_string(count));
    }
    codes[num_arrays] = type;
    buffers[num_arrays++] = {const_cast<void*>(data), size * bytes};
  }
};

// What all terms are derived from, so that they are known as expressions.
struct ExpressionBase {};

}  // namespace detail

// A value that evaluate() computes: a term, or operations on terms. Programs name the type by
// `auto`; it says all of the expression but the arrays and numbers.
template <class E>
concept Expression = std::is_base_of_v<detail::ExpressionBase, std::remove_cvref_t<E>>;

// ---- What expressions are made of

// A tensor in an expression: it shares the elements, which live at least as long as the term.
//
// Every term has the element type, value_type; how many arrays and numbers it brings; collect(),
// which adds these to a call; and emit(), which writes its steps to a circuit. collect() and emit()
// go through the terms in one order.
template <class T>
struct TensorTerm : detail::ExpressionBase {
  using value_type = T;
  static constexpr std::size_t arrays = 1;
  static constexpr std::size_t numbers = 0;
  std::shared_ptr<Buffer<T>> owner;
  std::span<const T> elements;
  Dimensions shape;

  // Throws if the tensor has gaps.
  explicit TensorTerm(const Tensor<T>& operand)
      : owner(operand.buffer()), elements(operand.flat()), shape(operand.shape()) {}
  // Throws if the result is a tensor of another shape, or has another size.
  template <class Call>
  void collect(Call& call) const {
    if (call.shape != nullptr && !(shape == *call.shape)) {
      detail::refuse("array " + std::to_string(call.num_arrays + 1) + " of an expression is " +
                     to_string(shape) + ", the result " + to_string(*call.shape));
    }
    call.add(elements.data(), elements.size(), detail::type_code<T>(), sizeof(T));
  }
  static detail::CircuitValue emit(detail::CircuitWriter& writer) {
    return writer.array(detail::type_code<T>());
  }
};

// Other memory in an expression, by array(): it must outlive every evaluation.
template <class T>
struct ArrayTerm : detail::ExpressionBase {
  using value_type = T;
  static constexpr std::size_t arrays = 1;
  static constexpr std::size_t numbers = 0;
  std::span<const T> elements;

  explicit ArrayTerm(std::span<const T> operand) : elements(operand) {}
  // Throws if the result has another size.
  template <class Call>
  void collect(Call& call) const {
    call.add(elements.data(), elements.size(), detail::type_code<T>(), sizeof(T));
  }
  static detail::CircuitValue emit(detail::CircuitWriter& writer) {
    return writer.array(detail::type_code<T>());
  }
};

// A number, which is an argument of the kernel and no part of its text.
template <class T>
struct NumberTerm : detail::ExpressionBase {
  using value_type = T;
  static constexpr std::size_t arrays = 0;
  static constexpr std::size_t numbers = 1;
  T number;

  explicit NumberTerm(T operand) : number(operand) {}
  template <class Call>
  void collect(Call& call) const {
    call.scalars[call.num_numbers++] = detail::scalar_bits(number);
  }
  static detail::CircuitValue emit(detail::CircuitWriter& writer) {
    return writer.number(detail::type_code<T>());
  }
};

// Op of one to three terms, with results of type T. The terms are copied into it, so that a part of
// an expression may go before the whole.
template <class Op, class T, class... Operands>
struct Applied : detail::ExpressionBase {
  using value_type = T;
  static constexpr std::size_t arrays = (Operands::arrays + ...);
  static constexpr std::size_t numbers = (Operands::numbers + ...);
  std::tuple<Operands...> operands;

  // The operands in their order.
  explicit Applied(Operands... given) : operands(std::move(given)...) {}
  template <class Call>
  void collect(Call& call) const {
    std::apply([&](const Operands&... each) { (each.collect(call), ...); }, operands);
  }
  static detail::CircuitValue emit(detail::CircuitWriter& writer) {
    const detail::CircuitValue sources[] = {Operands::emit(writer)...};  // in order
    return Op::emit(writer, sources, detail::type_code<T>());
  }
};

// The elements of a buffer, vector or span, which must outlive the expression. It is compared by
// its size with other operands and the result, whose shape does not matter then.
//
//   std::vector<float> mine = {1, 2, 3}, result(3);
//   evaluate(sqrt(hologram::array(mine)) * 2.0f, result);
template <class C>
  requires detail::contiguous<const C>
auto array(const C& elements) {
  using T = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(elements))>>;
  return ArrayTerm<T>(std::span<const T>(std::data(elements), std::size(elements)));
}

namespace detail {

// Whether X is a Tensor.
template <class X>
struct is_tensor : std::false_type {};
template <class T>
struct is_tensor<Tensor<T>> : std::true_type {};

// What an operand is: an array of elements (a tensor, or an expression), or a number.
template <class X>
concept ExpressionArray = Expression<X> || is_tensor<std::remove_cvref_t<X>>::value;
template <class X>
concept ExpressionNumber =
    std::is_arithmetic_v<std::remove_cvref_t<X>> || std::is_same_v<std::remove_cvref_t<X>, f16> ||
    std::is_same_v<std::remove_cvref_t<X>, bf16>;
template <class X>
concept ExpressionOperand = ExpressionArray<X> || ExpressionNumber<X>;

// The term of an array: an expression is copied or moved, a tensor is shared.
template <class X>
auto term(X&& x) {
  if constexpr (Expression<X>) {
    return std::remove_cvref_t<X>(std::forward<X>(x));
  } else {
    return TensorTerm(x);
  }
}
template <class X>
using term_of = decltype(term(std::declval<X>()));

// A number as one of type T. Throws if an integer does not fit, or a finite number would become an
// infinity; floats are rounded to T. A fraction beside integers does not compile.
template <class T, class N>
NumberTerm<T> number_term(N number) {
  if constexpr (std::is_same_v<T, N>) {
    return NumberTerm<T>(number);
  } else if constexpr (std::is_floating_point_v<T>) {
    const T value = static_cast<T>(number);
    if (std::isinf(value) && !std::isinf(static_cast<long double>(number))) {
      refuse("a number of an expression that does not fit its type");
    }
    return NumberTerm<T>(value);
  } else {
    static_assert(std::is_integral_v<T> && std::is_integral_v<N>,
                  "expected an integer beside integers, and hologram::f16 or bf16 beside these");
    if (!std::in_range<T>(number)) refuse("a number of an expression that does not fit its type");
    return NumberTerm<T>(static_cast<T>(number));
  }
}

// The element type of the first operand that is no number: that of the operation.
template <class First, class... Rest>
struct first_array {
  using type = typename first_array<Rest...>::type;
};
template <class First, class... Rest>
  requires ExpressionArray<First>
struct first_array<First, Rest...> {
  using type = typename term_of<First>::value_type;
};

// An operand of an operation on elements of type T, as a term. Arrays of another type do not
// compile.
template <class T, class X>
auto operand(X&& x) {
  if constexpr (ExpressionNumber<X>) {
    return number_term<T>(x);
  } else {
    static_assert(std::is_same_v<typename term_of<X>::value_type, T>,
                  "expected arrays of one element type; cast<T>(x) converts");
    return term(std::forward<X>(x));
  }
}

// Op of operands of one type; it gives elements of the same, or of `Result`.
template <class Op, class Result = void, class... X>
auto apply(X&&... x) {
  using T = typename first_array<X...>::type;
  using R = std::conditional_t<std::is_void_v<Result>, T, Result>;
  return Applied<Op, R, decltype(operand<T>(std::forward<X>(x)))...>(
      operand<T>(std::forward<X>(x))...);
}

// ---- Operations: the steps of the kernels of kernels/ops

// The text of a word of a circuit, "merge:add", as a template argument.
template <std::size_t N>
struct Word {
  char text[N];
  constexpr Word(const char (&word)[N]) { std::copy(word, word + N, text); }  // NOLINT
};

// An operation that is one step of a circuit, with as many sources as it has operands.
//
// emit() of each operation below writes the steps that the kernel of kernels/ops has, in the same
// order, so that the bits are the same. `type` is the type of the result.
template <Word W>
struct OneStep {
  template <std::size_t N>
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[N], std::uint32_t type) {
    if constexpr (N == 1) return w.step(W.text, type, {x[0]});
    if constexpr (N == 2) return w.step(W.text, type, {x[0], x[1]});
    if constexpr (N == 3) return w.step(W.text, type, {x[0], x[1], x[2]});
  }
};

// Zero of a type as a literal of a circuit.
inline const char* zero_of(std::uint32_t type) {
  return type >= HOLOGRAM_F16 ? "0.0" : "0";
}
// x * f32(1.0): the type in which f16 and bf16 are computed.
inline CircuitValue wide(CircuitWriter& w, const CircuitValue& x) {
  const std::uint32_t type = x.type == HOLOGRAM_F64 ? HOLOGRAM_F64 : HOLOGRAM_F32;
  return w.step("merge:mul", type, {w.cast(x, type), w.cast(w.literal("1.0", HOLOGRAM_F32), type)});
}
// 0 where x <= 0, else x: NaN is not <= 0, so it stays, and -0 gives +0.
struct Relu {
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[1], std::uint32_t type) {
    const CircuitValue zero = w.literal(zero_of(type), type);
    return w.step("merge:select", type,
                  {w.step("merge:le", HOLOGRAM_U8, {x[0], zero}), zero, x[0]});
  }
};
// min(max(x, low), high)
struct Clip {
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[3], std::uint32_t type) {
    return w.step("merge:min", type, {w.step("merge:max", type, {x[0], x[1]}), x[2]});
  }
};
// slope * x where x < 0, else x.
struct LeakyRelu {
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[2], std::uint32_t type) {
    const CircuitValue below = w.step("merge:lt", HOLOGRAM_U8, {x[0], w.literal("0.0", type)});
    return w.step("merge:select", type, {below, w.step("merge:mul", type, {x[1], x[0]}), x[0]});
  }
};
// x where x > 0, else alpha * expm1(x).
struct Elu {
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[2], std::uint32_t type) {
    const CircuitValue v = wide(w, x[0]);
    const CircuitValue above = w.step("merge:gt", HOLOGRAM_U8, {v, w.literal("0.0", v.type)});
    const CircuitValue power = w.step("merge:expm1", v.type, {v});
    const CircuitValue curve = w.step("merge:mul", v.type, {w.cast(x[1], v.type), power});
    return w.cast(w.step("merge:select", v.type, {above, v, curve}), type);
  }
};
// max(x, 0) + log1p(exp(-|x|)): nothing overflows.
struct Softplus {
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[1], std::uint32_t type) {
    const CircuitValue v = wide(w, x[0]);
    const CircuitValue above = w.step("merge:max", v.type, {v, w.literal("0.0", v.type)});
    CircuitValue rest = v;
    for (const char* word : {"merge:abs", "merge:neg", "merge:exp", "merge:log1p"}) {
      rest = w.step(word, v.type, {rest});
    }
    return w.cast(w.step("merge:add", v.type, {above, rest}), type);
  }
};

// x * sigmoid(x). Below -87, where sigmoid(x) of float is subnormal and has few digits, it is taken
// at x + 45 and multiplied by e^-45.
struct Silu {
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[1], std::uint32_t type) {
    const CircuitValue v = wide(w, x[0]);
    const CircuitValue small = w.step("merge:lt", HOLOGRAM_U8, {v, w.literal("-87.0", v.type)});
    const CircuitValue moved = w.step("merge:add", v.type, {v, w.literal("45.0", v.type)});
    const CircuitValue argument = w.step("merge:select", v.type, {small, moved, v});
    const CircuitValue product =
        w.step("merge:mul", v.type, {v, w.step("merge:sigmoid", v.type, {argument})});
    const CircuitValue factor = w.literal("2.8625185805493937e-20", v.type);
    const CircuitValue scaled = w.step("merge:mul", v.type, {product, factor});
    return w.cast(w.step("merge:select", v.type, {small, scaled, product}), type);
  }
};
// x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 x^3)), the same as the form by tanh.
struct Gelu {
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[1], std::uint32_t type) {
    const CircuitValue v = wide(w, x[0]);
    const auto times = [&](const CircuitValue& a, const CircuitValue& b) {
      return w.step("merge:mul", v.type, {a, b});
    };
    const CircuitValue cube = times(w.literal("0.044715", v.type), times(times(v, v), v));
    const CircuitValue inner =
        times(w.literal("1.5957691216057308", v.type), w.step("merge:add", v.type, {v, cube}));
    return w.cast(times(v, w.step("merge:sigmoid", v.type, {inner})), type);
  }
};
// x / 2 * (1 + erf(x / sqrt(2)))
struct GeluErf {
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[1], std::uint32_t type) {
    const CircuitValue v = wide(w, x[0]);
    const CircuitValue half = w.step("merge:mul", v.type, {w.literal("0.5", v.type), v});
    const CircuitValue inner =
        w.step("merge:mul", v.type, {v, w.literal("0.7071067811865476", v.type)});
    const CircuitValue error = w.step("merge:erf", v.type, {inner});
    const CircuitValue sum = w.step("merge:add", v.type, {w.literal("1.0", v.type), error});
    return w.cast(w.step("merge:mul", v.type, {half, sum}), type);
  }
};
// x as type To. Integers that do not fit become the nearest that do; the cast of a circuit wraps.
template <class From, class To>
struct Cast {
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[1], std::uint32_t type) {
    CircuitValue value = x[0];
    if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
      using from = std::numeric_limits<From>;
      using to = std::numeric_limits<To>;
      if (std::cmp_less(from::min(), to::min())) {
        value = w.step("merge:max", x[0].type,
                       {value, w.literal(std::to_string(to::min()), x[0].type)});
      }
      if (std::cmp_greater(from::max(), to::max())) {
        value = w.step("merge:min", x[0].type,
                       {value, w.literal(std::to_string(to::max()), x[0].type)});
      }
    }
    return w.cast(value, type);
  }
};

}  // namespace detail

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

namespace detail {

// Which arrays are the same as an earlier one: the number of each, counted without repetition. The
// kernel reads each once.
template <std::size_t Arrays, class Call>
std::array<std::uint8_t, Arrays> same_arrays(const Call& call) {
  std::array<std::uint8_t, Arrays> same{};
  std::uint8_t next = 0;
  for (std::size_t k = 0; k < Arrays; ++k) {
    std::size_t j = 0;
    while (j < k &&
           (call.buffers[j].data != call.buffers[k].data || call.codes[j] != call.codes[k])) {
      ++j;
    }
    same[k] = j < k ? same[j] : next++;
  }
  return same;
}

// A kernel of a type of expression, for arrays that are the same in one way. Entries are never
// deleted: they live as long as the process.
template <std::size_t Arrays>
struct CompiledExpression {
  std::array<std::uint8_t, Arrays> same;
  Kernel kernel;
  const CompiledExpression* next;
};
// Those of one type, the latest first. Added to without a lock, never changed else.
template <Expression E>
inline std::atomic<const CompiledExpression<E::arrays>*> compiled_expressions{nullptr};

// The circuit of a type of expression.
template <Expression E>
std::string circuit_text(const std::array<std::uint8_t, E::arrays>& same) {
  CircuitWriter writer({same.begin(), same.end()});
  const CircuitValue result = E::emit(writer);
  return writer.finish(result);
}

// Compiles it, and adds the kernel to those of its type. Thread-safe. Throws UNSUPPORTED without
// the compiler plugin.
template <Expression E>
[[gnu::cold, gnu::noinline]] const Kernel& compile(
    const std::array<std::uint8_t, E::arrays>& same) {
  // Two threads may both do this: they get one kernel, and one of the entries is not found again.
  auto* made = new CompiledExpression<E::arrays>{same, circuit_kernel(circuit_text<E>(same)), {}};
  auto& first = compiled_expressions<E>;
  made->next = first.load(std::memory_order_acquire);
  while (!first.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
  }
  return made->kernel;
}

// The kernel, compiled at most once; later calls are a load and a comparison.
template <Expression E>
const Kernel& expression_kernel(const std::array<std::uint8_t, E::arrays>& same) {
  for (const auto* entry = compiled_expressions<E>.load(std::memory_order_acquire);
       entry != nullptr; entry = entry->next) {
    if (entry->same == same) [[likely]] {
      return entry->kernel;
    }
  }
  return compile<E>(same);
}

// A launch that the inline path has declined, or that says threads or an engine: hologram.h decides
// it and has the messages.
template <class Call>
[[gnu::cold, gnu::noinline]] void launch_expression(const Kernel& kernel, const Call& call,
                                                    const LaunchConfig& config) {
  const hologram_launch_plan& plan = *hologram_kernel_plan(kernel.get());
  hologram_argument arguments[HOLOGRAM_MAX_PARAMETERS]{};
  std::size_t buffer = 0;
  std::size_t scalar = 0;
  for (std::uint32_t k = 0; k < plan.num_parameters; ++k) {
    arguments[k].code = plan.codes[k];
    if ((plan.codes[k] & HOLOGRAM_ARGUMENT_BUFFER) != 0) {
      arguments[k].code |= HOLOGRAM_ARGUMENT_WRITABLE;
      arguments[k].buffer = call.buffers[buffer++];
    } else {
      arguments[k].scalar = call.scalars[scalar++];
    }
  }
  hologram_launch_config c{};
  c.backend = static_cast<std::uint32_t>(config.backend);
  c.threads = config.threads;
  check(hologram_kernel_launch(kernel.get(), arguments, plan.num_parameters, &c));
}

}  // namespace detail

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
