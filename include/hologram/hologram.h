/* hologram: load verified kernels and launch them. The only binary interface of libhologram; the
 * C++ interface hologram.hpp is a header over it.
 *
 * Conventions
 *  1. Functions that can fail return a hologram_error*: NULL is success, anything else is released
 *     with hologram_error_destroy. On failure, output arguments are left alone.
 *  2. Handles are opaque. Each is released by its own _destroy. A kernel stays usable after its
 *     executor is gone.
 *  3. Strings that are returned belong to the handle that returned them.
 *  4. A kernel may be launched from several threads at once on disjoint memory, and an executor
 *     asked for kernels, given search paths and listed by several. All other functions on one
 * handle need the caller's own locking.
 *  5. A pointer that is NULL is HOLOGRAM_ERROR_INVALID_ARGUMENT with the name of the argument,
 * unless it is said that it may be. An array may be NULL where its count or size is 0. Functions
 * that give no error do nothing for a handle that is NULL, and give 0, "" or NULL, or what is said.
 *     Memory that is not NULL is as large as is said of it, and handles are not used after
 * _destroy.
 *  6. Nothing is thrown. Without memory, or without a thread that it needs, a function gives
 *     HOLOGRAM_ERROR_RESOURCE_LIMIT; what was loaded before stays usable, and the next call may
 *     succeed. A kernel that could not be compiled is interpreted. The compiler plugin sets memory
 *     aside before it compiles, 32 MiB of address space and as much for each thousand instructions,
 *     of which only what it needs is used; where all other memory and that run out, it is not used
 *     again in the process.
 *  7. The library never exits, and prints nothing but what kernels print, and that only if the
 *     application does not take it (hologram_executor_set_print).
 *  8. Large launches of native code are spread over threads of the library; results never depend
 *     on how many. There are none before the first such launch, they are shared by all executors
 *     and sleep when idle, they take no signals, and they end when the process exits or the library
 *     is unloaded. A child after fork() may do everything, and starts its own: a fork waits for
 *     kernels that other threads load or compile, and not for their launches, of which the child
 *     finds the memory as it was.
 *  9. Native code keeps shared memory (up to 48 KiB), local arrays (up to 1 MiB for a block that
 *     has barriers) and values that live across barriers (up to 8 KiB each) on the stack of the
 *     thread that launches: with such kernels it should have 4 MiB, the 8 MiB that threads have by
 *     default are enough. */
#ifndef HOLOGRAM_HOLOGRAM_H_
#define HOLOGRAM_HOLOGRAM_H_

#include <stddef.h>
#include <stdint.h>

#include "native_abi.h"

#if defined(__GNUC__)
#define HOLOGRAM_API __attribute__((visibility("default")))
#else
#define HOLOGRAM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Handles. See the functions that make them. */
typedef struct hologram_error hologram_error;
typedef struct hologram_executor hologram_executor;
typedef struct hologram_kernel hologram_kernel;
typedef struct hologram_bundle hologram_bundle;

/* The version of the library that is loaded, "0.1.0"; the text lives as long as that. */
HOLOGRAM_API const char* hologram_version(void);
/* 1: there is "compiler" (the plugin that makes native code; it is loaded), "cuda" (launches on an
 * NVIDIA device). 0: there is not. -1: no version up to this one knows such a feature, or it is
 * NULL. */
HOLOGRAM_API int32_t hologram_has_feature(const char* name);

/* A device that an engine of devices has found, or an engine without a library, then without a
 * name. Its texts live as long as the library. */
typedef struct {
  const char* engine;  /* "cuda", "opencl" or a registered one (engine.h) */
  const char* name;    /* "NVIDIA H100, sm_90" */
  const char* driver;  /* its version */
  const char* why_not; /* empty: launches may run there; else why none does (docs/devices.md) */
} hologram_device;
/* How many there are; the first call finds them, and runs a kernel on each to see its bits. Those
 * of engines that are registered later are behind the others. */
HOLOGRAM_API size_t hologram_device_count(void);
/* NULL from the count on. An engine uses its first GPU without a why_not, else its first other one.
 */
HOLOGRAM_API const hologram_device* hologram_device_at(size_t index);

/* ---- Errors */

enum {
  /* A text that cannot be parsed: a circuit, a signature. */
  HOLOGRAM_ERROR_INVALID_TEXT = 1,
  HOLOGRAM_ERROR_INVALID_KERNEL = 2,

  /* A program that the verifier refuses, and a file that is not a bundle, damaged, or has another
   * hash. */
  HOLOGRAM_ERROR_INVALID_PROGRAM = 3,
  HOLOGRAM_ERROR_INVALID_BUNDLE = 4,
  /* Arguments that a function, or the parameters of a kernel, do not allow; nothing was done. */
  HOLOGRAM_ERROR_INVALID_ARGUMENT = 5,
  HOLOGRAM_ERROR_FAULT = 6, /* the kernel faulted; written buffers may hold part of the results */
  /* A file, a folder, or a kernel that is not there. */
  HOLOGRAM_ERROR_NOT_FOUND = 7,
  /* Missing in this build or machine: the compiler plugin, a backend. */
  HOLOGRAM_ERROR_UNSUPPORTED = 8,
  /* No memory, no thread, no free class, a limit that is reached. */
  HOLOGRAM_ERROR_RESOURCE_LIMIT = 9,
  HOLOGRAM_ERROR_INTERNAL = 10, /* a mistake of this library */
  HOLOGRAM_ERROR_CANCELLED = 11 /* hologram_cancel; written buffers may hold anything */
};

/* HOLOGRAM_ERROR_*; 0 for NULL, which is success. Of several errors code, message and place are
 * those of the first. Texts live as long as the error. */
