// Pools and streams: kernels over arrays that are larger than memory (docs/scale.md).
//
//   hologram::Stream blur(exec.kernel("blur"));
//   blur.in("src", "big.raw").out("dst", "out.raw").set_length("n", "src");
//   const hologram_streamed done = blur.run();
//
// Errors are those of stream.h, as hologram::Error. Tested by tests/stream/cpp_test.cc.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hologram/detail/whole.hpp"
#include "hologram/stream.h"

namespace hologram {

// Memory of a fixed size, at a multiple of 64 bytes, zeros at first. Copies are the same memory.
class StreamPool {
 public:
  // Throws INVALID_ARGUMENT for 0 bytes, RESOURCE_LIMIT where there is no memory.
  explicit StreamPool(std::uint64_t bytes);
  // The pool of stream.h, which lives as long as the last copy of this.
  hologram_pool* get() const;
  // Bytes, as they were asked for.
  std::uint64_t size() const;
  // Copies bytes into the pool, from `offset` on. Throws INVALID_ARGUMENT with both numbers if they
  // are not all inside; nothing is copied then.
  void copy_to(std::uint64_t offset, const void* data, std::uint64_t bytes);
  // The same out of the pool.
  void copy_from(std::uint64_t offset, void* data, std::uint64_t bytes) const;
  // Elements of the pool, an argument of kernels: nothing is copied. They live as long as the last
  // copy of the pool. Throws INVALID_ARGUMENT for elements that are not inside, or not aligned.
  template <class T>
  std::span<T> view(std::uint64_t offset, std::uint64_t count) const;

 private:
  std::shared_ptr<hologram_pool> pool_;
};

// All of it may be left out.
struct StreamOptions {
  std::uint64_t window = 0;  // bytes of the inputs of a window together; 0: 1 MiB
  std::uint64_t depth = 0;   // windows in memory at once; 0: 3; 1: no threads
  // The memory of all windows, borrowed; null: memory of each run. Without `window` these are as
  // large as fits; with it, run() throws RESOURCE_LIMIT with the bytes that are needed.
  const StreamPool* pool = nullptr;
  // Called some times a second; false stops the stream, CANCELLED.
  std::function<bool(const hologram_streamed&)> progress;
};

// One kernel and the places of its arrays, by the names of its parameters; a name that there is not
// throws INVALID_ARGUMENT. Everything that is given by pointer, span or descriptor is borrowed
// until the last run. One object is for one thread at a time.
class Stream {
 public:
  // `config`: the grid of the whole launch, if the kernel needs one. Throws INVALID_ARGUMENT for
  // kernels with arrays of several dimensions, whose shapes C takes.
  explicit Stream(const Kernel& kernel, StreamOptions options = {},
                  const LaunchConfig& config = {});

  // ---- Inputs
  // A raw file: all of it is elements, from `offset` on. Throws INVALID_ARGUMENT for one that is
  // not there, or ends in the middle of an element.
  Stream& in(const std::string& name, const std::string& path, std::uint64_t offset = 0);
  // A descriptor, from where it is: `extent` elements, or all until its end, which kernels can do
  // with that index with their id alone and compare it with the length alone.
  Stream& in(const std::string& name, int descriptor, std::uint64_t extent = HOLOGRAM_UNTIL_END);
  // Memory, which is copied through the windows. Throws INVALID_ARGUMENT if the kernel has elements
  // of another type.
  template <class T>
  Stream& in(const std::string& name, std::span<const T> data);

  // ---- Outputs: as many elements as the longest input has, unless a length is said.
  // A raw file, which appears under its name at the end of a run that succeeds; before, it has
  // another name beside it, and after an error it is gone.
  Stream& out(const std::string& name, const std::string& path, std::uint64_t extent = kInherited);
  // A descriptor, from where it is; after an error it has the windows before that.
  Stream& out(const std::string& name, int descriptor, std::uint64_t extent = kInherited);
  // Memory, which gets a copy of each window.
  template <class T>
  Stream& out(const std::string& name, std::span<T> data);

  // An array that stays whole in memory, as a table or a histogram: one that data decide about,
  // which has no windows. It is used where it is, not copied.
  template <class T>
  Stream& array(const std::string& name, std::span<T> data);

  // A scalar; it is converted as in a launch, if the value is kept.
  template <class T>
  Stream& set(const std::string& name, T value);
  // A scalar that is the length of an array, found out when the stream runs; of a pipe, where the
  // kernel only compares its id with it, not before the end.
  Stream& set_length(const std::string& name, const std::string& array);

  // Runs the stream. It may be run again, which reads files from their beginning and descriptors
  // from where they are. Throws the first error in the order of the stream: of a read, a launch or
  // a write; windows before it are written, and none after it are.
  hologram_streamed run();

 private:
  static constexpr std::uint64_t kInherited = HOLOGRAM_UNTIL_END - 1;

  hologram_place& add();
  Stream& source(const std::string& name, const hologram_place& place, std::uint64_t extent);
  Stream& sink(const std::string& name, const hologram_place& place, std::uint64_t extent);
  template <class T>
  void check_type(const std::string& name);

  detail::WholeArguments whole_;
  StreamOptions options_;
  std::vector<hologram_flow> flows_;  // by buffer
  std::deque<hologram_place> places_;
  std::deque<std::string> names_;
  std::vector<std::pair<std::string, std::size_t>> lengths_;
};

}  // namespace hologram

#include "hologram/detail/stream_bodies.hpp"
