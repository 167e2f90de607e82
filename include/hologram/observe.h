/* Counts and traces of the library's work in this process. The C++ interface is observe.hpp.
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
 * "launches" has a row for each engine; of these, "launches_on_threads" were spread over several
 * and "launches_checked" ran with their accesses checked. A launch that faulted or was stopped is
 * one that ran. "launches_by_reason" has a row for each way out of the usual. "elements" are those
 * of the largest array of each launch, "bytes" those of all its arrays, "chunks" what threads have
 * run. */

typedef struct hologram_metrics hologram_metrics;

typedef struct hologram_metric {
  const char* name;   /* "launches", "elements", "cache_hits" */
  const char* engine; /* of launches: "cpu", "interpreter", "library", "opencl", "cuda"; else "" */
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

/* ---- Traces
 *
 * A trace has a span for what the library does, from when to when, with named facts: "load",
 * "find", "verify", "compile", "cache", "launch" (kernel, engine and reason, grid, block, bytes,
 * threads), "chunk" (of each thread), "copy" (of arrays), "pipeline" (its launches are spans
 * inside), "stream", "pool", "device" (the wait for it), "queue" (what a device has done, on a row
 * of its own with a number that no thread has) and "user" for those of the application. Data of
 * arrays and values of scalars are never in it. One runs at a time. Each thread writes its spans
 * into 8 MiB of its own, without a lock; where there is no room, spans are dropped and counted.
 * While it runs, launches are not inlined. A child of fork has no trace. Any thread may call these
 * functions, but not from a callback of a trace. */

/* A file that Perfetto, Chrome and Speedscope read; an empty trace is written there at once, and
 * replaced at the stop, so that a path that cannot be written is an error now. Errors: a trace runs
 * already. The environment variable HOLOGRAM_TRACE starts one with the first executor; it is
 * written when the process ends, and an error of that goes to standard error. */
HOLOGRAM_API hologram_error* hologram_trace_start(const char* path);

typedef struct hologram_span_argument {
  const char* name;
  const char* text; /* NULL: it is a number */
  uint64_t number;
} hologram_span_argument;

typedef struct hologram_span {
  const char* name;        /* of the kernel, the file, or what the application calls it */
  const char* category;    /* "launch" */
  const char* thread_name; /* when the thread wrote its first span */
  uint64_t begin_ns;       /* since the trace was started */
  uint64_t duration_ns;
  uint32_t thread; /* as the system numbers them */
  size_t num_arguments;
  const hologram_span_argument* arguments;
} hologram_span;

/* Called with each span on the thread that flushes or stops the trace, those of one thread in the
 * order of their ends. The span lives as long as the call. It must not throw, and not call the
 * functions of traces. */
typedef void (*hologram_span_function)(void* context, const hologram_span* span);
/* A trace for an application that sends spans elsewhere. */
HOLOGRAM_API hologram_error* hologram_trace_start_callback(hologram_span_function take,
                                                           void* context);
/* Gives the callback what there is, which makes room; nothing for a file. Error: no trace runs. */
HOLOGRAM_API hologram_error* hologram_trace_flush(void);

typedef struct hologram_trace_summary {
  uint64_t spans;
  uint64_t dropped; /* there was no room for them */
} hologram_trace_summary;

/* Ends the trace and writes the file, or calls the callback with the rest. `summary` may be NULL.
 * Errors: no trace runs; the file cannot be written, and the trace is over. */
HOLOGRAM_API hologram_error* hologram_trace_stop(hologram_trace_summary* summary);
/* 1 while a trace runs. */
HOLOGRAM_API int32_t hologram_trace_is_on(void);

/* A span of the application: hologram_span_end takes what hologram_span_begin gave, 0 without a
 * trace, in which case it does nothing. Texts are copied, up to 200 bytes of each; arguments that
 * do not fit into 700 bytes are left out. */
HOLOGRAM_API uint64_t hologram_span_begin(void);
HOLOGRAM_API void hologram_span_end(uint64_t begun, const char* name,
                                    const hologram_span_argument* arguments, size_t count);
/* The place in the source that the next launch of this thread is called from; for bindings. */
HOLOGRAM_API void hologram_trace_caller(const char* file, uint32_t line);

/* ---- The machine
 *
 * The report of `hologram doctor` (docs/seeing.md) as text that hologram_text_destroy releases: the
 * processor, threads, clock, compiler, cache, devices and variables that decide how kernels run
 * here. With `with_test` not 0 fifty kernels are compiled and run on each engine, which takes some
 * seconds, and their results compared with published ones. `is_well`, which may be NULL, becomes 0
 * if a line begins with "BAD", else 1. Any thread. */
HOLOGRAM_API hologram_error* hologram_doctor(uint32_t with_test, char** text, int32_t* is_well);

/* ---- For callers that inline the launch (detail/launch.h) */

typedef struct hologram_inline_counts {
  uint64_t launches; /* less 1; all ones in a thread that has not joined */
  uint64_t bytes;    /* of their arrays, from callers that add them up, as Python does */
  uint64_t elements;
} hologram_inline_counts;

#if defined(__GNUC__)
#ifndef HOLOGRAM_TLS_MODEL /* of variables of a thread; src/tvmffi has another */
#define HOLOGRAM_TLS_MODEL "initial-exec"
#endif
/* Of this thread. */
extern HOLOGRAM_API __thread hologram_inline_counts hologram_inline_counts_of_thread
    __attribute__((tls_model(HOLOGRAM_TLS_MODEL)));
#endif
/* Called by a thread after its first inlined launch. */
HOLOGRAM_API void hologram_metrics_join(void);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_OBSERVE_H_ */
