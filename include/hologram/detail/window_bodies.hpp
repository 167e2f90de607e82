// The bodies of the functions of window.hpp.
#pragma once

#include "hologram/window.hpp"

namespace hologram {

inline Windows::Windows(const Kernel& kernel, const LaunchConfig& config)
    : whole_(kernel, config), bases_(whole_.extents().size(), 0) {}

inline Windows& Windows::array(const std::string& name, std::uint64_t extent) {
  whole_.extents()[whole_.buffer(name)] = extent;
  return *this;
}

template <class T>
Windows& Windows::set(const std::string& name, T value) {
  whole_.set(name, value);
  return *this;
}

template <class T>
Windows& Windows::part(const std::string& name, T* data, std::uint64_t count, std::uint64_t base) {
  hologram_argument& argument = whole_.argument(name);
  argument.code = detail::type_code<T>() | HOLOGRAM_ARGUMENT_BUFFER |
                  (std::is_const_v<T> ? 0u : unsigned{HOLOGRAM_ARGUMENT_WRITABLE});
  argument.buffer = {const_cast<std::remove_const_t<T>*>(data), count * sizeof(T)};
  bases_[whole_.buffer(name)] = base;
  return *this;
}

inline std::uint64_t Windows::units() {
  std::uint32_t unit = 0;
  std::uint64_t units = 0;
  detail::check(hologram_kernel_units(whole_.kernel().get(), whole_.arguments().data(), nullptr,
                                      whole_.arguments().size(), &whole_.config(),
                                      whole_.extents().data(), &unit, &units));
  return units;
}

inline std::vector<hologram_reach> Windows::reach(std::uint64_t first, std::uint64_t last) {
  std::vector<hologram_reach> found(whole_.extents().size());
  const hologram_window window = window_of(first, last);
  detail::check(hologram_kernel_reach(whole_.kernel().get(), whole_.arguments().data(), nullptr,
                                      whole_.arguments().size(), &whole_.config(), &window,
                                      found.data()));
  return found;
}

inline void Windows::launch(std::uint64_t first, std::uint64_t last) {
  const hologram_window window = window_of(first, last);
  detail::check(hologram_kernel_launch_window(whole_.kernel().get(), whole_.arguments().data(),
                                              nullptr, whole_.arguments().size(), &whole_.config(),
                                              &window));
}

inline hologram_window Windows::window_of(std::uint64_t first, std::uint64_t last) {
  return {first, last, bases_.data(), whole_.extents().data()};
}

}  // namespace hologram
