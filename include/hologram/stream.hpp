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
  explicit StreamPool(std::uint64_t bytes) {
    hologram_pool* made = nullptr;
    detail::check(hologram_pool_create(bytes, &made));
    pool_.reset(made, hologram_pool_destroy);
  }
  // The pool of stream.h, which lives as long as the last copy of this.
  hologram_pool* get() const { return pool_.get(); }
  // Bytes, as they were asked for.
  std::uint64_t size() const { return hologram_pool_size(pool_.get()); }
  // Copies bytes into the pool, from `offset` on. Throws INVALID_ARGUMENT with both numbers if they
  // are not all inside; nothing is copied then.
  void copy_to(std::uint64_t offset, const void* data, std::uint64_t bytes) {
    detail::check(hologram_pool_copy_to(pool_.get(), offset, data, bytes));
  }
  // The same out of the pool.
  void copy_from(std::uint64_t offset, void* data, std::uint64_t bytes) const {
    detail::check(hologram_pool_copy_from(pool_.get(), offset, data, bytes));
  }
  // Elements of the pool, an argument of kernels: nothing is copied. They live as long as the last
  // copy of the pool. Throws INVALID_ARGUMENT for elements that are not inside, or not aligned.
  template <class T>
  std::span<T> view(std::uint64_t offset, std::uint64_t count) const {
    if (offset % sizeof(T) != 0 || offset > size() || count > (size() - offset) / sizeof(T)) {
      detail::refuse(std::to_string(count) + " elements at byte " + std::to_string(offset) +
                     " of a pool of " + std::to_string(size()) + " bytes");
    }
    auto* const bytes = static_cast<char*>(hologram_pool_data(pool_.get()));
    return {static_cast<T*>(static_cast<void*>(bytes + offset)), count};
  }

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
  explicit Stream(const Kernel& kernel, StreamOptions options = {}, const LaunchConfig& config = {})
      : whole_(kernel, config),
        options_(std::move(options)),
        flows_(whole_.extents().size(), hologram_flow{nullptr, nullptr, kInherited}) {}

  // ---- Inputs
  // A raw file: all of it is elements, from `offset` on. Throws INVALID_ARGUMENT for one that is
  // not there, or ends in the middle of an element.
  Stream& in(const std::string& name, const std::string& path, std::uint64_t offset = 0) {
    struct stat info{};
    if (stat(path.c_str(), &info) != 0) detail::refuse(path + ": cannot be read");
    const auto size = static_cast<std::uint64_t>(info.st_size);
    const std::uint64_t item = whole_.size_of(name);
    if (S_ISREG(info.st_mode) && (size < offset || (size - offset) % item != 0)) {
      detail::refuse(path + ": ends in the middle of an element of " + std::to_string(item));
    }
    hologram_place& place = add();
    place.path = names_.emplace_back(path).c_str();
    place.offset = offset;
    return source(name, place, S_ISREG(info.st_mode) ? (size - offset) / item : HOLOGRAM_UNTIL_END);
  }
  // A descriptor, from where it is: `extent` elements, or all until its end, which kernels can do
  // with that index with their id alone and compare it with the length alone.
  Stream& in(const std::string& name, int descriptor, std::uint64_t extent = HOLOGRAM_UNTIL_END) {
    hologram_place& place = add();
    place.descriptor = descriptor;
    place.sequential = 1;
    return source(name, place, extent);
  }
  // Memory, which is copied through the windows. Throws INVALID_ARGUMENT if the kernel has elements
  // of another type.
  template <class T>
  Stream& in(const std::string& name, std::span<const T> data) {
    check_type<T>(name);
    hologram_place& place = add();
    place.memory = const_cast<T*>(data.data());
    return source(name, place, data.size());
  }

  // ---- Outputs: as many elements as the longest input has, unless a length is said.
  // A raw file, which appears under its name at the end of a run that succeeds; before, it has
  // another name beside it, and after an error it is gone.
  Stream& out(const std::string& name, const std::string& path, std::uint64_t extent = kInherited) {
    hologram_place& place = add();
    place.path = names_.emplace_back(path).c_str();
    return sink(name, place, extent);
  }
  // A descriptor, from where it is; after an error it has the windows before that.
  Stream& out(const std::string& name, int descriptor, std::uint64_t extent = kInherited) {
    hologram_place& place = add();
    place.descriptor = descriptor;
    place.sequential = 1;
    return sink(name, place, extent);
  }
  // Memory, which gets a copy of each window.
  template <class T>
  Stream& out(const std::string& name, std::span<T> data) {
    check_type<T>(name);
    hologram_place& place = add();
    place.memory = data.data();
    return sink(name, place, data.size());
  }

  // An array that stays whole in memory, as a table or a histogram: one that data decide about,
  // which has no windows. It is used where it is, not copied.
  template <class T>
  Stream& array(const std::string& name, std::span<T> data) {
    hologram_argument& argument = whole_.argument(name);
    argument.code = detail::type_code<T>() | HOLOGRAM_ARGUMENT_BUFFER |
                    (std::is_const_v<T> ? 0u : unsigned{HOLOGRAM_ARGUMENT_WRITABLE});
    argument.buffer = {const_cast<std::remove_const_t<T>*>(data.data()), data.size_bytes()};
    return *this;
  }

  // A scalar; it is converted as in a launch, if the value is kept.
  template <class T>
  Stream& set(const std::string& name, T value) {
    whole_.set(name, value);
    return *this;
  }
  // A scalar that is the length of an array, found out when the stream runs; of a pipe, where the
  // kernel only compares its id with it, not before the end.
  Stream& set_length(const std::string& name, const std::string& array) {
    lengths_.emplace_back(name, whole_.buffer(array));
    return *this;
  }

  // Runs the stream. It may be run again, which reads files from their beginning and descriptors
  // from where they are. Throws the first error in the order of the stream: of a read, a launch or
  // a write; windows before it are written, and none after it are.
  hologram_streamed run() {
    std::uint64_t longest = 0;
    for (const hologram_flow& flow : flows_) {
      if (flow.source != nullptr) longest = std::max(longest, flow.extent);
    }
    std::vector<hologram_flow> flows = flows_;
    for (hologram_flow& flow : flows) {
      if (flow.extent == kInherited) flow.extent = longest;
    }
    for (const auto& [name, buffer] : lengths_) {
      const std::uint64_t length = flows[buffer].extent;
      whole_.set(name, length == HOLOGRAM_UNTIL_END ? std::uint64_t{0} : length);
    }
    hologram_stream_config config{};
    config.window = options_.window;
    config.depth = options_.depth;
    config.pool = options_.pool == nullptr ? nullptr : options_.pool->get();
    config.context = &options_;
    if (options_.progress) {
      config.progress = [](void* context, const hologram_streamed* now) -> std::int32_t {
        return static_cast<StreamOptions*>(context)->progress(*now) ? 0 : 1;
      };
    }
    hologram_streamed done{};
    detail::check(hologram_stream_run(whole_.kernel().get(), whole_.arguments().data(), nullptr,
                                      whole_.arguments().size(), &whole_.config(), flows.data(),
                                      &config, &done));
    return done;
  }

 private:
  static constexpr std::uint64_t kInherited = HOLOGRAM_UNTIL_END - 1;

  hologram_place& add() { return places_.emplace_back(hologram_place{}); }
  Stream& source(const std::string& name, const hologram_place& place, std::uint64_t extent) {
    hologram_flow& flow = flows_[whole_.buffer(name)];
    flow.source = &place;
    flow.extent = extent;
    return *this;
  }
  Stream& sink(const std::string& name, const hologram_place& place, std::uint64_t extent) {
    hologram_flow& flow = flows_[whole_.buffer(name)];
    flow.sink = &place;
    if (flow.source == nullptr) flow.extent = extent;
    return *this;
  }
  template <class T>
  void check_type(const std::string& name) {
    if (detail::type_code<T>() != (whole_.argument(name).code & 0xfu)) {
      detail::refuse("'" + name + "' has elements of another type");
    }
  }

  detail::WholeArguments whole_;
  StreamOptions options_;
  std::vector<hologram_flow> flows_;  // by buffer
  std::deque<hologram_place> places_;
  std::deque<std::string> names_;
  std::vector<std::pair<std::string, std::size_t>> lengths_;
};

}  // namespace hologram
