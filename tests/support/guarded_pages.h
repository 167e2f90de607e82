// Writable pages between two untouchable ones: an access outside of them ends the process
// instead of going unnoticed.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

#include "base/check.h"

namespace hologram::tests {

// Owns the pages. Not thread-safe.
class GuardedPages {
 public:
  // Room for `bytes`, rounded up to whole pages; with 0 the two untouchable pages are neighbours.
  explicit GuardedPages(size_t bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    inside_ = (bytes + page - 1) / page * page;
    whole_ = inside_ + 2 * page;
    void* const mapped =
        mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    HOLOGRAM_CHECK(mapped != MAP_FAILED);
    base_ = static_cast<std::byte*>(mapped);
    begin_ = base_ + page;
    if (inside_ != 0) HOLOGRAM_CHECK(mprotect(begin_, inside_, PROT_READ | PROT_WRITE) == 0);
  }
  GuardedPages(GuardedPages&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)),
        begin_(other.begin_),
        inside_(other.inside_),
        whole_(other.whole_) {}
  GuardedPages& operator=(GuardedPages&&) = delete;
  ~GuardedPages() {
    if (base_ != nullptr) munmap(base_, whole_);
  }

  std::byte* begin() const { return begin_; }
  std::byte* end() const { return begin_ + inside_; }
  size_t size() const { return inside_; }

 private:
  std::byte* base_;
  std::byte* begin_;
  size_t inside_;
  size_t whole_;
};

}  // namespace hologram::tests
