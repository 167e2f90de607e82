// The allocation functions of reserve_test, in a file of their own: the linker's --wrap changes
// only calls of what another file defines.
#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

thread_local bool is_empty = false;

#pragma GCC visibility push(default)
extern "C" {
void* malloc(size_t size) {
  return is_empty ? nullptr : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return is_empty ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return is_empty ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return is_empty ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** block, size_t alignment, size_t size) {
  if (is_empty) return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return 0;
}
}
#pragma GCC visibility pop
