#include "stream/pool.h"

#include <sys/mman.h>

#include <cstring>
#include <string>

#include "observe/counters.h"
#include "observe/span.h"

namespace hologram::stream {

Result<std::unique_ptr<Pool>> Pool::Make(uint64_t bytes) {
  if (bytes == 0) return Error(ErrorCode::kInvalidArgument, "a pool of 0 bytes");
  observe::Span span("pool", "make");
  span.Number("bytes", bytes);
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return Error(ErrorCode::kResourceLimit,
                 "no memory for a pool of " + std::to_string(bytes) + " bytes");
  }
  observe::Count(observe::Counter::kPools);
  observe::Count(observe::Counter::kPoolBytes, bytes);
  return std::unique_ptr<Pool>(new Pool(static_cast<std::byte*>(memory), bytes));
}

Pool::~Pool() {
  munmap(data_, size_);
}

Status Pool::CheckRange(uint64_t offset, uint64_t bytes) const {
  if (offset <= size_ && bytes <= size_ - offset) return Success{};
  return Error(ErrorCode::kInvalidArgument, std::to_string(bytes) + " bytes at byte " +
                                                std::to_string(offset) + " of a pool of " +
                                                std::to_string(size_) + " bytes");
}

Status Pool::CopyTo(uint64_t offset, const void* from, uint64_t bytes) {
  observe::Span span("copy", "into a pool");
  span.Number("bytes", bytes);
  HOLOGRAM_RETURN_IF_ERROR(CheckRange(offset, bytes));
  if (bytes != 0) std::memcpy(data_ + offset, from, bytes);
  return Success{};
}

Status Pool::CopyFrom(uint64_t offset, void* to, uint64_t bytes) const {
  observe::Span span("copy", "out of a pool");
  span.Number("bytes", bytes);
  HOLOGRAM_RETURN_IF_ERROR(CheckRange(offset, bytes));
  if (bytes != 0) std::memcpy(to, data_ + offset, bytes);
  return Success{};
}

}  // namespace hologram::stream
