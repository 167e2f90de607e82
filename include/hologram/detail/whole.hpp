// The arguments of a launch on arrays of which a part is in memory, by the names of the kernel's
// parameters: what windows (window.hpp) and streams (stream.hpp) share.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "hologram/hologram.hpp"
#include "type_names.hpp"

namespace hologram::detail {

class WholeArguments {
 public:
  WholeArguments(const Kernel& kernel, const LaunchConfig& config) : kernel_(kernel) {
    std::copy(config.grid.begin(), config.grid.end(), config_.grid);
    std::copy(config.block.begin(), config.block.end(), config_.block);
    config_.budget = config.budget;
    config_.nondeterministic = config.deterministic ? 0 : 1;
    config_.backend = static_cast<std::uint32_t>(config.backend);
    config_.threads = config.threads;
    config_.class_base = config.class_base;
    const std::size_t count = hologram_kernel_num_parameters(kernel.get());
    arguments_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      const hologram_parameter& parameter = *hologram_kernel_parameter(kernel.get(), k);
      arguments_[k].code = parameter.type;
      buffer_of_.push_back(extents_.size());
      if (parameter.is_buffer == 0) continue;
      arguments_[k].code |= HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE;
      if (parameter.rank > 1) {
        refuse("kernel '" + kernel.name() + "': '" + parameter.name +
               "' has several dimensions; the C interface takes their shapes");
      }
      extents_.push_back(0);
    }
  }

  // A scalar, of its own type.
  template <class T>
  void set(const std::string& name, T value) {
    static_assert(std::is_arithmetic_v<T>);
    hologram_argument& argument = arguments_[find(name, false)];
    argument.code = type_code<T>();
    argument.scalar = 0;
    std::memcpy(&argument.scalar, &value, sizeof value);
  }

  // The number of a buffer, counted among buffers.
  std::size_t buffer(const std::string& name) const { return buffer_of_[find(name, true)]; }
  hologram_argument& argument(const std::string& name) { return arguments_[find(name, true)]; }
  std::uint64_t size_of(const std::string& name) const {
    return type_sizes[arguments_[find(name, true)].code & 0xfu];
  }

  const Kernel& kernel() const { return kernel_; }
  const std::vector<hologram_argument>& arguments() const { return arguments_; }
  std::vector<std::uint64_t>& extents() { return extents_; }
  const hologram_launch_config& config() const { return config_; }

 private:
  std::size_t find(const std::string& name, bool is_buffer) const {
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      const hologram_parameter& parameter = *hologram_kernel_parameter(kernel_.get(), k);
      if (parameter.name == name && (parameter.is_buffer != 0) == is_buffer) return k;
    }
    refuse("kernel '" + kernel_.name() + "': there is no " + (is_buffer ? "array" : "scalar") +
           " '" + name + "'");
  }

  Kernel kernel_;
  hologram_launch_config config_{};
  std::vector<hologram_argument> arguments_;
  std::vector<std::size_t> buffer_of_;  // by parameter
  std::vector<std::uint64_t> extents_;  // by buffer
};

}  // namespace hologram::detail