HOLOGRAM_API int32_t hologram_error_code(const hologram_error* error);
/* The message without its place: "src[i + 2] reads element 500 of 500 (i = 498)". */
HOLOGRAM_API const char* hologram_error_message(const hologram_error* error);
/* All of it: "blur.py:12:18: error: src[i + 2] ..."; several errors are on lines of their own. */
HOLOGRAM_API const char* hologram_error_text(const hologram_error* error);
HOLOGRAM_API const char* hologram_error_file(const hologram_error* error); /* "": no place */
HOLOGRAM_API uint32_t hologram_error_line(const hologram_error* error);    /* 1-based; 0: none */
HOLOGRAM_API uint32_t hologram_error_column(const hologram_error* error);
/* Releases an error with its texts and its fault. */
HOLOGRAM_API void hologram_error_destroy(hologram_error* error);

/* A register whose value made an instruction fault. */
typedef struct hologram_fault_operand {
  const char* name; /* of the source variable in it; "": none is known */
  uint32_t reg;
  const char* type;  /* "i32" */
  uint64_t bits;     /* of the value, zero-extended */
  const char* value; /* as text: "-7" */
} hologram_fault_operand;

/* A fault of a lane, the same on every engine. */
typedef struct hologram_fault {
  uint32_t code;        /* HOLOGRAM_FAULT_* of native_abi.h */
  uint32_t instruction; /* its number in the program */
  uint64_t lane;        /* linear, in the launch */
  uint32_t block[3];
  uint32_t lane_in_block[3];
  int64_t index;   /* of an access out of bounds: its element, modulo 2^64; else 0 */
  uint64_t extent; /* and the number of elements; else 0 */
  size_t num_operands;
  /* Both operands of a division; the register of the index of an access; of instructions of the
   * Atlas what decides: classes, pages, pools, offsets, what is added. None: a budget, a depth of
   * calls, a pool that is too large. */
  const hologram_fault_operand* operands;
} hologram_fault;

/* Details of a HOLOGRAM_ERROR_FAULT; it lives as long as the error. NULL: another error, or a
 * launch that failed without a fault of a lane. */
HOLOGRAM_API const hologram_fault* hologram_error_fault(const hologram_error* error);

/* ---- Executor: the kernels that a program has loaded, by name */

/* Besides what it loads, the executor finds what docs/registry.md describes: kernels in the folders
 * that the environment variable HOLOGRAM_KERNEL_PATH names; in the folder `kernels` beside the
 * running executable; and, under names that are nowhere else, in the standard library. */
HOLOGRAM_API hologram_error* hologram_executor_create(hologram_executor** executor);
/* A private executor, which has only the kernels that are loaded into it: for libraries with
 * kernels of their own. */
HOLOGRAM_API hologram_error* hologram_executor_create_private(hologram_executor** executor);

/* Releases it. Kernels and buffers of its classes stay usable; what its kernels print goes to
 * standard error from then on. No other thread may use the executor, nor cancel it. */
HOLOGRAM_API void hologram_executor_destroy(hologram_executor* executor);

/* Loads a bundle; its programs are verified. `expect` is the trust hash that the application
 * vouches for (64 hex digits, as `hologram inspect` prints it), or NULL. Only with it the native
 * code in the bundle is used, and then each program is read and verified when its kernel is first
 * asked for; if it was compiled for another version of the native ABI it is not, and
 * hologram_kernel_note gives the reason. A bundle whose hash differs is refused. Kernels with the
 * names of earlier ones replace them. */
HOLOGRAM_API hologram_error* hologram_executor_load_file(hologram_executor* executor,
                                                         const char* path, const char* expect);
/* The same, with a file in the folder of the running executable. */
HOLOGRAM_API hologram_error* hologram_executor_load_beside(hologram_executor* executor,
                                                           const char* file, const char* expect);
/* The same, with the standard library: the file that the environment variable HOLOGRAM_STDLIB
 * names, else hologram/stdlib.holo beside libhologram, else stdlib.holo beside the running
 * executable. Its kernels are built-in: one of the same name from anywhere else beats them. */
HOLOGRAM_API hologram_error* hologram_executor_load_standard(hologram_executor* executor,
                                                             const char* expect);
/* The same from memory, which is copied. */
HOLOGRAM_API hologram_error* hologram_executor_load_memory(hologram_executor* executor,
                                                           const void* data, size_t size,
                                                           const char* expect);

/* Compiles a circuit with a header (docs/sigmatics.md) to a kernel called `name`:
 *   "(f32 c00, f32 $a) -> (f32 c01) over n merge:mul@c00[$a,c01]"
 * Its parameters are the inputs in their order, the outputs that are not inputs, and the size as
 * u32, under the names of the text. Equal canonical circuits have equal hologram_kernel_id. Needs
 * the compiler plugin: without it HOLOGRAM_ERROR_UNSUPPORTED. Errors of the text have a line and a
 * column. */
HOLOGRAM_API hologram_error* hologram_executor_load_circuit(hologram_executor* executor,
                                                            const char* circuit, const char* name);

/* The same of memory that is not copied and stays as it is until the process ends: the constexpr
 * `bundle` of a header that hologram_add_kernels(... EMBED) writes. With `expect`, only header and
 * table are looked at; each program is read where it is when its kernel is first asked for. */
HOLOGRAM_API hologram_error* hologram_executor_load_static(hologram_executor* executor,
                                                           const void* data, size_t size,
                                                           const char* expect);

/* ---- Writing bundles, for hologram_executor_load_* of this program or of another
 *
 * `levels` names the processors for which a bundle has native code: any of v2, v3, v4 (of x86-64)
 * and aarch64 with commas between them, or "none"; NULL: "v3,v4", in a library for AArch64
 * "aarch64". Native code needs the compiler plugin: without it, and for a kernel that the plugin
 * does not compile, HOLOGRAM_ERROR_UNSUPPORTED. Programs are verified; several are compiled side by
 * side. Equal input gives equal bytes. A result is released with hologram_bundle_destroy. */

