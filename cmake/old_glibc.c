/* What static libraries of a newer system ask of its glibc, for HOLOGRAM_PORTABLE. Hidden: no other
 * library sees these. Declarations are those of the system that builds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

#if __GLIBC_PREREQ(2, 36)
/* std::random_device of libstdc++ 12 calls it. It cannot report that there is no randomness, so
 * neither does this. */
HIDDEN uint32_t arc4random(void) {
  uint32_t number;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}
#endif

#if __GLIBC_PREREQ(2, 35)
struct search {
  uintptr_t address;
  struct dl_find_object* result;
};

static int look_into(struct dl_phdr_info* object, size_t size, void* user) {
  const struct search* search = user;
  uintptr_t first = UINTPTR_MAX, end = 0, frames = 0;
  int is_inside = 0;
  (void)size;
  for (size_t k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[k];
    const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_GNU_EH_FRAME) frames = start;
    if (segment->p_type != PT_LOAD) continue;
    if (start < first) first = start;
    if (start + segment->p_memsz > end) end = start + segment->p_memsz;
    if (search->address - start < segment->p_memsz) is_inside = 1;
  }
  if (!is_inside || frames == 0) return 0;
  search->result->dlfo_map_start = (void*)first;
  search->result->dlfo_map_end = (void*)end;
  search->result->dlfo_eh_frame = (void*)frames;
  return 1;
}

/* The unwinder of libgcc 12 finds the tables of a function by it. What it does not read (the link
 * map) stays null. */
HIDDEN int _dl_find_object(void* address, struct dl_find_object* result) {
  struct search search = {(uintptr_t)address, result};
  memset(result, 0, sizeof *result);
  return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
#endif
