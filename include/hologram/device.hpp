// Arrays that stay on a device, and launches there (docs/devices.md).
//
//   hologram::DeviceArray<float> x(values, "cuda");  // a copy of a vector; "" for the first device
//   hologram::DeviceArray<float> y(values.size(), "cuda");
//   scale(2.0f, x, y, 1000u);                        // runs where its arrays are
//   const std::vector<float> results = y.to_host();
//
// Nothing is copied but by the calls that say so. A launch on a CUDA device may return before it is
// done (device.h); after an error, that of a fault included, written arrays are as they were. A
// launch that no proof covers runs in the interpreter, on copies on the host: Kernel::last_launch()
// shows it, as ever.
//
// A pipeline, a window and a kernel of a library take no arrays on devices. Which devices there
// are, and why one is not used, is what hologram::devices() gives. Errors are those of device.h, as
// hologram::Error. Tested by tests/device/resident_test.cc.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hologram/device.h"
#include "hologram/hologram.hpp"

namespace hologram {

// Elements of a type of kernels on one device, an argument of kernels wherever they take an array
// of one dimension; those of several come from shaped(). All arrays of a launch are on one device.
// T may not be const: what a kernel only reads is decided by the kernel. A moved-from array may be
// assigned to, or go.
// Copies are the same memory, which lives as long as the last of them. Threads: as device.h.
template <class T>
class DeviceArray {
 public:
  using element_type = T;

  // `size` elements of arbitrary value. `device` is "cuda:1", "cuda" or "opencl", or empty for the
  // first device that any engine uses. Throws INVALID_ARGUMENT for another text, UNSUPPORTED where
  // there is no such device or it is not used, RESOURCE_LIMIT where it has no room.
  explicit DeviceArray(std::size_t size, const std::string& device = "") : size_(size) {
    hologram_device_memory* made = nullptr;
    detail::check(hologram_device_allocate(device.empty() ? nullptr : device.c_str(),
                                           size * sizeof(T), &made));
    memory_ = {made, hologram_device_destroy};
  }
  // A copy of elements of the host, which are read before this returns. Throws as above, and what
  // the driver reports of the copy.
  explicit DeviceArray(std::span<const T> values, const std::string& device = "")
      : DeviceArray(values.size(), device) {
    write(values);
  }
  explicit DeviceArray(const std::vector<T>& values, const std::string& device = "")
      : DeviceArray(std::span<const T>(values), device) {}

  // How many elements there are. Never throws, and reads nothing of the device.
  std::size_t size() const { return size_; }
  // Where they are, by engine and number: "cuda:0". The name is one that the constructor takes, so
  // that other arrays may be made beside this one.
  std::string device() const { return hologram_device_place(memory_.get()); }

  // Copies elements of the host to the device, from element `first` on, and returns when they are
  // there. Throws INVALID_ARGUMENT where they do not fit; nothing is copied then. Throws what the
  // driver reports, after which the elements may hold anything.
  void write(std::span<const T> values, std::size_t first = 0) {
    detail::check(hologram_device_write(memory_.get(), first * sizeof(T), values.data(),
                                        values.size_bytes()));
  }
  // The other way: fills `values` with the elements from `first` on, as they are when all launches
  // on the device are done. Throws as write(); the memory of the host may then hold anything.
  void read(std::span<T> values, std::size_t first = 0) const {
    detail::check(
        hologram_device_read(memory_.get(), first * sizeof(T), values.data(), values.size_bytes()));
  }
  // All of them in memory of the host that the vector owns. Throws as read(), and std::bad_alloc.
  //
  //   const std::vector<float> results = y.to_host();
  std::vector<T> to_host() const {
    std::vector<T> values(size_);
    read(values);
    return values;
  }

  // Waits until all launches on the device are done; read() and to_host() do so themselves. Throws
  // what the driver reports of one of them.
  void wait() const { detail::check(hologram_device_wait(memory_.get())); }

  // The placeholder of the elements in a launch (device.h): an address that nothing may read or
  // write, and their bytes. Kernel calls ask for it; there is no data(), so that an array on a
  // device is never taken for memory of the host. Valid as long as one of the copies of this is
  // there.
  hologram_buffer_ref device_memory() const {
    return {hologram_device_address(memory_.get()), size_ * sizeof(T)};
  }

  // The result of shaped(): an argument of kernels with DeviceArray[T, 2] to DeviceArray[T, 4]. It
  // is the same memory, which lives as long as this does.
  class Shaped {
   public:
    using element_type = T;
    hologram_buffer_ref device_memory() const { return array_.device_memory(); }
    // The extents and no gaps, as a launch takes them; valid as long as this object is.
    const hologram_array_shape& shape() const { return shape_; }

   private:
    friend class DeviceArray;
    explicit Shaped(const DeviceArray& array) : array_(array) {}
    DeviceArray array_;
    hologram_array_shape shape_{};
  };
  // The same elements row by row as an array of 1 to 4 dimensions:
  //
  //   sum_rows(x.shaped(2, 500), sums);
  //
  // That the extents make the size is not checked: a larger shape is a fault of the launch.
  template <class... Sizes>
  Shaped shaped(Sizes... extents) const {
    static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= HOLOGRAM_MAX_RANK);
    Shaped made(*this);
    made.shape_.rank = sizeof...(Sizes);
    std::size_t d = 0;
    ((made.shape_.extents[d++] = static_cast<std::uint64_t>(extents)), ...);
    return made;
  }

 private:
  std::shared_ptr<hologram_device_memory> memory_;
  std::size_t size_ = 0;
};

}  // namespace hologram