/* Another bundle of the same programs. Native code that `data` has is left out: it is unknown what
 * it does. */
HOLOGRAM_API hologram_error* hologram_bundle_compile(const void* data, size_t size,
                                                     const char* levels, hologram_bundle** bundle);
/* All kernels of a kernel JSON document (docs/kernel-json.md). `file` is used in messages where the
 * document names no source. Needs the compiler plugin for every `levels`. Errors of the document
 * have a place. */
HOLOGRAM_API hologram_error* hologram_bundle_compile_json(const char* json, size_t size,
                                                          const char* file, const char* levels,
                                                          hologram_bundle** bundle);
/* All programs of a text in assembly (docs/assembly.md), which messages call `file`: errors of the
 * text, HOLOGRAM_ERROR_INVALID_TEXT, have lines and columns. */
HOLOGRAM_API hologram_error* hologram_bundle_compile_assembly(const char* text, size_t size,
                                                              const char* file, const char* levels,
                                                              hologram_bundle** bundle);
/* A circuit as a kernel called `name`, as hologram_executor_load_circuit. */
HOLOGRAM_API hologram_error* hologram_bundle_compile_circuit(const char* circuit, const char* name,
                                                             const char* levels,
                                                             hologram_bundle** bundle);
/* The bytes of the file. They belong to the bundle. */
HOLOGRAM_API const void* hologram_bundle_data(const hologram_bundle* bundle);
HOLOGRAM_API size_t hologram_bundle_size(const hologram_bundle* bundle);
/* The hash that hologram_executor_load_file takes as `expect`: 64 hex digits. */
HOLOGRAM_API const char* hologram_bundle_trust_hash(const hologram_bundle* bundle);
/* Writes the file beside `path` and renames it, so that a reader never sees half of it. */
HOLOGRAM_API hologram_error* hologram_bundle_save(const hologram_bundle* bundle, const char* path);
HOLOGRAM_API void hologram_bundle_destroy(hologram_bundle* bundle);

/* A folder of the user. Every *.holo in it whose name does not begin with a dot gives kernels,
 * which beat those of the same name that were loaded. Each search looks at the files again and
 * reads those that are new or have changed. Native code in them is not used, but see
 * hologram_executor_trust. Folders that were added earlier come first, those of
 * HOLOGRAM_KERNEL_PATH before them. */
HOLOGRAM_API hologram_error* hologram_executor_add_directory(hologram_executor* executor,
                                                             const char* path);
/* The same, and kernels that were written by hand are loaded from it too: every *.so that exports
 * the functions of kernel_library.h. It is not verified. The folder and its libraries must
 * belong to the user of the process or to root, and no other user may write them. The environment
 * variable HOLOGRAM_NATIVE_KERNEL_PATH names such folders. */
HOLOGRAM_API hologram_error* hologram_executor_add_native_directory(hologram_executor* executor,
                                                                    const char* path);
/* The application vouches for every file that has this trust hash, whatever its name and place. */
HOLOGRAM_API hologram_error* hologram_executor_trust(hologram_executor* executor, const char* hash);

/* Where a kernel comes from. Of one name, the larger origin wins. */
enum { HOLOGRAM_ORIGIN_BUILT_IN = 0, HOLOGRAM_ORIGIN_BUNDLED = 1, HOLOGRAM_ORIGIN_USER = 2 };

typedef struct hologram_listed_kernel {
  const char* name;
  const char* id;          /* of the program, or the hash of a library; 64 hex digits */
  const char* file;        /* "": it came from memory */
  const char* shadowed_by; /* NULL: the one that a search gives; else the file of that one */
  uint32_t origin;         /* HOLOGRAM_ORIGIN_* */
} hologram_listed_kernel;

typedef struct hologram_listing hologram_listing;

/* All kernels there are, by name; of one name, the one that a search gives comes first. */
HOLOGRAM_API hologram_error* hologram_executor_list(hologram_executor* executor,
                                                    hologram_listing** listing);
HOLOGRAM_API size_t hologram_listing_num_kernels(const hologram_listing* listing);
/* NULL if there is no such kernel. */
HOLOGRAM_API const hologram_listed_kernel* hologram_listing_kernel(const hologram_listing* listing,
                                                                   size_t index);
/* Folders and files that could not be read, each with its name: "hologram: error: a.holo: ...". */
HOLOGRAM_API size_t hologram_listing_num_errors(const hologram_listing* listing);
HOLOGRAM_API const char* hologram_listing_error(const hologram_listing* listing, size_t index);
HOLOGRAM_API void hologram_listing_destroy(hologram_listing* listing);

/* Finds a kernel and gets it ready to run: trusted native code, else code made by the compiler
 * plugin if it is there, else the interpreter. hologram_kernel_path names it. The kernel stays
 * as it is when its file changes; the next search gives the new one. A file that had a kernel of
 * this name, or is called so, and cannot be read now is an error that names it. */
HOLOGRAM_API hologram_error* hologram_executor_kernel(hologram_executor* executor, const char* name,
                                                      hologram_kernel** kernel);

/* The most threads that may be asked for. */
#define HOLOGRAM_MAX_THREADS 1024

/* How many threads launches of kernels that hologram_executor_kernel finds for the first time from
 * now on may use, the calling one included: 1 to HOLOGRAM_MAX_THREADS, or 0, as at first, for
 * hologram_set_threads and the variables HOLOGRAM_NUM_THREADS and OMP_NUM_THREADS, and without them
 * the processors in the affinity mask of the process, as far as its control group has time for
 * them. Launches of less than about 20 microseconds stay on the calling thread, as do those in the
 * interpreter and those whose result may depend on order. */
HOLOGRAM_API hologram_error* hologram_executor_set_threads(hologram_executor* executor,
                                                           uint32_t threads);

