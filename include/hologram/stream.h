/* Pools and streams: kernels over arrays that are larger than memory (docs/scale.md). Windows of
 * the arrays are read, launched and written, each in its turn, in memory of a fixed size. The
 * conventions are those of hologram.h. */
#ifndef HOLOGRAM_STREAM_H_
#define HOLOGRAM_STREAM_H_

#include <stdint.h>

#include "hologram.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pools: memory of a fixed size. One pool is for one stream, or one thread, at a time. */

typedef struct hologram_pool hologram_pool;

/* Zeros at a multiple of 64 bytes; a pool never moves or grows. Errors: no bytes; RESOURCE_LIMIT.
 */
HOLOGRAM_API hologram_error* hologram_pool_create(uint64_t bytes, hologram_pool** pool);
/* Releases a pool. REQUIRES: no stream uses it. */
HOLOGRAM_API void hologram_pool_destroy(hologram_pool* pool);
/* The memory, to read and to write, as long as the pool lives; NULL for NULL. */
HOLOGRAM_API void* hologram_pool_data(const hologram_pool* pool);
/* Its bytes; 0 for NULL. */
HOLOGRAM_API uint64_t hologram_pool_size(const hologram_pool* pool);
/* Copies bytes into a pool, and out of it. INVALID_ARGUMENT with both numbers if they are not all
 * inside; nothing is copied then. */
HOLOGRAM_API hologram_error* hologram_pool_copy_to(hologram_pool* pool, uint64_t offset,
                                                   const void* data, uint64_t bytes);
HOLOGRAM_API hologram_error* hologram_pool_copy_from(const hologram_pool* pool, uint64_t offset,
                                                     void* data, uint64_t bytes);

/* ---- Streams: the arrays of one launch, in windows. Several may run at once, in threads of their
 * own, on places and pools that they do not share. */

/* Where the elements of an array come from or go to: the first of these that is set. */
typedef struct hologram_place {
  /* A file. One that is written appears under its name when all is written; before, it has another
   * name beside it, and after an error it is gone. */
  const char* path;
  /* The byte that the first element is at, of a file that is read; of a descriptor, too. */
  uint64_t offset;
  /* The bytes of a file that is written before its first element. */
  const void* header;
  uint64_t header_bytes;
  /* Reads up to `bytes` bytes and gives their number, 0 at the end, or an errno, negative. Called
   * by one thread, which need not be the caller's. */
  int64_t (*read)(void* context, void* data, uint64_t bytes);
  /* All bytes; 0, or an errno, negative. */
  int32_t (*write)(void* context, const void* data, uint64_t bytes);
  /* The first argument of `read` and `write`. */
  void* context;
  /* Memory, which is copied: of all elements. */
  void* memory;
  /* A descriptor, which is borrowed; with `sequential` not 0, or where it cannot seek, from where
   * it is. */
  int32_t descriptor;
  uint32_t sequential;
} hologram_place;

/* The length of an array that is read until its end. The kernel may then index with its id alone,
 * and compare it with a length, which is a scalar whose argument is not looked at. */
#define HOLOGRAM_UNTIL_END UINT64_MAX

/* One buffer of the kernel. Neither place: its argument is the whole array, in memory. Both: what
 * is read is written again, with what the kernel has changed. */
typedef struct hologram_flow {
  const hologram_place* source; /* NULL: it is only written */
  const hologram_place* sink;   /* NULL: it is only read */
  uint64_t extent;              /* elements, or HOLOGRAM_UNTIL_END */
} hologram_flow;

/* The work of a stream: at its end, or so far. Times and counts
 * never go back. */
typedef struct hologram_streamed {
  uint64_t elements;      /* of the longest array so far */
  uint64_t windows;       /* that were launched */
  uint64_t bytes_read;    /* from all sources together */
  uint64_t bytes_written; /* to all sinks together, zeros that no lane wrote included */
  uint64_t pool_bytes;    /* of all windows, allocated before the first byte is read */
  double seconds;         /* since the run began */
  double reading;         /* seconds that each was at work, one beside the other */
  double computing;       /* launches, and zeros before them */
  double writing;         /* without waiting for windows */
} hologram_streamed;

/* All zeros is the default. */
typedef struct hologram_stream_config {
  uint64_t window; /* bytes of the inputs of a window together; 0: 1 MiB, or what fits the pool */
  uint64_t depth;  /* windows that are in memory at once; 0: 3 */
  hologram_pool* pool; /* where they are; NULL: memory of this run */
  /* Called by the caller's thread, some times a second; not 0 stops the stream: CANCELLED. */
  int32_t (*progress)(void* context, const hologram_streamed* now);
  void* context;        /* its first argument */
  uint64_t reserved[4]; /* 0: for what later versions may ask */
} hologram_stream_config;

/* Streams arrays through a kernel. `arguments` and `shapes` as for hologram_kernel_launch_window;
 * `flows` has one for each buffer. Elements that no lane writes are 0. Bits are those of one launch
 * of the whole, for every window, depth and kind of place.
 *
 * The error is the first in the order of the stream: of a read, a launch or a write; windows before
 * it are written, and none after it. An array that ends early, or in the middle of an element, is
 * INVALID_ARGUMENT, as is one that the kernel may touch anywhere; a pool that is too small is
 * RESOURCE_LIMIT with the bytes that are needed. `streamed` may be NULL. */
HOLOGRAM_API hologram_error* hologram_stream_run(
    const hologram_kernel* kernel, const hologram_argument* arguments,
    const hologram_array_shape* const* shapes, size_t count, const hologram_launch_config* launch,
    const hologram_flow* flows, const hologram_stream_config* config, hologram_streamed* streamed);

/* The same with a function of the caller in place of a kernel: elements of all arrays go side by
 * side. `step` gets the memory of a window of each, and how many elements of each there are: a
 * multiple of `row`, but in the last window. It is called by the caller's thread; what it gives
 * other than 0 stops the stream: CANCELLED. `types` has the element type of each array, HOLOGRAM_I8
 * to HOLOGRAM_F64, `names` what messages call it. Arrays are read, or written, or both. */
typedef int32_t (*hologram_stream_step)(void* context, void* const* windows, uint64_t elements);
HOLOGRAM_API hologram_error* hologram_stream_apply(hologram_stream_step step, void* context,
                                                   const uint32_t* types, const char* const* names,
                                                   const hologram_flow* flows, size_t count,
                                                   uint64_t row,
                                                   const hologram_stream_config* config,
                                                   hologram_streamed* streamed);

/* Whether a kernel is computed element by element: it indexes with its id alone, and compares that
 * with one length alone. A launch of one is as good as launches of its parts, each as arrays of its
 * own, on any engine. `length` gets the number of the parameter that is the length. UNSUPPORTED for
 * other kernels, and for those that print, have atomic updates, shared memory or a stream. */
HOLOGRAM_API hologram_error* hologram_kernel_pointwise_length(const hologram_kernel* kernel,
                                                              uint32_t* length);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_STREAM_H_ */
