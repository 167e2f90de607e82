// Memory of a fixed size, which streams keep their windows in. Tested by tests/stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"

namespace hologram::stream {

inline constexpr uint64_t kPoolAlignment = 64;

// Zeros at first, at a multiple of kPoolAlignment; it never moves or grows.
class Pool {
 public:
  // Errors: kInvalidArgument for no bytes, kResourceLimit.
  static Result<std::unique_ptr<Pool>> Make(uint64_t bytes);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }
  // Errors name both numbers if the range is not in the pool; nothing is copied then.
  Status CopyTo(uint64_t offset, const void* from, uint64_t bytes);
  Status CopyFrom(uint64_t offset, void* to, uint64_t bytes) const;

 private:
  Pool(std::byte* data, uint64_t size) : data_(data), size_(size) {}
  Status CheckRange(uint64_t offset, uint64_t bytes) const;

  std::byte* data_;
  uint64_t size_;
};

}  // namespace hologram::stream
