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

// Memory of a fixed size, at a multiple of 64 bytes, zeros at first.
class StreamPool {
 public:
  explicit StreamPool(std::uint64_t bytes) {
    hologram_pool* made = nullptr;
    detail::check(hologram_pool_create(bytes, &made));
    pool_.reset(made, hologram_pool_destroy);
  }
  hologram_pool* get() const { return pool_.get(); }
  std::uint64_t size() const { return hologram_pool_size(pool_.get()); }
  void copy_to(std::uint64_t offset, const void* data, std::uint64_t bytes) {
    detail::check(hologram_pool_copy_to(pool_.get(), offset, data, bytes));
  }
  void copy_from(std::uint64_t offset, void* data, std::uint64_t bytes) const {
    detail::check(hologram_pool_copy_from(pool_.get(), offset, data, bytes));
  }
  // Elements of the pool, an argument of kernels: nothing is copied. It lives as long as the pool.
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

struct StreamOptions {
  std::uint64_t window = 0;  // bytes of the inputs of a window together; 0: 1 MiB
  std::uint64_t depth = 0;   // windows in memory at once; 0: 3; 1: no threads
  const StreamPool* pool = nullptr;
  // Called some times a second; false stops the stream, CANCELLED.
  std::function<bool(const hologram_streamed&)> progress;
};

class Stream {
 public:
  explicit Stream(const Kernel& kernel, StreamOptions options = {}, const LaunchConfig& config = {})
      : whole_(kernel, config),
        options_(std::move(options)),
        flows_(whole_.extents().size(), hologram_flow{nullptr, nullptr, kInherited}) {}

  // ---- Inputs
  // A raw file: all of it is elements, from `offset` on.
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
    return source(name, place,
                  S_ISREG(info.st_mode) ? (size - offset) / item : HOLOGRAM_UNTIL_END);
  }
  // A descriptor, from where it is; borrowed.
  Stream& in(const std::string& name, int descriptor,
             std::uint64_t extent = HOLOGRAM_UNTIL_END) {
    hologram_place& place = add();
    place.descriptor = descriptor;
    place.sequential = 1;
    return source(name, place, extent);
  }
  // Memory, which is copied through the windows.
  template <class T>
  Stream& in(const std::string& name, std::span<const T> data) {
    check_type<T>(name);
    hologram_place& place = add();
    place.memory = const_cast<T*>(data.data());
    return source(name, place, data.size());
  }

  // ---- Outputs: as many elements as the longest input has, unless a length is said.
  Stream& out(const std::string& name, const std::string& path, std::uint64_t extent = kInherited) {
    hologram_place& place = add();
    place.path = names_.emplace_back(path).c_str();
    return sink(name, place, extent);
  }
  Stream& out(const std::string& name, int descriptor, std::uint64_t extent = kInherited) {
    hologram_place& place = add();
    place.descriptor = descriptor;
    place.sequential = 1;
    return sink(name, place, extent);
  }
  template <class T>
  Stream& out(const std::string& name, std::span<T> data) {
    check_type<T>(name);
    hologram_place& place = add();
    place.memory = data.data();
    return sink(name, place, data.size());
  }

  // An array that stays whole in memory, as a table or a histogram; borrowed.
  template <class T>
  Stream& array(const std::string& name, std::span<T> data) {
    hologram_argument& argument = whole_.argument(name);
    argument.code = detail::type_code<T>() | HOLOGRAM_ARGUMENT_BUFFER |
                    (std::is_const_v<T> ? 0u : unsigned{HOLOGRAM_ARGUMENT_WRITABLE});
    argument.buffer = {const_cast<std::remove_const_t<T>*>(data.data()), data.size_bytes()};
    return *this;
  }

  template <class T>
  Stream& set(const std::string& name, T value) {
    whole_.set(name, value);
    return *this;
  }
  // A scalar that is the length of an array.
  Stream& set_length(const std::string& name, const std::string& array) {
    lengths_.emplace_back(name, whole_.buffer(array));
    return *this;
  }

  // Runs the stream; it may be run again.
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
