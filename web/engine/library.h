/* The module of Python programs has these calls beside the interface of the page (engine.h): those
 * parts of libhologram that the package's own binding takes (web/native). Texts and errors are as
 * there. */
#ifndef HOLOGRAM_WEB_LIBRARY_H_
#define HOLOGRAM_WEB_LIBRARY_H_

#include "engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bundle, whose programs are verified when they are looked for: a number above 0. Text: a JSON
 * object with its trust_hash and the names of its kernels. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_open)(const uint8_t* bytes, size_t size);
void HOLOGRAM_WEB_EXPORT(hologram_web_close)(int32_t bundle);
/* One kernel of it as a module. Text: {"id": ..., "arguments": ..., "uses_stream": ...}: what
 * Python callers give, and whether launches leave something to the next one. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_find)(int32_t bundle, const char* name, size_t size);
/* Text: the bytes of a bundle of the kernels of a text, verified. `form`: "json", "asm", or
 * "circuit", whose kernel is called `entry`. `constants`: pairs of names and values, each with a
 * zero behind it. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_bundle)(const char* form, size_t form_size,
                                                 const char* text, size_t size, const char* file,
                                                 size_t file_size, const char* entry,
                                                 size_t entry_size, const char* constants,
                                                 size_t constants_size);
/* Text: the warnings of the last bundle, as errors. */
void HOLOGRAM_WEB_EXPORT(hologram_web_warnings)(void);
/* Text: the numbers of classes, of pages of each and of bytes of a page, and of the lanes of a
 * block by default: {"classes": ..., "pages": ..., "bytes": ..., "block": ...}. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_atlas)(void);
/* Text: {"circuit": ..., "numbers": [...]}: a circuit with a header in its canonical form, and
 * which of its outputs are numbers. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_canonical)(const char* text, size_t size);

/* The numbers of modules whose first kernels are those of a step of an operation and a type, in
 * this order; 0: there is none. */
typedef struct hologram_web_steps {
  int32_t kernels[10][12];
} hologram_web_steps;
typedef struct hologram_web_reduction {
  void* x;
  const void* y; /* NULL: there is one array */
  void* out;
  uint32_t code;
  uint32_t rank;
  uint64_t axes; /* bit d: dimension d */
  uint64_t numbers[2];
  uint32_t num_numbers;
  uint32_t finds_indices;
  const int64_t* extents;
  const int64_t* strides; /* in bytes */
} hologram_web_reduction;
/* hologram::detail::reduce, and multiply on three matrices and the eight numbers of a product. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_reduce)(const hologram_web_steps* steps,
                                                 const hologram_web_reduction* reduction);
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_multiply)(const hologram_web_steps* steps,
                                                   const hologram_buffer_ref* matrices,
                                                   const uint32_t* numbers, uint32_t code);

/* Launches in parts, as hologram_kernel_units, _reach and _launch_window, of the first kernel of a
 * module. Of whole arrays there are bytes and no address. Texts: [unit, units]; for each array
 * [kind, low, high, written_low, written_high]; LaunchJson. The window has no extents: they are
 * those of the arguments; `memory` has the part of each array. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_units)(int32_t module, const hologram_argument* arguments,
                                                const hologram_array_shape* const* shapes,
                                                size_t count, const hologram_launch_config* config);
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_reach)(int32_t module, const hologram_argument* arguments,
                                                const hologram_array_shape* const* shapes,
                                                size_t count, const hologram_launch_config* config,
                                                const hologram_window* window);
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_launch_window)(
    int32_t module, const hologram_argument* arguments, const hologram_array_shape* const* shapes,
    size_t count, const hologram_launch_config* config, const hologram_window* window,
    const hologram_buffer_ref* memory);
typedef struct hologram_web_stream {
  uint64_t window_bytes; /* 0: as a run that does not say, and so of depth */
  uint64_t depth;
  uint64_t moves; /* bit b: of array b, windows are in memory */
  uint64_t reads; /* bit b: it comes from somewhere */
} hologram_web_stream;
/* Text: [units, step, count, pool_bytes], a plan (stream/plan.h). */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_plan)(int32_t module, const hologram_argument* arguments,
                                               const hologram_array_shape* const* shapes,
                                               size_t count, const hologram_launch_config* config,
                                               const hologram_web_stream* stream);
/* The same for a function on elements, or on rows of them, of arrays with elements of these bytes:
 * stream::PlanApart. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_plan_apart)(const uint64_t* sizes, size_t count,
                                                     uint64_t length, uint64_t row,
                                                     const hologram_web_stream* given);

/* A call of the cycle model (cycle.cc) with these numbers, on a state if the number is not 0. Text:
 * the answer, or {"error": [kind, actual, expected, message]}. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_cycle)(const char* name, size_t size, int32_t state,
                                                const int64_t* numbers, size_t count);
/* A call of the simulator of circuits (qsim.cc): "state", "counts", "svg", "sizes". Text: JSON, an
 * SVG, or the bytes of amplitudes. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_qsim)(const char* name, size_t size, const char* text,
                                               size_t text_size, const char* file, size_t file_size,
                                               uint32_t shots, uint32_t seed_low,
                                               uint32_t seed_high, uint32_t is_single,
                                               uint32_t fuse);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_WEB_LIBRARY_H_ */