/* How many threads launches of this process may use that have no number of their own, of a launch
 * or an executor: 1 to 1024, or 0, as at first, for HOLOGRAM_NUM_THREADS, else OMP_NUM_THREADS,
 * else the processors as above. Takes effect at once, also for kernels that are there. Bits do not
 * depend on it. */
HOLOGRAM_API hologram_error* hologram_set_threads(uint32_t threads);
/* The most that such launches from the calling thread use, and from it alone; 0, as at first: no
 * limit. For threads of a program that has one for each processor. Gives the limit before. */
HOLOGRAM_API uint32_t hologram_set_thread_limit(uint32_t threads);
/* How many a launch from the calling thread may use, by both of them. */
HOLOGRAM_API hologram_error* hologram_get_threads(uint32_t* threads);

/* With `tiered` not 0, kernels that hologram_executor_kernel finds for the first time from now on,
 * and that the compiler plugin has to compile, are given at once: they run in the interpreter, with
 * the same bits, until a thread of the library has compiled them. A launch that the interpreter
 * would take longer for than the compiler waits for the code, as do launches that ask for
 * HOLOGRAM_BACKEND_CPU. 0, as at first: hologram_executor_kernel waits. */
HOLOGRAM_API void hologram_executor_set_tiered(hologram_executor* executor, uint32_t tiered);

/* ---- Printing: a kernel that prints gives out its records when a launch is over, also when it
 * failed, in the order of lanes and in each lane of its steps, whatever the engine. A launch gives
 * out its first 10,000 records, and then one that counts the rest. */

typedef struct hologram_print_record {
  const char* kernel;
  const char* file; /* "": no place is known */
  uint32_t line;    /* 1-based; 0: none */
  uint32_t column;
  uint32_t is_note; /* not 0: a note that there were more; it has no lane */
  uint64_t lane;    /* linear, in the launch */
  uint32_t block[3];
  uint32_t lane_in_block[3];
  const char* text; /* what was printed, with its line ends; UTF-8, ends with a zero byte */
  size_t size;      /* bytes of it */
} hologram_print_record;

/* Called on the thread that launches, before the launch returns. The record lives as long as the
 * call. It must not launch a kernel that prints to the same executor, call a function that waits
 * for launches of it, nor throw. */
typedef void (*hologram_print_function)(void* context, const hologram_print_record* record);

/* Takes what the executor's kernels print, those that were found before included; NULL, as at
 * first: to standard error, a line "blur.py:12: [block 0 lane 3] x = 1.5" for each record, which is
 * also where it goes when the executor is gone. Waits for launches that are giving out records. */
HOLOGRAM_API void hologram_executor_set_print(hologram_executor* executor,
                                              hologram_print_function function, void* context);

/* ---- Stream: what launches of an executor's kernels leave to each other. These functions wait for
 * launches that use it. There are 96 classes (docs/isa.md); `class_index` is below 96. */

/* The phase, 0 to 767; and adding to it, modulo 768. */
HOLOGRAM_API uint32_t hologram_executor_phase(const hologram_executor* executor);
HOLOGRAM_API void hologram_executor_advance_phase(hologram_executor* executor, uint64_t delta);

/* An exact fraction: the denominator is positive, and there is no common divisor; zero is 0/1. */
typedef struct hologram_ratio {
  int64_t numerator;
  int64_t denominator;
} hologram_ratio;

/* The resonance of a class. A fraction that is not as said above is refused; so is a sum that does
 * not fit, and the resonance stays as it was. */
HOLOGRAM_API hologram_error* hologram_executor_resonance(const hologram_executor* executor,
                                                         uint32_t class_index,
                                                         hologram_ratio* ratio);
HOLOGRAM_API hologram_error* hologram_executor_set_resonance(hologram_executor* executor,
                                                             uint32_t class_index,
                                                             hologram_ratio ratio);
HOLOGRAM_API hologram_error* hologram_executor_add_resonance(hologram_executor* executor,
                                                             uint32_t class_index,
                                                             hologram_ratio ratio);
/* All classes become 0/1. */
HOLOGRAM_API void hologram_executor_reset_resonance(hologram_executor* executor);

/* The memory of the classes, 12,288 bytes each, zero at first. `offset` counts from the first byte
 * of class 0; the bytes must be in one class. */
HOLOGRAM_API hologram_error* hologram_executor_read_class_memory(const hologram_executor* executor,
                                                                 uint64_t offset, void* data,
                                                                 size_t size);
HOLOGRAM_API hologram_error* hologram_executor_write_class_memory(hologram_executor* executor,
                                                                  uint64_t offset, const void* data,
                                                                  size_t size);

/* ---- Buffers in class memory */

enum {
  HOLOGRAM_NUM_CLASSES = 96,
  HOLOGRAM_PAGES_PER_CLASS = 48,
  HOLOGRAM_BYTES_PER_PAGE = 256,
  HOLOGRAM_BYTES_PER_CLASS = 12288
};
#define HOLOGRAM_ANY_CLASS UINT32_MAX /* the lowest one that is free */

typedef struct hologram_boundary hologram_boundary;

/* Takes a class of an executor: its first width * height bytes are a buffer, the same memory that
 * kernels of the executor reach by the addresses of classes, and an argument of launches like other
 * memory. It holds what the class holds, zeros at first; nothing is cleared. `width` is 1 to 48
 * pages, `height` 1 to 256 bytes. Errors: no such class, one that is taken, all 96 are, a size that
 * is none. Several threads may do this and destroy buffers; this waits for launches that use the
 * stream.
 *
 * A kernel that may write class memory by addresses, or reads it so and writes its argument, does
 * not take a buffer in the class memory of its own executor: that launch is an error which names
 * the parameter. While a kernel runs that uses class memory, other threads leave all buffers in it
 * alone. */
HOLOGRAM_API hologram_error* hologram_executor_allocate_boundary(hologram_executor* executor,
                                                                 uint32_t class_index,
                                                                 uint32_t width, uint32_t height,
                                                                 hologram_boundary** boundary);
