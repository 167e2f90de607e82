/* The part of the C interface of libhologram_jit.so that compiles circuits (docs/sigmatics.md) and
 * kernel JSON (docs/kernel-json.md) to programs. The rest is in plugin/code.h. */
#ifndef HOLOGRAM_PLUGIN_KERNELS_H_
#define HOLOGRAM_PLUGIN_KERNELS_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called at most once per compilation; what is pointed to lives until the call returns. */
typedef void (*hologram_jit_bundle_sink)(void* user, const uint8_t* bytes, size_t size);
/* Called at most once as well. `code` is an ErrorCode of
 * base/result.h; a line of 0 is not a place. */
typedef void (*hologram_jit_error_sink)(void* user, uint32_t code, uint32_t line, uint32_t column,
                                        const char* message, size_t size);
/* The same with the file in which the place is; called for each error. */
typedef void (*hologram_jit_file_error_sink)(void* user, uint32_t code, const char* file,
                                             size_t file_size, uint32_t line, uint32_t column,
                                             const char* message, size_t size);

/* Compiles a circuit with a header to a kernel of this name. Returns 0 and calls `result` with a
 * bundle of that kernel without native code, or returns 1 and calls `error`. Thread-safe. */
int hologram_jit_compile_circuit(const char* text, size_t text_size, const char* name,
                                 size_t name_size, hologram_jit_bundle_sink result,
                                 hologram_jit_error_sink error, void* user);
typedef int (*hologram_jit_compile_circuit_function)(const char*, size_t, const char*, size_t,
                                                     hologram_jit_bundle_sink,
                                                     hologram_jit_error_sink, void*);

/* Compiles all kernels of a document. `file` is its name in messages. Returns 0 and calls `result`
 * with a bundle of them without native code, or returns 1 and calls `error`. Thread-safe. */
int hologram_jit_compile_json(const char* json, size_t json_size, const char* file,
                              size_t file_size, hologram_jit_bundle_sink result,
                              hologram_jit_file_error_sink error, void* user);
typedef int (*hologram_jit_compile_json_function)(const char*, size_t, const char*, size_t,
                                                  hologram_jit_bundle_sink,
                                                  hologram_jit_file_error_sink, void*);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_PLUGIN_KERNELS_H_ */
