// Operations on tensors, each a kernel of the standard library, stdlib.holo, compiled beforehand:
//
//   hologram::Ops ops;
//   hologram::Tensor<float> a({100, 3}), b({3}), c({100, 3});
//   ops.add(a, b, c);                          // b is repeated along the rows
//   auto y = ops.softmax(ops.exp(a));          // new tensors
//   float total = ops.sum(c);
//   auto best = ops.argmax(y, 1);              // along an axis: tensor_reductions.hpp
//
// Shapes are broadcast by NumPy's rules; strides are honoured, nothing is copied on the way. The
// result may be one of the operands if each element is read where it is written. Results have the
// same bits on every machine and with any number of threads; docs/ops.md has formulas and largest
// errors. T is float or double; elements alone also any integer type, f16 and bf16 where the
// library has them. Errors are thrown as hologram::Error. Several threads may use one Ops, on
// memory that nobody else writes. Tested by tests/capi/ops_test.cc.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "detail/walk.hpp"
#include "hologram/stdlib.hpp"
#include "tensor.hpp"
#include "tensor_reductions.hpp"

namespace hologram {

enum class Accuracy { precise, fast };  // at most 1 ulp in float, or 4

class Ops : public Reductions<Ops> {
 public:
  // Opens stdlib.holo: the file that HOLOGRAM_STDLIB names, or hologram/stdlib.holo beside
  // libhologram, or stdlib.holo beside the program; trusted by the hash of this build.
  Ops() { exec_.load_standard(stdlib_hash); }

  // What runs them: "native (bundle, v4)" or "interpreter".
  std::string path() { return find<float>(Op::add, Form::flat).path(); }

  // ---- Two operands, element by element

