/* Memory for NumPy's arrays, directly before and, from one allocation to the next, directly behind
 * pages that nobody may touch. tests/support/guard_pages.py makes NumPy use it (NEP 49). */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
  void* context;
  void* (*allocate)(void* context, size_t size);
  void* (*allocate_zeroed)(void* context, size_t count, size_t size);
  void* (*reallocate)(void* context, void* data, size_t size);
  void (*release)(void* context, void* data, size_t size);
} allocator;

/* PyDataMem_Handler of NumPy's C interface, version 1. */
typedef struct {
  char name[127];
  uint8_t version;
  allocator functions;
} data_handler;

/* In front of the first untouchable page of each allocation: what realloc() needs. */
typedef struct {
  size_t size;
} header;

static atomic_uint_fast64_t allocations;

static size_t page_size(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t round_up(size_t bytes) {
  const size_t page = page_size();
  return (bytes + page - 1) / page * page;
}

/* Pages: header, untouchable, data, untouchable. Memory of mmap is zero. */
static void* allocate(void* context, size_t size) {
  (void)context;
  const size_t page = page_size();
  if (size > SIZE_MAX / 2) return NULL;
  const size_t inside = round_up(size == 0 ? 1 : size);
  char* base = mmap(NULL, inside + 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return NULL;
  if (mprotect(base, page, PROT_READ | PROT_WRITE) != 0 ||
      mprotect(base + 2 * page, inside, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, inside + 3 * page);
    return NULL;
  }
  ((header*)base)->size = size;
  /* An array without elements asks for one byte, and its address must suit any type. */
  const int before = atomic_fetch_add(&allocations, 1) % 2 == 0 && size > 1;
  return base + 2 * page + (before ? inside - size : 0);
}

static char* base_of(void* data) {
  const size_t page = page_size();
  return (char*)((uintptr_t)data / page * page) - 2 * page;
}

static void release(void* context, void* data, size_t size) {
  (void)context;
  (void)size;
  if (data == NULL) return;
  char* base = base_of(data);
  const size_t own = ((header*)base)->size;
  munmap(base, round_up(own == 0 ? 1 : own) + 3 * page_size());
}

static void* allocate_zeroed(void* context, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size) return NULL;
  return allocate(context, count * size);
}

static void* reallocate(void* context, void* data, size_t size) {
  void* moved = allocate(context, size);
  if (moved == NULL || data == NULL) return moved;
  const size_t before = ((header*)base_of(data))->size;
  memcpy(moved, data, before < size ? before : size);
  release(context, data, before);
  return moved;
}

data_handler hologram_test_guard_pages = {
    "hologram_guard_pages", 1, {NULL, allocate, allocate_zeroed, reallocate, release}};

/* How many arrays have been given memory: a test of the tests. */
uint64_t hologram_test_guarded_arrays(void) {
  return atomic_load(&allocations);
}
