// Kernels of expressions: compiled once in a process for each type of expression, and launched.
// Part of expression.hpp, which tests it.
#pragma once

#include <atomic>

#include "expression_terms.hpp"

namespace hologram {

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

// A launch that the inline path has declined, or with threads or an engine given: hologram.h
// decides it and has the messages.
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

}  // namespace hologram
