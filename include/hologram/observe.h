/* What the library has done in this process: counts. The C++ interface is observe.hpp.
 * docs/seeing.md shows what they look like. Conventions are those of hologram.h. */
#ifndef HOLOGRAM_OBSERVE_H_
#define HOLOGRAM_OBSERVE_H_

#include "hologram.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Counts
 *
 * Launches are counted by each thread for itself, without a lock. Those that a C++ program inlines
 * (hologram.hpp) are counted too, but not their elements and bytes.
 *
 * "launches" has a row for each engine; of these, "launches_on_threads" were spread over several and
 * "launches_checked" ran with their accesses checked. A launch that faulted or was stopped is one
 * that ran. "launches_by_reason" has a row for each way out of the usual. "elements" are those of
 * the largest array of each launch, "bytes" those of all its arrays, "chunks" what threads have
 * run. */

typedef struct hologram_metrics hologram_metrics;

typedef struct hologram_metric {
  const char* name;   /* "launches", "elements", "cache_hits" */
  const char* engine; /* of launches: "cpu", "interpreter", "library", "opencl"; else "" */
  const char* reason; /* of "launches_by_reason": as in hologram_last_launch; else "" */
  uint64_t value;
} hologram_metric;

/* The counts up to now, since the library was loaded; a forked child goes on from those of its
 * parent. Launches that other threads make meanwhile may be in them or not. Any thread. The result
 * is released with hologram_metrics_destroy, and its texts live as long as it. */
HOLOGRAM_API hologram_error* hologram_metrics_read(hologram_metrics** metrics);
/* How many there are; 0 for NULL. */
HOLOGRAM_API size_t hologram_metrics_size(const hologram_metrics* metrics);
/* NULL if there is no such one. They are in the order of the table in docs/seeing.md, reasons last,
 * and later versions may add some: look for names. */
HOLOGRAM_API const hologram_metric* hologram_metrics_at(const hologram_metrics* metrics,
                                                        size_t index);
/* Releases them with their texts. */
HOLOGRAM_API void hologram_metrics_destroy(hologram_metrics* metrics);

/* ---- For callers that inline the launch (detail/launch.h) */

typedef struct hologram_inline_counts {
  uint64_t launches; /* less 1; all ones in a thread that has not joined */
  uint64_t bytes;    /* of their arrays, from callers that add them up, as Python does */
  uint64_t elements;
} hologram_inline_counts;

#if defined(__GNUC__)
/* Of this thread. */
extern HOLOGRAM_API __thread hologram_inline_counts hologram_inline_counts_of_thread
    __attribute__((tls_model("initial-exec")));
#endif
/* Called by a thread after its first inlined launch. */
HOLOGRAM_API void hologram_metrics_join(void);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_OBSERVE_H_ */
