// The bodies of the functions of stream.hpp.
#pragma once

#include "hologram/stream.hpp"

namespace hologram {

inline StreamPool::StreamPool(std::uint64_t bytes) {
  hologram_pool* made = nullptr;
  detail::check(hologram_pool_create(bytes, &made));
  pool_.reset(made, hologram_pool_destroy);
}

inline hologram_pool* StreamPool::get() const {
  return pool_.get();
}

inline std::uint64_t StreamPool::size() const {
  return hologram_pool_size(pool_.get());
}

inline void StreamPool::copy_to(std::uint64_t offset, const void* data, std::uint64_t bytes) {
  detail::check(hologram_pool_copy_to(pool_.get(), offset, data, bytes));
}

inline void StreamPool::copy_from(std::uint64_t offset, void* data, std::uint64_t bytes) const {
  detail::check(hologram_pool_copy_from(pool_.get(), offset, data, bytes));
}

template <class T>
std::span<T> StreamPool::view(std::uint64_t offset, std::uint64_t count) const {
  if (offset % sizeof(T) != 0 || offset > size() || count > (size() - offset) / sizeof(T)) {
    detail::refuse(std::to_string(count) + " elements at byte " + std::to_string(offset) +
                   " of a pool of " + std::to_string(size()) + " bytes");
  }
  auto* const bytes = static_cast<char*>(hologram_pool_data(pool_.get()));
  return {static_cast<T*>(static_cast<void*>(bytes + offset)), count};
}

inline Stream::Stream(const Kernel& kernel, StreamOptions options, const LaunchConfig& config)
    : whole_(kernel, config),
      options_(std::move(options)),
      flows_(whole_.extents().size(), hologram_flow{nullptr, nullptr, kInherited}) {}

inline Stream& Stream::in(const std::string& name, const std::string& path, std::uint64_t offset) {
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

inline Stream& Stream::in(const std::string& name, int descriptor, std::uint64_t extent) {
  hologram_place& place = add();
  place.descriptor = descriptor;
  place.sequential = 1;
  return source(name, place, extent);
}

template <class T>
Stream& Stream::in(const std::string& name, std::span<const T> data) {
  check_type<T>(name);
  hologram_place& place = add();
  place.memory = const_cast<T*>(data.data());
  return source(name, place, data.size());
}

inline Stream& Stream::out(const std::string& name, const std::string& path, std::uint64_t extent) {
  hologram_place& place = add();
  place.path = names_.emplace_back(path).c_str();
  return sink(name, place, extent);
}

inline Stream& Stream::out(const std::string& name, int descriptor, std::uint64_t extent) {
  hologram_place& place = add();
  place.descriptor = descriptor;
  place.sequential = 1;
  return sink(name, place, extent);
}

template <class T>
Stream& Stream::out(const std::string& name, std::span<T> data) {
  check_type<T>(name);
  hologram_place& place = add();
  place.memory = data.data();
  return sink(name, place, data.size());
}

template <class T>
Stream& Stream::array(const std::string& name, std::span<T> data) {
  hologram_argument& argument = whole_.argument(name);
  argument.code = detail::type_code<T>() | HOLOGRAM_ARGUMENT_BUFFER |
                  (std::is_const_v<T> ? 0u : unsigned{HOLOGRAM_ARGUMENT_WRITABLE});
  argument.buffer = {const_cast<std::remove_const_t<T>*>(data.data()), data.size_bytes()};
  return *this;
}

template <class T>
Stream& Stream::set(const std::string& name, T value) {
  whole_.set(name, value);
  return *this;
}

inline Stream& Stream::set_length(const std::string& name, const std::string& array) {
  lengths_.emplace_back(name, whole_.buffer(array));
  return *this;
}

inline hologram_streamed Stream::run() {
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

inline hologram_place& Stream::add() {
  return places_.emplace_back(hologram_place{});
}

inline Stream& Stream::source(const std::string& name, const hologram_place& place,
                              std::uint64_t extent) {
  hologram_flow& flow = flows_[whole_.buffer(name)];
  flow.source = &place;
  flow.extent = extent;
  return *this;
}

inline Stream& Stream::sink(const std::string& name, const hologram_place& place,
                            std::uint64_t extent) {
  hologram_flow& flow = flows_[whole_.buffer(name)];
  flow.sink = &place;
  if (flow.source == nullptr) flow.extent = extent;
  return *this;
}

template <class T>
void Stream::check_type(const std::string& name) {
  if (detail::type_code<T>() != (whole_.argument(name).code & 0xfu)) {
    detail::refuse("'" + name + "' has elements of another type");
  }
}

}  // namespace hologram