/* How many classes are free. */
HOLOGRAM_API uint32_t hologram_executor_num_free_classes(const hologram_executor* executor);
/* Its class is free again. A buffer stays usable after its executor is gone. */
HOLOGRAM_API void hologram_boundary_destroy(hologram_boundary* boundary);
/* HOLOGRAM_ANY_CLASS for NULL. */
HOLOGRAM_API uint32_t hologram_boundary_class(const hologram_boundary* boundary);
HOLOGRAM_API void* hologram_boundary_data(const hologram_boundary* boundary);  /* 64-byte aligned */
HOLOGRAM_API size_t hologram_boundary_size(const hologram_boundary* boundary); /* bytes */

/* Byte `offset` of a class is byte `byte` of page `page`. Errors: no class, page or byte, an offset
 * that is not below 12,288. Any thread may call these. */
HOLOGRAM_API hologram_error* hologram_class_offset_to_phi(uint32_t class_index, uint64_t offset,
                                                          uint32_t* page, uint32_t* byte);
HOLOGRAM_API hologram_error* hologram_class_phi_to_offset(uint32_t class_index, uint32_t page,
                                                          uint32_t byte, uint32_t* offset);

/* A byte is canonical if its lowest bit is 0. The first makes all bytes so, which changes what they
 * mean as numbers; the second whether they are (1 or 0). Any thread may call these. */
HOLOGRAM_API void hologram_canonicalize(void* data, size_t size);
HOLOGRAM_API int32_t hologram_is_canonical(const void* data, size_t size);

/* The other class of a pair, and the 5 or 6 neighbours of a class, ascending; the rest of the six
 * stays as it was. Errors: no class. Any thread may call these. */
HOLOGRAM_API hologram_error* hologram_class_mirror(uint32_t class_index, uint32_t* mirror);
HOLOGRAM_API hologram_error* hologram_class_neighbours(uint32_t class_index, uint32_t neighbours[6],
                                                       uint32_t* count);

/* ---- Launches that are stopped
 *
 * hologram_cancel stops all launches of the kernels of an executor, within about a tenth of a
 * second: they return HOLOGRAM_ERROR_CANCELLED. Their outputs then are unspecified;
 * nothing else has changed, neither what launches leave to each other, and nothing is printed.
 * Launches that begin later fail the same way until hologram_resume, so that it does not matter
 * which of the two is first; those of a few milliseconds may run all the same. Any thread may call
 * these at any time, and so may signal handlers, as long as the executor exists. Kernel libraries
 * cannot be stopped, nor can the compilation of a kernel. */
HOLOGRAM_API void hologram_cancel(hologram_executor* executor);
HOLOGRAM_API void hologram_resume(hologram_executor* executor);
/* The same for the executor that a kernel is of, which may be gone: a second switch, which those
 * above leave alone, for callers that want to stop a launch of their own, as Python does at Ctrl-C.
 * Nothing for a kernel library. */
HOLOGRAM_API void hologram_kernel_cancel(const hologram_kernel* kernel);
HOLOGRAM_API void hologram_kernel_resume(const hologram_kernel* kernel);
/* 1: a launch of that many lanes with these scalars, as in hologram_kernel_enter, will hardly take
 * 10 ms on one thread; 0: it may, or that is not known before it runs. Any thread. */
HOLOGRAM_API int32_t hologram_kernel_is_short(const hologram_kernel* kernel,
                                              const uint64_t* scalars, uint64_t lanes);

/* ---- Kernel */

/* Element types; the numbers are part of the file format. */
enum {
  HOLOGRAM_I8 = 0,
  HOLOGRAM_I16 = 1,
  HOLOGRAM_I32 = 2,
  HOLOGRAM_I64 = 3,
  HOLOGRAM_U8 = 4,
  HOLOGRAM_U16 = 5,
  HOLOGRAM_U32 = 6,
  HOLOGRAM_U64 = 7,
  HOLOGRAM_F16 = 8,
  HOLOGRAM_BF16 = 9,
  HOLOGRAM_F32 = 10,
  HOLOGRAM_F64 = 11
};

enum { HOLOGRAM_IN = 0, HOLOGRAM_OUT = 1, HOLOGRAM_INOUT = 2 };

typedef struct hologram_parameter {
  const char* name;
  uint32_t is_buffer;
  uint32_t type;
  uint32_t direction; /* HOLOGRAM_IN for scalars */
  uint32_t rank;      /* dimensions of a buffer, 1 to HOLOGRAM_MAX_RANK; 0 for scalars */
} hologram_parameter;

/* Releases a kernel. REQUIRES: no launch of this handle runs. */
HOLOGRAM_API void hologram_kernel_destroy(hologram_kernel* kernel);
/* The name of the kernel in its bundle or library. */
HOLOGRAM_API const char* hologram_kernel_name(const hologram_kernel* kernel);
/* The identity of the program, 64 hex digits: what it computes, whatever it is called. Of a kernel
 * library the hash of its file. */
HOLOGRAM_API const char* hologram_kernel_id(const hologram_kernel* kernel);
/* The arguments of Python callers, as the writer of its bundle claims: vectors, records and default
 * values, which C passes as plain parameters. "" for most (docs/format.md). */
HOLOGRAM_API const char* hologram_kernel_arguments(const hologram_kernel* kernel);
/* "native (bundle, v4)", "native (jit, v4)", "native (cache, v4)", "interpreter", or "library" for
 * a kernel written by hand */
