/* Memory for NumPy's arrays, directly before and, from one allocation to the next, directly behind
 * pages that nobody may touch. tests/support/guard_pages.py makes NumPy use it (NEP 49).
 *
 * What is released is kept, up to a limit, and given out again: four system calls and three page
 * faults for every temporary array were most of the time of many tests. Memory is filled with a
 * pattern before it is given out: what an earlier array held may be just what a test expects of a
 * kernel that writes nothing. */
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

/* In front of the first untouchable page of each allocation: what realloc() needs, and the next one
 * of those that are kept. */
typedef struct header {
  size_t size;
  struct header* next;
} header;

enum { KEPT_PAGES = 256, KEPT_BYTES = 32 << 20, PATTERN = 0xA5 };

static atomic_uint_fast64_t allocations;
/* Nobody waits for the lock: who does not get it maps and unmaps. So a child that was forked while
 * another thread held it goes on. */
static atomic_flag locked = ATOMIC_FLAG_INIT;
static header* kept[KEPT_PAGES + 1]; /* by pages of data */
static size_t kept_bytes;

static size_t page_size(void) {
  static atomic_size_t size;
  if (size == 0) size = (size_t)sysconf(_SC_PAGESIZE);
  return size;
}

static size_t round_up(size_t bytes) {
  const size_t page = page_size();
  return (bytes + page - 1) / page * page;
}

/* Pages: header, untouchable, data, untouchable. */
static header* map(size_t inside) {
  const size_t page = page_size();
  char* base = mmap(NULL, inside + 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return NULL;
  if (mprotect(base, page, PROT_READ | PROT_WRITE) != 0 ||
      mprotect(base + 2 * page, inside, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, inside + 3 * page);
    return NULL;
  }
  return (header*)base;
}

static size_t inside_of(size_t size) {
  return round_up(size == 0 ? 1 : size);
}

/* NULL if none of this size is kept. */
static header* take(size_t inside) {
  if (inside > KEPT_PAGES * page_size() || atomic_flag_test_and_set(&locked)) return NULL;
  header** list = &kept[inside / page_size()];
  header* found = *list;
  if (found != NULL) {
    *list = found->next;
    kept_bytes -= inside;
  }
  atomic_flag_clear(&locked);
  return found;
}

/* 0 if it must be unmapped. */
static int keep(header* base, size_t inside) {
  if (inside > KEPT_PAGES * page_size() || atomic_flag_test_and_set(&locked)) return 0;
  const int fits = kept_bytes + inside <= KEPT_BYTES;
  if (fits) {
    header** list = &kept[inside / page_size()];
    base->next = *list;
    *list = base;
    kept_bytes += inside;
  }
  atomic_flag_clear(&locked);
  return fits;
}

static void* allocate_filled(size_t size, int byte) {
  const size_t page = page_size();
  if (size > SIZE_MAX / 2) return NULL;
  const size_t inside = inside_of(size);
  header* base = take(inside);
  const int is_zero = base == NULL; /* memory of mmap */
  if (base == NULL) base = map(inside);
  if (base == NULL) return NULL;
  base->size = size;
  /* An array without elements asks for one byte, and its address must suit any type. */
  const int before = atomic_fetch_add(&allocations, 1) % 2 == 0 && size > 1;
  char* data = (char*)base + 2 * page + (before ? inside - size : 0);
  if (!is_zero || byte != 0) memset(data, byte, size);
  return data;
}

static void* allocate(void* context, size_t size) {
  (void)context;
  return allocate_filled(size, PATTERN);
}

static header* base_of(void* data) {
  const size_t page = page_size();
  return (header*)((uintptr_t)data / page * page - 2 * page);
}

static void release(void* context, void* data, size_t size) {
  (void)context;
  (void)size;
  if (data == NULL) return;
  header* base = base_of(data);
  const size_t inside = inside_of(base->size);
  if (!keep(base, inside)) munmap(base, inside + 3 * page_size());
}

static void* allocate_zeroed(void* context, size_t count, size_t size) {
  (void)context;
  if (size != 0 && count > SIZE_MAX / size) return NULL;
  return allocate_filled(count * size, 0);
}

static void* reallocate(void* context, void* data, size_t size) {
  void* moved = allocate(context, size);
  if (moved == NULL || data == NULL) return moved;
  const size_t before = base_of(data)->size;
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
