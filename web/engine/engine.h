/* The interface of the module to web/hologram.js. Functions that can fail return 0 or less; then
 * hologram_web_text is what ErrorsJson (json.h) gives. Texts are valid until the next call. Memory
 * that the page fills is from hologram_web_alloc. */
#ifndef HOLOGRAM_WEB_ENGINE_H_
#define HOLOGRAM_WEB_ENGINE_H_

#include <stddef.h>
#include <stdint.h>

#include "hologram/hologram.h"

#define HOLOGRAM_WEB_EXPORT(name) __attribute__((export_name(#name))) name

#ifdef __cplusplus
extern "C" {
#endif

/* NULL: there is no such memory. Aligned to 16 bytes. */
void* HOLOGRAM_WEB_EXPORT(hologram_web_alloc)(size_t size);
void HOLOGRAM_WEB_EXPORT(hologram_web_free)(void* memory);

const char* HOLOGRAM_WEB_EXPORT(hologram_web_text)(void);
size_t HOLOGRAM_WEB_EXPORT(hologram_web_text_size)(void);

/* Kernels of a document or a bundle; a number above 0. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_compile_json)(const char* json, size_t size,
                                                       const char* file, size_t file_size);
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_load)(const uint8_t* bytes, size_t size);
void HOLOGRAM_WEB_EXPORT(hologram_web_release)(int32_t module);
/* Text: a JSON list of signatures (driver::SignatureJson). */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_kernels)(int32_t module);
/* Text: the kernel in this form (Kernel::View). */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_view)(int32_t module, uint32_t kernel, const char* form,
                                               size_t size);
/* Text: LaunchJson. If the launch failed, -1 and {"errors": ..., "launch": ...}. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_launch)(int32_t module, uint32_t kernel,
                                                 const hologram_argument* arguments,
                                                 const hologram_array_shape* const* shapes,
                                                 size_t count,
                                                 const hologram_launch_config* config);
/* Text: DecisionJson. Nothing of the arrays is read. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_decide)(int32_t module, uint32_t kernel,
                                                 const hologram_argument* arguments,
                                                 const hologram_array_shape* const* shapes,
                                                 size_t count,
                                                 const hologram_launch_config* config);
/* Text: its canonical form, and its calls in lines of their own. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_circuit)(const char* text, size_t size, const char* mode,
                                                  size_t mode_size);

/* Text: ArrayJson. The array of a .npy or .csv file (array_file.h); its elements are where
 * hologram_web_array points until the next is read. */
int32_t HOLOGRAM_WEB_EXPORT(hologram_web_read_array)(const uint8_t* file, size_t size,
                                                     const char* name, size_t name_size,
                                                     const char* type, size_t type_size);
const void* HOLOGRAM_WEB_EXPORT(hologram_web_array)(void);
size_t HOLOGRAM_WEB_EXPORT(hologram_web_array_bytes)(void);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_WEB_ENGINE_H_ */