/* Also "interpreter (compiling)"; a string that was given stays as it is. */
HOLOGRAM_API const char* hologram_kernel_path(const hologram_kernel* kernel);
/* A note to show once to the user of the application, "" for most: that it is
 * interpreted although native code was wanted, and why; or "kernel 'blur': section
 * 4 (native code of 'blur' for x86-64-v3) was compiled for version 6 of the native ABI and is not
 * used by this library, which has version 7; it was compiled again".
 * It changes when hologram_kernel_launch was given a grid, in one of the first 8 launches with one,
 * that has fewer lanes than the kernel's conditions admit: "the conditions of kernel 'blur' admit
 * lanes that this launch does not have; all of them: grid 4,1,1, block 256,1,1". Strings that were
 * given stay as they are. */
HOLOGRAM_API const char* hologram_kernel_note(const hologram_kernel* kernel);
/* The kernel's program in another form, as text that hologram_text_destroy releases:
 * "asm" (docs/assembly.md), "explain" (as hologram verify --explain), "llvm", "machine" (assembly
 * of the processor), "ptx". `target` is a level, "v4" or "aarch64", or for ptx "sm_80" or "sm_90";
 * NULL: that of this machine, sm_80. All but asm and explain need the compiler plugin. */
HOLOGRAM_API hologram_error* hologram_kernel_emit(const hologram_kernel* kernel, const char* form,
                                                  const char* target, char** text);
HOLOGRAM_API void hologram_text_destroy(char* text);
/* How many arguments a launch has, up to HOLOGRAM_MAX_PARAMETERS. */
HOLOGRAM_API size_t hologram_kernel_num_parameters(const hologram_kernel* kernel);
/* NULL if there is no such parameter. */
HOLOGRAM_API const hologram_parameter* hologram_kernel_parameter(const hologram_kernel* kernel,
                                                                 size_t index);

/* How many threads a launch of it may use. */
HOLOGRAM_API uint32_t hologram_kernel_threads(const hologram_kernel* kernel);

/* How often the kernel ran natively, in the interpreter, and, of both, with accesses checked
 * because a proof did not cover the arguments. */
typedef struct hologram_launch_counts {
  uint64_t native; /* launches by the inline path of hologram.hpp are not counted */
  uint64_t interpreted;
  uint64_t guarded;
} hologram_launch_counts;
HOLOGRAM_API hologram_launch_counts hologram_kernel_counts(const hologram_kernel* kernel);

/* ---- Launch */

enum {
  /* The device that has the arrays; else native code if there is any, else the interpreter. */
  HOLOGRAM_BACKEND_AUTO = 0,
  HOLOGRAM_BACKEND_INTERPRETER = 1,
  HOLOGRAM_BACKEND_CPU = 2,
  /* An NVIDIA device, on copies of arrays of the host; UNSUPPORTED without one. */
  HOLOGRAM_BACKEND_CUDA = 3,
  HOLOGRAM_BACKEND_OPENCL = 4 /* an OpenCL device, the same */
};

/* The number of an engine by its name, "cuda" or one that was registered (engine.h); UINT32_MAX:
 * there is none. NULL: none has it. */
HOLOGRAM_API uint32_t hologram_find_backend(const char* name);
/* The name of one by its number, as long as the process lives; NULL: there is none. */
HOLOGRAM_API const char* hologram_backend_name(uint32_t backend);

/* "grid 3,1,1 block 256,1,1", or "kernel[(3,1,1), (256,1,1)](...)" */
enum { HOLOGRAM_CALLER_LIBRARY = 0, HOLOGRAM_CALLER_PYTHON = 1 };

/* All zeros is the default launch. */
typedef struct hologram_launch_config {
  uint32_t grid[3];          /* blocks; all 0: as many as cover the largest output */
  uint32_t block[3];         /* lanes of a block; all 0: the kernel's default */
  uint64_t budget;           /* rounds per lane of loops not proved to end; 0: 2^24 */
  uint32_t nondeterministic; /* not 0: allow what may differ from run to run */
  uint32_t backend;          /* HOLOGRAM_BACKEND_*, or a registered engine's (engine.h) */
  uint32_t threads;          /* upper bound, to 1024; 0: hologram_kernel_threads */
  uint32_t caller;           /* HOLOGRAM_CALLER_*: how messages write a grid */
  uint32_t class_base;       /* 0 to 95: CLS.GET gives (class_base + block.x) mod 96 */
  uint32_t reserved[3];      /* 0: for what later versions may ask */
} hologram_launch_config;

/* Sets grid and block to as many blocks of 256 lanes as cover that many elements in one dimension,
 * and all else to 0. Error: none, or more than 2^32 - 1 blocks have. Any thread may call this. */
HOLOGRAM_API hologram_error* hologram_default_launch_config(uint64_t elements,
                                                            hologram_launch_config* config);

/* One argument. `code` is the element type, plus HOLOGRAM_ARGUMENT_BUFFER for a buffer, plus
 * HOLOGRAM_ARGUMENT_WRITABLE if a kernel may write it, plus HOLOGRAM_ARGUMENT_DEVICE if its memory
 * is on a device (device.h); any other bit is an error. */
enum {
  HOLOGRAM_ARGUMENT_BUFFER = 0x10,
  HOLOGRAM_ARGUMENT_WRITABLE = 0x20,
  HOLOGRAM_ARGUMENT_DEVICE = 0x40
};
typedef struct hologram_argument {
  uint32_t code;
  hologram_buffer_ref buffer; /* of a buffer; its address is NULL only if it has 0 bytes */
  uint64_t scalar;            /* of a scalar: its bits, in the low part of the word */
} hologram_argument;

/* Checks the arguments (in parameter order) and the launch, runs it, and returns when it is done.
 * Scalars of another type than the parameter's are converted if the value is kept, floats also
 * rounded to a narrower type, else refused.
 * `config` may be NULL. Kernel libraries run on the calling thread, without a budget; their buffers
 * must have the elements that they declare, be aligned, and not overlap one that is written. */
HOLOGRAM_API hologram_error* hologram_kernel_launch(const hologram_kernel* kernel,
                                                    const hologram_argument* arguments,
                                                    size_t count,
                                                    const hologram_launch_config* config);

