/* The part of the C interface of libhologram_jit.so that writes shared libraries of kernels for
 * other systems. The rest is in plugin/code.h and plugin/kernels.h. */
#ifndef HOLOGRAM_PLUGIN_LIBRARY_H_
#define HOLOGRAM_PLUGIN_LIBRARY_H_

#include <stddef.h>
#include <stdint.h>

#include "plugin/code.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `code` is an ErrorCode of base/result.h. */
typedef void (*hologram_jit_library_error)(void* user, uint32_t code, const char* message,
                                           size_t size);

/* A library for tvm-ffi, of the machine that the plugin is for: the runtime and this bundle inside,
 * a symbol __tvm_ffi_NAME for each kernel. Returns 0 and calls `result`, or returns 1 and calls
 * `error`. Thread-safe. */
int hologram_jit_tvm_ffi_library(const uint8_t* bundle, size_t size, hologram_jit_sink result,
                                 hologram_jit_library_error error, void* user);
typedef int (*hologram_jit_tvm_ffi_library_function)(const uint8_t*, size_t, hologram_jit_sink,
                                                     hologram_jit_library_error, void*);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_PLUGIN_LIBRARY_H_ */
