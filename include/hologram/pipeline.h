/* Pipelines: several launches as one unit, with named inputs and outputs, which is run with one
 * call, saved in a .holo file and loaded again. docs/pipelines.md describes what is recorded. The
 * C++ interface is pipeline.hpp. Conventions are those of hologram.h. */
#ifndef HOLOGRAM_PIPELINE_H_
#define HOLOGRAM_PIPELINE_H_

#include "hologram.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hologram_capture hologram_capture;
typedef struct hologram_pipeline hologram_pipeline;

/* An input or an output: its elements are side by side, without gaps. */
typedef struct hologram_pipeline_array {
  const char* name;
  uint32_t type;      /* HOLOGRAM_I8 to HOLOGRAM_F64 */
  uint32_t direction; /* HOLOGRAM_IN or HOLOGRAM_OUT */
  uint32_t rank;      /* 0 to HOLOGRAM_MAX_RANK; 0: one element */
  uint64_t extents[HOLOGRAM_MAX_RANK];
} hologram_pipeline_array;

/* ---- Recording
 *
 * From hologram_capture_begin on, launches of the calling thread run as always and are recorded
 * too, those of operations included. Arrays of the capture are memory: what a launch has written is
 * an intermediate result, what it reads and no launch has written is a constant, whose bytes are
 * copied. Inputs and outputs are said. A launch that cannot be recorded fails, and all that follow:
 * one that prints, uses the state of its executor, is nondeterministic, reads an array that
 * something else than a launch has changed, or writes one that it reads and no launch has filled.
 * Memory of inputs, outputs and results stays where it is until the end. */

enum {
  /* Results of launches are known to stay only where hologram_capture_keep was given them; other
   * memory may be given back meanwhile, and be a constant then. Without it, all results stay. */
  HOLOGRAM_CAPTURE_KEPT = 1,
  /* Each launch stays one of the pipeline. Without it, launches become parts of others at the end,
   * with the same bits, where the compiler plugin is there (docs/pipelines.md). */
  HOLOGRAM_CAPTURE_SEPARATE = 2
};

/* Error: this thread has a capture. All functions of a capture are for the thread that began it. */
HOLOGRAM_API hologram_error* hologram_capture_begin(const char* name, uint32_t flags,
                                                    hologram_capture** capture);
/* An input, before the first launch that reads it; or an output, after a launch has written all of
 * it. In this order they are the arguments of a run, inputs first. */
HOLOGRAM_API hologram_error* hologram_capture_array(hologram_capture* capture,
                                                    const hologram_pipeline_array* array,
                                                    const void* data);
/* Memory for results, or of one, that stays until the end. */
HOLOGRAM_API hologram_error* hologram_capture_keep(hologram_capture* capture, const void* data,
                                                   size_t size);
/* Memory of one operation between its launches: `begins` is 1 before the first of them, and 0 when
 * the operation gives it back or uses it again. For operations that are recorded; nothing where
 * this thread has no capture. */
HOLOGRAM_API void hologram_capture_scratch(const void* data, size_t size, int begins);
/* Ends the capture, of which only hologram_capture_destroy is left, and verifies what was recorded
 * as a whole. */
HOLOGRAM_API hologram_error* hologram_capture_end(hologram_capture* capture,
                                                  hologram_pipeline** pipeline);
/* Ends a capture that has not ended. Any thread. */
HOLOGRAM_API void hologram_capture_destroy(hologram_capture* capture);

/* ---- Files */

/* A bundle of the kernels, once each, and the pipeline. `levels` as for hologram_bundle_compile. */
HOLOGRAM_API hologram_error* hologram_pipeline_bundle(const hologram_pipeline* pipeline,
                                                      const char* levels, hologram_bundle** bundle);
/* The pipeline of a file or of memory, which is copied, verified as a whole. Its kernels belong to
 * the executor, which need not outlive it, and are not found there by name. `expect` as for
 * hologram_executor_load_file. Error: NOT_FOUND without a pipeline. */
HOLOGRAM_API hologram_error* hologram_pipeline_load_file(hologram_executor* executor,
                                                         const char* path, const char* expect,
                                                         hologram_pipeline** pipeline);
HOLOGRAM_API hologram_error* hologram_pipeline_load_memory(hologram_executor* executor,
                                                           const void* data, size_t size,
                                                           const char* expect,
                                                           hologram_pipeline** pipeline);

/* ---- Running */

/* Runs all launches. Arguments are buffers, one for each array in the order of
 * hologram_pipeline_array_at, with exactly its type and bytes. Errors name the array; after those
 * of a launch, outputs may hold anything. Nothing is allocated, if the launches allocate nothing.
 * Any thread; runs of one pipeline wait for each other, as they share its memory. */
HOLOGRAM_API hologram_error* hologram_pipeline_run(const hologram_pipeline* pipeline,
                                                   const hologram_argument* arguments,
                                                   size_t count);
HOLOGRAM_API const char* hologram_pipeline_name(const hologram_pipeline* pipeline);
HOLOGRAM_API size_t hologram_pipeline_num_arrays(const hologram_pipeline* pipeline);
/* NULL if there is no such array. */
HOLOGRAM_API const hologram_pipeline_array* hologram_pipeline_array_at(
    const hologram_pipeline* pipeline, size_t index);
/* Bytes of all memory that a run touches. */
HOLOGRAM_API uint64_t hologram_pipeline_bytes(const hologram_pipeline* pipeline);
/* 1: a run will hardly take 10 ms; 0: it may, or that is not known. */
HOLOGRAM_API int32_t hologram_pipeline_is_short(const hologram_pipeline* pipeline);
/* As `hologram inspect` prints it, in lines. */
HOLOGRAM_API const char* hologram_pipeline_text(const hologram_pipeline* pipeline);
/* REQUIRES: no run of it. */
HOLOGRAM_API void hologram_pipeline_destroy(hologram_pipeline* pipeline);

/* As hologram_kernel_cancel, for the executors of all its kernels. */
HOLOGRAM_API void hologram_pipeline_cancel(const hologram_pipeline* pipeline);
HOLOGRAM_API void hologram_pipeline_resume(const hologram_pipeline* pipeline);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_PIPELINE_H_ */