/* The shape of an array, outermost dimension first, in elements. The last stride is 1; rows may be
 * apart: strides[0] >= extents[1] for two dimensions. All strides 0: no gaps. */
enum { HOLOGRAM_MAX_RANK = 4 };
typedef struct hologram_array_shape {
  uint32_t rank;
  uint64_t extents[HOLOGRAM_MAX_RANK];
  uint64_t strides[HOLOGRAM_MAX_RANK];
} hologram_array_shape;

/* The same for kernels with arrays of several dimensions: `shapes` has one pointer for each
 * argument, NULL for scalars and for arrays of one dimension. The memory of an array is that of its
 * buffer, whatever the shape is: a shape that is larger is an error where the kernel leaves the
 * memory. */
HOLOGRAM_API hologram_error* hologram_kernel_launch_shaped(
    const hologram_kernel* kernel, const hologram_argument* arguments,
    const hologram_array_shape* const* shapes, size_t count, const hologram_launch_config* config);
/* The same launch, made once by the interpreter, or with HOLOGRAM_BACKEND_CPU by instrumented
 * native code, which counts what each line of the source does, then some thousand times by native
 * code on copies of what it writes, on one thread, for its time and the share of each line; and
 * probes of what the machine can do (docs/seeing.md). It takes about a second more than the
 * interpreter. `text` gets the table, `picture`, if it is not NULL, the roofline as an SVG file, ""
 * without native code; hologram_text_destroy releases both. `source`: the text of the kernel's file
 * if that cannot be read, else NULL. */
HOLOGRAM_API hologram_error* hologram_kernel_profile(
    const hologram_kernel* kernel, const hologram_argument* arguments,
    const hologram_array_shape* const* shapes, size_t count, const hologram_launch_config* config,
    const char* source, char** text, char** picture);

/* ---- Windows: a part of a launch, on parts of its arrays
 *
 * A launch has units, which are cut anywhere: lanes, rows of lanes or blocks, as the kernel needs.
 * Each runs with its true ids, so a launch cut into windows leaves the bits of one launch of the
 * whole. Arrays of an argument hold the part that the window needs; their lengths are those of the
 * whole. Kernels that add floats atomically, or that leave state to the next launch, are
 * UNSUPPORTED: the order of the whole decides what they give. */

enum { HOLOGRAM_BY_LANES = 0, HOLOGRAM_BY_ROWS = 1, HOLOGRAM_BY_BLOCKS = 2 };

typedef struct hologram_window {
  uint64_t first; /* units [first, last) of the launch */
  uint64_t last;
  const uint64_t* base;   /* for each buffer, counted among buffers: the element of the whole array
                           * that its memory starts with; its bytes say where it ends */
  const uint64_t* extent; /* for each buffer: elements of the whole array */
} hologram_window;

/* How many units the launch has, and which they are (HOLOGRAM_BY_*): lanes of a launch of one row,
 * rows counted by global.y + height * global.z, or blocks. `extent` as in a window. Arguments and
 * shapes are those of the launch; memory of arrays is not looked at, nor are their bytes. */
HOLOGRAM_API hologram_error* hologram_kernel_units(
    const hologram_kernel* kernel, const hologram_argument* arguments,
    const hologram_array_shape* const* shapes, size_t count, const hologram_launch_config* config,
    const uint64_t* extent, uint32_t* unit, uint64_t* units);

/* Launches the units of a window. `shapes` are those of whole arrays, or NULL as for
 * hologram_kernel_launch. INVALID_ARGUMENT names parameter and access if a unit may touch what is
 * not in the window, and nothing runs: "src[i + 1] of lane 0 to 1023 may be element 1024; the
 * window of 'src' ends at 1024". After a fault, written windows may hold part of the results.
 * Windows of one launch that share no memory which is written may run at once. Libraries and
 * devices are UNSUPPORTED. */
HOLOGRAM_API hologram_error* hologram_kernel_launch_window(
    const hologram_kernel* kernel, const hologram_argument* arguments,
    const hologram_array_shape* const* shapes, size_t count, const hologram_launch_config* config,
    const hologram_window* window);

enum {
  HOLOGRAM_REACH_NONE = 0,  /* no element */
  HOLOGRAM_REACH_MOVES = 1, /* elements [low, high), which follow the units */
  HOLOGRAM_REACH_STAYS = 2, /* elements [low, high), whatever the units are */
  HOLOGRAM_REACH_ANY = 3    /* any element, as data decide: the array must be whole */
};
typedef struct hologram_reach {
  uint32_t kind; /* HOLOGRAM_REACH_* */
  uint32_t reserved;
  uint64_t low;
  uint64_t high;
  uint64_t written_low; /* the same of what may be written; equal: nothing */
  uint64_t written_high;
} hologram_reach;

/* The elements of each buffer that units of a window touch, by the proofs of the kernel (hologram
 * verify
 * --explain). `window` as above; its `base` may be NULL, and memory is not looked at. */
HOLOGRAM_API hologram_error* hologram_kernel_reach(
    const hologram_kernel* kernel, const hologram_argument* arguments,
    const hologram_array_shape* const* shapes, size_t count, const hologram_launch_config* config,
    const hologram_window* window, hologram_reach* of_buffers);

/* Whether arguments of exactly these codes, one per parameter, may be passed: for typed handles. */
HOLOGRAM_API hologram_error* hologram_kernel_check(const hologram_kernel* kernel,
                                                   const uint32_t* codes, size_t count);

/* How the last launch by this handle was run, of any thread. */
typedef struct hologram_last_launch {
  /* "cpu" (native code), "interpreter", "library", "cuda", "opencl" or a registered engine's
   * name; "": nothing ran */
  const char* engine;
  const char* reason;    /* why it was not native code, or not the usual one; "" */
  const char* condition; /* of a checked launch: what did not hold, with values; "": not known */
  uint32_t threads;      /* upper bound */
  uint32_t checked;      /* 1: accesses were checked, as no proof covered the arguments */
} hologram_last_launch;

