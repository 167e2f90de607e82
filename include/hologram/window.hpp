// Parts of a launch, on parts of its arrays, with the bits of the whole (docs/scale.md).
//
//   hologram::Windows blur(exec.kernel("blur"));
//   blur.array("src", n).array("dst", n).set("n", n);
//   const auto src = blur.reach(1000, 2000)[0];      // elements 999 to 2001
//   blur.part("src", part.data(), part.size(), src.low).part("dst", out.data(), 1000, 1000);
//   blur.launch(1000, 2000);
//
// Errors are those of hologram.h, as hologram::Error. Tested by tests/stream/cpp_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hologram/detail/whole.hpp"

namespace hologram {

// A launch that is run in parts. Copies share the kernel, and nothing else; one object is for one
// thread at a time. Arguments are given by the names of the kernel's parameters; a name that there
// is not throws INVALID_ARGUMENT.
class Windows {
 public:
  // `config` is that of the whole launch: its grid, if it has one, and its block. Throws
  // INVALID_ARGUMENT for kernels with arrays of several dimensions, whose shapes C takes.
  explicit Windows(const Kernel& kernel, const LaunchConfig& config = {})
      : whole_(kernel, config), bases_(whole_.extents().size(), 0) {}

  // The elements of a whole array.
  Windows& array(const std::string& name, std::uint64_t extent) {
    whole_.extents()[whole_.buffer(name)] = extent;
    return *this;
  }
  // A scalar; it is converted as in a launch, if the value is kept.
  template <class T>
  Windows& set(const std::string& name, T value) {
    whole_.set(name, value);
    return *this;
  }
  // The part that is in memory: `count` elements, of which the first is element `base`. Borrowed.
  template <class T>
  Windows& part(const std::string& name, T* data, std::uint64_t count, std::uint64_t base = 0) {
    hologram_argument& argument = whole_.argument(name);
    argument.code = detail::type_code<T>() | HOLOGRAM_ARGUMENT_BUFFER |
                    (std::is_const_v<T> ? 0u : unsigned{HOLOGRAM_ARGUMENT_WRITABLE});
    argument.buffer = {const_cast<std::remove_const_t<T>*>(data), count * sizeof(T)};
    bases_[whole_.buffer(name)] = base;
    return *this;
  }

  // How many units the launch has: lanes, rows of lanes or blocks, which windows are cut at. All
  // lengths and scalars must be set before. Throws what a launch would throw for its grid.
  std::uint64_t units() {
    std::uint32_t unit = 0;
    std::uint64_t units = 0;
    detail::check(hologram_kernel_units(whole_.kernel().get(), whole_.arguments().data(), nullptr,
                                        whole_.arguments().size(), &whole_.config(),
                                        whole_.extents().data(), &unit, &units));
    return units;
  }
  // The elements that these units touch, of each array in the order of the parameters. Throws
  // INVALID_ARGUMENT for units that the launch does not have, UNSUPPORTED for a kernel that cannot
  // run in windows.
  std::vector<hologram_reach> reach(std::uint64_t first, std::uint64_t last) {
    std::vector<hologram_reach> found(whole_.extents().size());
    const hologram_window window = window_of(first, last);
    detail::check(hologram_kernel_reach(whole_.kernel().get(), whole_.arguments().data(), nullptr,
                                        whole_.arguments().size(), &whole_.config(), &window,
                                        found.data()));
    return found;
  }
  // Runs units [first, last), in the memory of the parts that were given last. Throws
  // INVALID_ARGUMENT, naming parameter and access, if one of them may touch what is not there; then
  // nothing has run. Throws FAULT for a fault of a lane, whose number is that in the whole launch.
  void launch(std::uint64_t first, std::uint64_t last) {
    const hologram_window window = window_of(first, last);
    detail::check(hologram_kernel_launch_window(whole_.kernel().get(), whole_.arguments().data(),
                                                nullptr, whole_.arguments().size(),
                                                &whole_.config(), &window));
  }

 private:
  hologram_window window_of(std::uint64_t first, std::uint64_t last) {
    return {first, last, bases_.data(), whole_.extents().data()};
  }

  detail::WholeArguments whole_;
  std::vector<std::uint64_t> bases_;
};

}  // namespace hologram
