/* The part of the C interface of libhologram_jit.so that merges launches of pipelines. The rest is
 * in plugin/code.h, plugin/kernels.h and plugin/library.h. */
#ifndef HOLOGRAM_PLUGIN_LAUNCHES_H_
#define HOLOGRAM_PLUGIN_LAUNCHES_H_

#include <stddef.h>
#include <stdint.h>

#include "plugin/library.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `bundle` has a pipeline that is verified. Returns 0 and calls `result` with a bundle of the same
 * pipeline in fewer launches, without native code, or with no bytes if no launches can be merged;
 * or returns 1 and calls `error`. Equal bundles give equal bytes. Thread-safe. */
int hologram_jit_merge_launches(const uint8_t* bundle, size_t size, hologram_jit_sink result,
                                hologram_jit_library_error error, void* user);
typedef int (*hologram_jit_merge_launches_function)(const uint8_t*, size_t, hologram_jit_sink,
                                                    hologram_jit_library_error, void*);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_PLUGIN_LAUNCHES_H_ */