/* Launches that the inline path runs leave no record, and need none: they are native, on the
 * calling thread. A launch of any other kind closes the inline path for one launch, so that the
 * answer is theirs again. A kernel with native code that was not launched yet answers as after an
 * inlined launch. A launch that was refused is one on which nothing ran; of one that faulted this
 * is what ran. The strings live until this thread calls this function again. Any thread; of
 * launches that end at the same time, one is the last. */
HOLOGRAM_API hologram_error* hologram_kernel_last_launch(const hologram_kernel* kernel,
                                                         hologram_last_launch* last);

/* ---- For callers that inline the launch (hologram.hpp)
 *
 * A default launch of arguments that have these codes may call `entry` with `bytes_limit` itself;
 * when that returns HOLOGRAM_LAUNCH_UNPROVED it calls hologram_kernel_launch, which decides, and
 * when it returns HOLOGRAM_LAUNCH_FAULTED, hologram_kernel_fault, for details. */

enum { HOLOGRAM_MAX_PARAMETERS = 64, HOLOGRAM_MAX_SHORT_SCALARS = 12 };

typedef struct hologram_launch_plan {
  hologram_kernel_default_entry entry; /* never null */
  uint64_t bytes_limit;
  uint64_t written; /* bit j: buffer j (counted among buffers) is written */
  uint32_t num_parameters;
  uint8_t codes[HOLOGRAM_MAX_PARAMETERS]; /* of each parameter, as in hologram_argument; unused
                                             ones are 0. WRITABLE here: the kernel writes it */
  /* A launch is short, as hologram_kernel_is_short describes, if its number of lanes times the
   * scalars of these numbers, each taken as at least 1, is at most `short_work`, which is below
   * 2^32. One that is not may be short all the same. */
  uint64_t short_work;
  uint32_t num_short_scalars;
  uint8_t short_scalars[HOLOGRAM_MAX_SHORT_SCALARS]; /* the j-th of the scalars; some repeatedly */
} hologram_launch_plan;

/* Waits until a kernel that is being compiled (hologram_executor_set_tiered) is, or cannot be. */
HOLOGRAM_API void hologram_kernel_wait(const hologram_kernel* kernel);

/* Lives as long as the kernel. `entry` and `bytes_limit` of a kernel that is being compiled change
 * when it is, in this order or the other: read each of them atomically; an old one declines. */
HOLOGRAM_API const hologram_launch_plan* hologram_kernel_plan(const hologram_kernel* kernel);

/* The same for a launch with a shape: runs it on the calling thread, with the default budget, if
 * its arguments prove it and it is neither long enough for threads nor large enough for streaming
 * stores. Gives what entry gives. Arguments have the codes of the plan and are as many, buffers and
 * scalars each in their order. The caller need not initialise `state`. A NULL that is needed gives
 * HOLOGRAM_LAUNCH_UNPROVED. Any thread may call this. */
HOLOGRAM_API int32_t hologram_kernel_enter(const hologram_kernel* kernel,
                                           const hologram_buffer_ref* buffers,
                                           const uint64_t* scalars,
                                           const hologram_launch_shape* shape,
                                           hologram_launch_state* state);

/* ---- The same for kernels that take the shapes of arrays, whose `entry` always declines. */

/* 1: the kernel is one of them. */
HOLOGRAM_API int32_t hologram_kernel_takes_shapes(const hologram_kernel* kernel);
/* Writes behind the scalars that are arguments, in `scalars`, those that the kernel takes from
 * shapes; there is room for HOLOGRAM_MAX_PARAMETERS in all. `shapes` as for
 * hologram_kernel_launch_shaped; NULL: all arrays have one dimension. 0: the kernel takes no
 * shapes, or these are not what it needs, and hologram_kernel_launch_shaped says why. Any thread.
 */
HOLOGRAM_API int32_t hologram_kernel_shape_scalars(const hologram_kernel* kernel,
                                                   const hologram_buffer_ref* buffers,
                                                   const hologram_array_shape* const* shapes,
                                                   uint64_t* scalars);
/* As hologram_kernel_enter, with those scalars; `shape` may be NULL, for a default launch. */
HOLOGRAM_API int32_t hologram_kernel_enter_shaped(const hologram_kernel* kernel,
                                                  const hologram_buffer_ref* buffers,
                                                  const uint64_t* scalars,
                                                  const hologram_launch_shape* shape,
                                                  hologram_launch_state* state);

/* The error for a fault that entry has left in `state`. Arguments are those of the call; no shape
 * (NULL) means that of the default launch. */
HOLOGRAM_API hologram_error* hologram_kernel_fault(const hologram_kernel* kernel,
                                                   const hologram_buffer_ref* buffers,
                                                   const uint64_t* scalars,
                                                   const hologram_launch_shape* shape,
                                                   const hologram_launch_state* state);

/* ---- Mathematics
 *
 * One mathematical function for one value: what the instruction of that name gives, with the same
 * bits on every machine. `name` is its mnemonic in docs/isa.md: exp, log, log2, log10, rsqrt, sin,
 * cos, tan, tanh, sigmoid, erf, pow, exp2, expm1, log1p or atan2. `type` is HOLOGRAM_F16, _BF16,
 * _F32 or _F64; operands and result are bit patterns of it in the low part of a word. `fast`, if
 * not 0, asks for the fast form; where there is none it changes nothing. Another name, type or
 * count of operands is refused, and so is a bit beyond the type. Any thread may call this. */
HOLOGRAM_API hologram_error* hologram_math(const char* name, uint32_t type, uint32_t fast,
                                           const uint64_t* operands, size_t count,
                                           uint64_t* result);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_HOLOGRAM_H_ */
