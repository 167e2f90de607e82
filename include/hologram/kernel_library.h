/* Kernels that are written by hand, in C or anything that has its calling convention: a shared
 * library of one kernel. It is not verified, so it is loaded only from folders that the application
 * or its user names for that (docs/registry.md). C99, no dependencies.
 *
 * A library exports the four functions below. The loader checks version, name and parameters when
 * it loads the library, and the arguments of each launch, their sizes included, before it calls
 * atlas_kernel_execute.
 *
 *   uint32_t atlas_kernel_abi_version(void) { return ATLAS_KERNEL_ABI_VERSION; }
 *   const char* atlas_kernel_name(void) { return "hand_saxpy"; }
 *   const char* atlas_kernel_parameters(void) {
 *     return "a: f32, x: in f32[n], y: inout f32[n], n: u32";
 *   }
 *
 * examples/library has all of it, with a program that calls the kernel. */
#ifndef HOLOGRAM_KERNEL_LIBRARY_H_
#define HOLOGRAM_KERNEL_LIBRARY_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A library of another one is refused. */
#define ATLAS_KERNEL_ABI_VERSION 1u

#if defined(__GNUC__)
/* Makes a function visible outside a library that is compiled with -fvisibility=hidden. */
#define ATLAS_KERNEL_EXPORT __attribute__((visibility("default")))
#else
#define ATLAS_KERNEL_EXPORT
#endif

/* Blocks per grid and lanes per block, each at least 1. They say how large the launch is: as many
 * as the caller asks for, else blocks of 256 lanes that cover the largest buffer that is written. A
 * kernel that takes its size from a parameter may leave them alone. The memory is the caller's, for
 * the time of the call. */
typedef struct atlas_launch_config {
  uint32_t grid[3];
  uint32_t block[3];
} atlas_launch_config;

enum {
  /* Results of atlas_kernel_execute. Done: */
  ATLAS_KERNEL_SUCCESS = 0,

  /* the parameters are none that the kernel takes, nothing was written
   * (HOLOGRAM_ERROR_INVALID_ARGUMENT for the caller); */
  ATLAS_KERNEL_INVALID_PARAMS = 1,
  /* the kernel gave up, buffers may hold part of the results (HOLOGRAM_ERROR_FAULT); */
  ATLAS_KERNEL_EXECUTION_FAILED = 2,
  /* any other failure, as all other numbers (HOLOGRAM_ERROR_FAULT, with the number). */
  ATLAS_KERNEL_UNKNOWN = 99
};

/* ATLAS_KERNEL_ABI_VERSION of the header that the library was compiled with. It is called before
 * the others, which another version may not have. */
ATLAS_KERNEL_EXPORT uint32_t atlas_kernel_abi_version(void);

/* The name by which programs ask for the kernel: a letter or '_', then letters, digits and '_'. Not
 * null; the caller copies it, when the library is loaded. */
ATLAS_KERNEL_EXPORT const char* atlas_kernel_name(void);

/* The parameters in order, as `hologram inspect` writes them, with the least number of elements of
 * each buffer: "a: f32, x: in f32[n], y: inout f32[n], n: u32". Types: i8 i16 i32 i64 u8 u16 u32
 * u64 f16 bf16 f32 f64. A number of elements is a sum of products of numbers and integer scalars of
 * the same list: "in f32[m*k]", "out u8[3*n+1]". Not null; the caller copies it, when the library
 * is loaded. */
ATLAS_KERNEL_EXPORT const char* atlas_kernel_parameters(void);

/* Runs one launch. `params` has `size` bytes: the values in the order of the parameters, little
 * endian, each at the next offset that is a multiple of its size; a buffer is the address of its
 * memory, 8 bytes. Null `params` is ATLAS_KERNEL_INVALID_PARAMS. A buffer that is written overlaps
 * no other one, every address is a multiple of the element's size. Where it fails, the kernel may
 * set *error, if `error` is not null, to a text that stays as it is until its next call on the same
 * thread; the caller copies it. Several threads may call at once, on memory that they do not
 * share. */
ATLAS_KERNEL_EXPORT uint32_t atlas_kernel_execute(const atlas_launch_config* config,
                                                  const uint8_t* params, size_t size,
                                                  const char** error);

/* ---- Reading a parameter block
 *
 *   atlas_params p = {params, size, 0, 0};
 *   const float a = atlas_take_f32(&p);
 *   const float* x = (const float*)atlas_take_pointer(&p);
 *   if (p.failed) return ATLAS_KERNEL_INVALID_PARAMS; */
typedef struct atlas_params {
  const uint8_t* bytes;
  size_t size;
  size_t offset;
  int failed; /* a value lay behind the end; that one, and all after it, are 0 */
} atlas_params;

/* Copies the next value, of `size` bytes (1, 2, 4 or 8), to `value`, and goes on behind it; a gap
 * before its alignment is passed over. Behind the end it sets `failed` and gives zeros. The
 * functions below call it, one for each type. REQUIRES: neither pointer is null. */
static inline void atlas_take(atlas_params* params, void* value, size_t size) {
  const size_t at = (params->offset + size - 1) / size * size;
  memset(value, 0, size);
  if (params->failed || params->bytes == NULL || at > params->size || size > params->size - at) {
    params->failed = 1;
    return;
  }
  memcpy(value, params->bytes + at, size);
  params->offset = at + size;
}

#define ATLAS_DEFINE_TAKE(type, name)                          \
  static inline type atlas_take_##name(atlas_params* params) { \
    type value;                                                \
    atlas_take(params, &value, sizeof value);                  \
    return value;                                              \
  }
ATLAS_DEFINE_TAKE(int8_t, i8)
ATLAS_DEFINE_TAKE(int16_t, i16)
ATLAS_DEFINE_TAKE(int32_t, i32)
ATLAS_DEFINE_TAKE(int64_t, i64)
ATLAS_DEFINE_TAKE(uint8_t, u8)
ATLAS_DEFINE_TAKE(uint16_t, u16) /* also the bits of f16 and bf16 */
ATLAS_DEFINE_TAKE(uint32_t, u32)
ATLAS_DEFINE_TAKE(uint64_t, u64)
ATLAS_DEFINE_TAKE(float, f32)
ATLAS_DEFINE_TAKE(double, f64)
#undef ATLAS_DEFINE_TAKE

/* The address of a buffer, with as many elements as atlas_kernel_parameters gives, or more; null if
 * the block has ended. The memory is the caller's, for the time of the call; that of a parameter
 * `in` must not be written. */
static inline void* atlas_take_pointer(atlas_params* params) {
  return (void*)(uintptr_t)atlas_take_u64(params);
}

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_KERNEL_LIBRARY_H_ */
