// The kernels of the standard library that ops.hpp launches: their names, where they are kept, and
// how tensors of any layout become arguments of them. Part of ops.hpp, which tests it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#include "../tensor.hpp"
#include "hologram/stdlib.hpp"
#include "product.hpp"
#include "type_names.hpp"
#include "walk.hpp"

namespace hologram::detail {

// Opens the library and finds its kernels, each once. Thread-safe.
class OpKernels {
 protected:
  OpKernels() { exec_.load_standard(stdlib_hash); }

  // First those of Ops::Unary, in their order.
  enum class Op : std::uint8_t {
#define HOLOGRAM_UNARY_NAME(name) name,
#define HOLOGRAM_OTHER_NAME(name) name,
#include "operation_names.inc"
    softmax,
    log_softmax,
    count
  };
  static constexpr const char* names[] = {
#define HOLOGRAM_UNARY_NAME(name) #name,
#define HOLOGRAM_OTHER_NAME(name) #name,
#include "operation_names.inc"
      "softmax", "log_softmax"};
  static_assert(std::size(names) == static_cast<std::size_t>(Op::count));
  enum class Form : std::uint8_t { flat, strided, fast, fast_strided, count };
  static constexpr const char* forms[] = {"", "_strided", "_fast", "_fast_strided"};
  static_assert(std::size(forms) == static_cast<std::size_t>(Form::count));

  template <class T>
  static void floating() {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "expected float or double");
  }

  // Kernels are looked for once; afterwards this is a load.
  template <class T>
  const Kernel& find(Op op, Form form) {
    constexpr std::size_t type = type_code<T>();
    static_assert(type < type_names.size());
    const std::size_t slot =
        (static_cast<std::size_t>(op) * std::size(forms) + static_cast<std::size_t>(form)) *
            type_names.size() +
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
                  "Accuracy::fast is there for float, not for " + std::string(type_names[type]));
    }
    const bool whole = op == Op::div && type < HOLOGRAM_F16;  // rounds towards zero
    const std::string name = std::string("op_") + names[static_cast<std::size_t>(op)] +
                             (whole ? "_whole" : "") + forms[static_cast<std::size_t>(form)] +
                             (fast ? "" : std::string("_") + type_names[type]);
    const Kernel* kernel = nullptr;
    try {
      kernel = &named(name);
    } catch (const Error& error) {
      if (error.code() != HOLOGRAM_ERROR_NOT_FOUND) throw;
      throw Error(HOLOGRAM_ERROR_UNSUPPORTED,
                  std::string(names[static_cast<std::size_t>(op)]) +
                      (fast ? " has no fast form" : " is not there for ") +
                      (fast ? "" : type_names[type]));
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
                              std::span<T>(out.data(), n), index_number(n));
      return;
    }
    const Tensor<T> x = a.broadcast_to(out.shape());
    const Tensor<T> y = b.broadcast_to(out.shape());
    const Kernel& kernel = find<T>(op, Form::strided);
    walk<3, T>({&x, &y, &out}, [&](const LaunchConfig& config, const auto& memory, const auto& size,
                                   const auto& stride) {
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
                        index_number(n));
      return;
    }
    const Tensor<T> from = x.broadcast_to(out.shape());
    const Kernel& kernel = find<T>(op, form == Form::fast ? Form::fast_strided : Form::strided);
    walk<2, T>({&from, &out}, [&](const LaunchConfig& config, const auto& memory, const auto& size,
                                  const auto& stride) {
      const auto at = [&](std::size_t d) { return static_cast<std::int32_t>(stride[0][d]); };
      kernel.launch(config, std::span<const T>(memory[0]), memory[1], scalars..., size[0], size[1],
                    size[2], 0, at(0), at(1), at(2), stride[1][0], stride[1][1], stride[1][2]);
    });
  }

  template <class T>
  Tensor<T> rows(Op op, const Tensor<T>& x) {
    floating<T>();
    Tensor<T> out(x.shape());
    if (x.ndim() == 0) refuse(std::string(names[static_cast<std::size_t>(op)]) + " of a scalar");
    if (out.numel() == 0) return out;
    const Tensor<T> from = x.contiguous();
    const std::size_t columns = x.shape()[x.ndim() - 1];
    const LaunchConfig config = {.grid = {index_number(out.numel() / columns), 1, 1},
                                 .block = {64, 1, 1}};
    find<T>(op, Form::flat)
        .launch(config, from.flat(), out.flat(), index_number(columns), index_number(columns),
                index_number(columns));
    return out;
  }

  template <class T>
  void gemm(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {
    const std::uint32_t m = index_number(out.shape()[0]);
    const std::uint32_t n = index_number(out.shape()[1]);
    const std::uint32_t k = index_number(a.shape()[1]);
    const auto memory = [](const Tensor<T>& t) {
      return ProductMemory{reinterpret_cast<char*>(t.data()),
                           span_of(t.shape(), t.strides()) * sizeof(T)};
    };
    const auto stride = [](const Tensor<T>& t, std::size_t d) {
      return t.shape()[d] == 1 ? 0 : index_number(t.strides()[d]);
    };
    constexpr std::uint32_t code = type_code<T>();
    const MatrixProduct product = {.m = m,
                                   .n = n,
                                   .k = k,
                                   .a_row = stride(a, 0),
                                   .a_column = stride(a, 1),
                                   .b_row = stride(b, 0),
                                   .b_column = stride(b, 1),
                                   .out_row = m == 1 ? n : index_number(out.strides()[0]),
                                   .code = code};
    multiply(
        product, {memory(a), memory(b), memory(out)},
        [&](ProductStep step) { return find_product(step, code); },
        [](const hologram_kernel* kernel, const hologram_argument* arguments, std::size_t count,
           const std::array<std::uint32_t, 3>& grid, std::uint32_t lanes) {
          hologram_launch_config config{};
          std::copy(grid.begin(), grid.end(), config.grid);
          config.block[0] = lanes;
          config.block[1] = config.block[2] = 1;
          check(hologram_kernel_launch(kernel, arguments, count, &config));
          return true;
        });
  }

 private:
  const hologram_kernel* find_product(ProductStep step, std::uint32_t code) {
    const std::size_t at = static_cast<std::size_t>(step);
    std::atomic<const hologram_kernel*>& slot = products_[at * type_names.size() + code];
    const hologram_kernel* kernel = slot.load(std::memory_order_acquire);
    if (kernel == nullptr) [[unlikely]] {
      kernel = kernel_of(std::string("op_") + product_steps[at] + "_" + type_names[code]);
      slot.store(kernel, std::memory_order_release);
    }
    return kernel;
  }

  Executor exec_ = Executor::make_private();
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
  std::array<std::atomic<const Kernel*>,
             static_cast<std::size_t>(Op::count) * std::size(forms) * type_names.size()>
      found_{};
  std::array<std::atomic<const hologram_kernel*>,
             static_cast<std::size_t>(ProductStep::count) * type_names.size()>
      products_{};
};

}  // namespace hologram::detail
