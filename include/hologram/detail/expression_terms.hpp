// Terms of expressions, and the operations on them: what the operators and functions of
// expression.hpp return. Part of expression.hpp, which tests it.
#pragma once

#include <cmath>
#include <limits>

#include "../tensor.hpp"
#include "circuit_writer.hpp"

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

// Base of all terms; marks them as expressions.
struct ExpressionBase {};

}  // namespace detail

// A value that evaluate() computes: a term, or operations on terms. Programs name the type by
// `auto`; it describes all of the expression but the arrays and numbers.
template <class E>
concept Expression = std::is_base_of_v<detail::ExpressionBase, std::remove_cvref_t<E>>;

// ---- Parts of expressions

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

// Kind of an operand: an array of elements (a tensor, or an expression), or a number.
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

// The element type of the first operand that is not a number: that of the operation.
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

// ---- Operations: the steps of their kernels

// The text of a word of a circuit, "merge:add", as a template argument.
template <std::size_t N>
struct Word {
  char text[N];
  constexpr Word(const char (&word)[N]) { std::copy(word, word + N, text); }  // NOLINT
};

// An operation that is one step of a circuit, with as many sources as it has operands.
//
// emit() of each operation, here and in operation_terms.inc, writes the steps of its kernel in the
// same order, so that the bits are the same. `type` is the type of the result.
template <Word W>
struct OneStep {
  template <std::size_t N>
  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[N], std::uint32_t type) {
    if constexpr (N == 1) return w.step(W.text, type, {x[0]});
    if constexpr (N == 2) return w.step(W.text, type, {x[0], x[1]});
    if constexpr (N == 3) return w.step(W.text, type, {x[0], x[1], x[2]});
  }
};

// The type in which values of a type are computed: f32 for f16 and bf16.
inline std::uint32_t wide_type(std::uint32_t type) {
  return type == HOLOGRAM_F64 ? HOLOGRAM_F64 : HOLOGRAM_F32;
}
// x * f32(1.0): x in the type in which f16 and bf16 are computed.
inline CircuitValue widened(CircuitWriter& w, const CircuitValue& x) {
  const std::uint32_t type = wide_type(x.type);
  return w.step("merge:mul", type, {w.cast(x, type), w.cast(w.literal("1.0", HOLOGRAM_F32), type)});
}
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

}  // namespace hologram