  template <class T>
  void add(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::add, a, b, out);
  }
  template <class T>
  void sub(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::sub, a, b, out);
  }
  template <class T>
  void mul(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::mul, a, b, out);
  }
  template <class T>
  void div(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::div, a, b, out);
  }
  // The number if one is NaN.
  template <class T>
  void minimum(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::minimum, a, b, out);
  }
  template <class T>
  void maximum(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::maximum, a, b, out);
  }
  template <class T>
  void pow(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    binary(Op::pow, a, b, out);
  }
  template <class T>
  Tensor<T> add(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::add, a, b);
  }
  template <class T>
  Tensor<T> sub(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::sub, a, b);
  }
  template <class T>
  Tensor<T> mul(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::mul, a, b);
  }
  template <class T>
  Tensor<T> div(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::div, a, b);
  }
  template <class T>
  Tensor<T> minimum(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::minimum, a, b);
  }
  template <class T>
  Tensor<T> maximum(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::maximum, a, b);
  }
  template <class T>
  Tensor<T> pow(const Tensor<T>& a, const Tensor<T>& b) {
    return binary(Op::pow, a, b);
  }

  // ---- One operand, element by element; of the same shape or broadcast to that of `out`

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
  // `fast` where there is a fast form, else UNSUPPORTED.
  template <class T>
  void apply(Unary op, const Tensor<T>& x, const Tensor<T>& out,
             Accuracy accuracy = Accuracy::precise) {
    if (op >= Unary::count) detail::refuse("an operation that is none");
    elements(static_cast<Op>(op), accuracy == Accuracy::fast ? Form::fast : Form::flat, x, out);
  }
  template <class T>
  Tensor<T> apply(Unary op, const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    Tensor<T> out(x.shape());
    apply(op, x, out, accuracy);
    return out;
  }
  template <class T>
  Tensor<T> exp(const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    return apply(Unary::exp, x, accuracy);
  }
  template <class T>
  Tensor<T> log(const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    return apply(Unary::log, x, accuracy);
  }
  template <class T>
  Tensor<T> tanh(const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    return apply(Unary::tanh, x, accuracy);
  }
  template <class T>
  Tensor<T> sigmoid(const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    return apply(Unary::sigmoid, x, accuracy);
  }
  // NaN stays.
  template <class T>
  Tensor<T> relu(const Tensor<T>& x) {
    return apply(Unary::relu, x);
  }
  template <class T>
  Tensor<T> gelu(const Tensor<T>& x, Accuracy accuracy = Accuracy::precise) {
    return apply(Unary::gelu, x, accuracy);
  }

  template <class T>
  void scalar_add(const Tensor<T>& x, T s, const Tensor<T>& out) {
    elements(Op::scalar_add, Form::flat, x, out, s);
  }
  template <class T>
  void scalar_mul(const Tensor<T>& x, T s, const Tensor<T>& out) {
    elements(Op::scalar_mul, Form::flat, x, out, s);
  }
  // min(max(x, low), high)
  template <class T>
  void clip(const Tensor<T>& x, T low, T high, const Tensor<T>& out) {
    elements(Op::clip, Form::flat, x, out, low, high);
  }

  // ---- Rows: along the last dimension, which has at least one element

  template <class T>
  Tensor<T> softmax(const Tensor<T>& x) {
    return rows(Op::softmax, x);
  }
  template <class T>
  Tensor<T> log_softmax(const Tensor<T>& x) {
    return rows(Op::log_softmax, x);
  }

  // [m, k] by [k, n]. Strides of both are honoured; `out` has neighbours in its rows.
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
  friend class Reductions<Ops>;

  // First those of Unary, in their order.
  enum class Op : std::uint8_t {
    first_binary = static_cast<std::uint8_t>(Unary::count),
    add = first_binary,
    sub,
    mul,
    div,
    minimum,
    maximum,
    pow,
    scalar_add,
    scalar_mul,
    clip,
    softmax,
    log_softmax,
    gemm,
    count
  };
  static constexpr const char* names[] = {
      "abs",      "neg",        "relu",       "sqrt", "rsqrt",   "floor",       "ceil",
      "round",    "exp",        "log",        "log2", "log10",   "sin",         "cos",
      "tan",      "tanh",       "sigmoid",    "erf",  "gelu",    "gelu_erf",    "silu",
      "softplus", "add",        "sub",        "mul",  "div",     "minimum",     "maximum",
      "pow",      "scalar_add", "scalar_mul", "clip", "softmax", "log_softmax", "gemm"};
  static_assert(std::size(names) == static_cast<std::size_t>(Op::count));
  enum class Form : std::uint8_t { flat, strided, fast, fast_strided, count };
  static constexpr const char* forms[] = {"", "_strided", "_fast", "_fast_strided"};
  static_assert(std::size(forms) == static_cast<std::size_t>(Form::count));
  static constexpr const char* types[] = {"i8",  "i16", "i32", "i64",  "u8",  "u16",
                                          "u32", "u64", "f16", "bf16", "f32", "f64"};
  static_assert(HOLOGRAM_I8 == 0 && HOLOGRAM_U8 == 4 && HOLOGRAM_F16 == 8 && HOLOGRAM_F64 == 11);

  template <class T>
  static void floating() {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "expected float or double");
  }

  // Kernels are looked for once; afterwards this is a load.
  template <class T>
  const Kernel& find(Op op, Form form) {
    constexpr std::size_t type = detail::type_code<T>();
    static_assert(type < std::size(types));
    const std::size_t slot =
        (static_cast<std::size_t>(op) * std::size(forms) + static_cast<std::size_t>(form)) *
            std::size(types) +
        type;
    const Kernel* kernel = found_[slot].load(std::memory_order_acquire);
    return kernel != nullptr ? *kernel : open(op, form, type, slot);
  }
  [[gnu::cold, gnu::noinline]] const Kernel& open(Op op, Form form, std::size_t type,
                                                  std::size_t slot) {
    const std::lock_guard lock(mutex_);
    // Fast forms are of float alone, and their names say no type.
    const bool fast = form == Form::fast || form == Form::fast_strided;
    if (fast && type != HOLOGRAM_F32) {
      throw Error(HOLOGRAM_ERROR_UNSUPPORTED,
                  "Accuracy::fast is there for float, not for " + std::string(types[type]));
    }
    const bool whole = op == Op::div && type < HOLOGRAM_F16;  // rounds towards zero
    const std::string name = std::string("op_") + names[static_cast<std::size_t>(op)] +
                             (whole ? "_whole" : "") + forms[static_cast<std::size_t>(form)] +
                             (fast ? "" : std::string("_") + types[type]);
    const Kernel* kernel = nullptr;
    try {
      kernel = &named(name);
    } catch (const Error& error) {
      if (error.code() != HOLOGRAM_ERROR_NOT_FOUND) throw;
      throw Error(HOLOGRAM_ERROR_UNSUPPORTED,
                  std::string(names[static_cast<std::size_t>(op)]) +
                      (fast ? " has no fast form" : " is not there for ") +
                      (fast ? "" : types[type]));
    }
    found_[slot].store(kernel, std::memory_order_release);
    return *kernel;
  }
  // REQUIRES: mutex_ is held.
  const Kernel& named(const std::string& name) {
    std::unique_ptr<Kernel>& kernel = kernels_[name];
    if (kernel == nullptr) kernel = std::make_unique<Kernel>(exec_.kernel(name));
    return *kernel;
  }
  const hologram_kernel* kernel_of(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return named(name).get();
  }

  template <class T>
  void binary(Op op, const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    if (a.shape() == out.shape() && b.shape() == out.shape() && a.is_contiguous() &&
        b.is_contiguous() && out.is_contiguous()) [[likely]] {
      const std::size_t n = out.numel();
      find<T>(op, Form::flat)(std::span<const T>(a.data(), n), std::span<const T>(b.data(), n),
                              std::span<T>(out.data(), n), detail::index_number(n));
      return;
    }
    const Tensor<T> x = a.broadcast_to(out.shape());
    const Tensor<T> y = b.broadcast_to(out.shape());
    const Kernel& kernel = find<T>(op, Form::strided);
    detail::walk<3, T>({&x, &y, &out}, [&](const LaunchConfig& config, const auto& memory,
                                           const auto& size, const auto& stride) {
      const auto at = [&](std::size_t k, std::size_t d) {
        return static_cast<std::int32_t>(stride[k][d]);
      };
      kernel.launch(config, std::span<const T>(memory[0]), std::span<const T>(memory[1]), memory[2],
                    size[0], size[1], size[2], 0, at(0, 0), at(0, 1), at(0, 2), 0, at(1, 0),
                    at(1, 1), at(1, 2), stride[2][0], stride[2][1], stride[2][2]);
    });
  }
  template <class T>
  Tensor<T> binary(Op op, const Tensor<T>& a, const Tensor<T>& b) {
    Tensor<T> out(broadcast_shapes(a.shape(), b.shape()));
    binary(op, a, b, out);
    return out;
  }

  template <class T, class... Scalars>
  void elements(Op op, Form form, const Tensor<T>& x, const Tensor<T>& out, Scalars... scalars) {
    if (x.shape() == out.shape() && x.is_contiguous() && out.is_contiguous()) [[likely]] {
      const std::size_t n = out.numel();
      find<T>(op, form)(std::span<const T>(x.data(), n), std::span<T>(out.data(), n), scalars...,
                        detail::index_number(n));
      return;
    }
    const Tensor<T> from = x.broadcast_to(out.shape());
    const Kernel& kernel = find<T>(op, form == Form::fast ? Form::fast_strided : Form::strided);
    detail::walk<2, T>({&from, &out}, [&](const LaunchConfig& config, const auto& memory,
                                          const auto& size, const auto& stride) {
      const auto at = [&](std::size_t d) { return static_cast<std::int32_t>(stride[0][d]); };
      kernel.launch(config, std::span<const T>(memory[0]), memory[1], scalars..., size[0], size[1],
                    size[2], 0, at(0), at(1), at(2), stride[1][0], stride[1][1], stride[1][2]);
    });
  }

  template <class T>
  Tensor<T> rows(Op op, const Tensor<T>& x) {
    floating<T>();
    Tensor<T> out(x.shape());
    if (x.ndim() == 0)
      detail::refuse(std::string(names[static_cast<std::size_t>(op)]) + " of a scalar");
    if (out.numel() == 0) return out;
    const Tensor<T> from = x.contiguous();
    const std::size_t columns = x.shape()[x.ndim() - 1];
    const LaunchConfig config = {.grid = {detail::index_number(out.numel() / columns), 1, 1},
                                 .block = {64, 1, 1}};
    find<T>(op, Form::flat)
        .launch(config, from.flat(), out.flat(), detail::index_number(columns),
                detail::index_number(columns), detail::index_number(columns));
    return out;
  }

  template <class T>
  void gemm(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    const std::uint32_t m = detail::index_number(out.shape()[0]);
    const std::uint32_t n = detail::index_number(out.shape()[1]);
    const std::uint32_t k = detail::index_number(a.shape()[1]);
    const auto memory = [](const Tensor<T>& t) {
      return std::span<T>(t.data(), detail::span_of(t.shape(), t.strides()));
    };
    const auto stride = [](const Tensor<T>& t, std::size_t d) {
      return t.shape()[d] == 1 ? 0 : detail::index_number(t.strides()[d]);
    };
    const auto [columns, lanes] = detail::launch_width(n);
    const LaunchConfig config = {.grid = {columns, m / 4 + (m % 4 != 0 ? 1 : 0), 1},
                                 .block = {lanes, 1, 1}};
    const std::uint32_t row = m == 1 ? n : detail::index_number(out.strides()[0]);
    if (n == 1 || b.strides()[1] == 1) {
      find<T>(Op::gemm, Form::flat)
          .launch(config, std::span<const T>(memory(a)), std::span<const T>(memory(b)), memory(out),
                  m, n, k, stride(a, 0), stride(a, 1), stride(b, 0), row);
    } else {
      find<T>(Op::gemm, Form::strided)
          .launch(config, std::span<const T>(memory(a)), std::span<const T>(memory(b)), memory(out),
                  m, n, k, stride(a, 0), stride(a, 1), stride(b, 0), stride(b, 1), row);
    }
  }

  Executor exec_ = Executor::make_private();
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
  std::array<std::atomic<const Kernel*>,
             static_cast<std::size_t>(Op::count) * std::size(forms) * std::size(types)>
      found_{};
};

}  // namespace hologram
