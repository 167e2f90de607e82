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
  explicit Windows(const Kernel& kernel, const LaunchConfig& config = {});

  // The elements of a whole array.
  Windows& array(const std::string& name, std::uint64_t extent);
  // A scalar; it is converted as in a launch, if the value is kept.
  template <class T>
  Windows& set(const std::string& name, T value);
  // The part that is in memory: `count` elements, of which the first is element `base`. Borrowed.
  template <class T>
  Windows& part(const std::string& name, T* data, std::uint64_t count, std::uint64_t base = 0);

  // How many units the launch has: lanes, rows of lanes or blocks, which windows are cut at. All
  // lengths and scalars must be set before. Throws what a launch would throw for its grid.
  std::uint64_t units();
  // The elements that these units touch, of each array in the order of the parameters. Throws
  // INVALID_ARGUMENT for units that the launch does not have, UNSUPPORTED for a kernel that cannot
  // run in windows.
  std::vector<hologram_reach> reach(std::uint64_t first, std::uint64_t last);
  // Runs units [first, last), in the memory of the parts that were given last. Throws
  // INVALID_ARGUMENT, naming parameter and access, if one of them may touch what is not there; then
  // nothing has run. Throws FAULT for a fault of a lane, whose number is that in the whole launch.
  void launch(std::uint64_t first, std::uint64_t last);

 private:
  hologram_window window_of(std::uint64_t first, std::uint64_t last);

  detail::WholeArguments whole_;
  std::vector<std::uint64_t> bases_;
};

}  // namespace hologram

#include "hologram/detail/window_bodies.hpp"
