#include "allocation_failures.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);
}

namespace {

std::atomic<bool> armed{false};
std::atomic<int64_t> until_failure{0};  // this many allocations from now on succeed
std::atomic<int64_t> fired{0};
std::atomic<bool> all_that_follow{false};
std::atomic<bool (*)()> asked{nullptr};
std::atomic<int64_t> live{0};  // blocks

bool Fails() {
  if (bool (*const fails)() = asked.load(); fails != nullptr) {
    armed = false;
    const bool answer = fails();
    // In a child that `fails` made, FailAllocation() may have been called.
    armed = true;
    return answer;
  }
  const int64_t left = until_failure.fetch_sub(1);
  return left == 0 || (left < 0 && all_that_follow.load());
}

bool MayAllocate() {
  if (!armed.load() || !Fails()) return true;
  fired.fetch_add(1);
  errno = ENOMEM;
  return false;
}

void* Counted(void* block) {
  if (block != nullptr) live.fetch_add(1);
  return block;
}

}  // namespace

// The program's definitions are taken by all libraries.
#pragma GCC visibility push(default)
extern "C" {
void* malloc(size_t size) {
  return MayAllocate() ? Counted(__libc_malloc(size)) : nullptr;
}
void* calloc(size_t count, size_t size) {
  return MayAllocate() ? Counted(__libc_calloc(count, size)) : nullptr;
}
void* realloc(void* old, size_t size) {
  if (!MayAllocate()) return nullptr;
  void* const block = __libc_realloc(old, size);
  if (old == nullptr) return Counted(block);
  return block;
}
void* aligned_alloc(size_t alignment, size_t size) {
  return MayAllocate() ? Counted(__libc_memalign(alignment, size)) : nullptr;
}
void* memalign(size_t alignment, size_t size) {
  return aligned_alloc(alignment, size);
}
int posix_memalign(void** block, size_t alignment, size_t size) {
  void* const made = aligned_alloc(alignment, size);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}
void free(void* block) {
  if (block != nullptr) live.fetch_sub(1);
  __libc_free(block);
}
void* mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) {
  if (!MayAllocate()) return MAP_FAILED;
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, length, protection, flags, file, offset));
}
}
#pragma GCC visibility pop

namespace hologram::test {

int64_t failed_allocations = 0;

void FailAllocation(int64_t n, bool all) {
  fired = 0;
  asked = nullptr;
  until_failure = n;
  all_that_follow = all;
  armed = true;
}

void AskAtAllocations(bool (*fails)()) {
  fired = 0;
  asked = fails;
  armed = true;
}

int64_t EndFailures() {
  armed = false;
  asked = nullptr;
  const int64_t failed = fired.exchange(0);
  failed_allocations += failed;
  return failed;
}

int64_t num_live_blocks() {
  return live.load();
}

}  // namespace hologram::test
