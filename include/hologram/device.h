/* Memory that stays on a device: written once, used by launches there, read when a result is
 * wanted. Part of libhologram's C interface (hologram.h); docs/devices.md has the devices, and the
 * rules of launches on them.
 *
 *   hologram_device_memory* x;
 *   error = hologram_device_allocate("cuda", n * sizeof(float), &x);
 *   error = hologram_device_write(x, 0, values, n * sizeof(float));
 *   hologram_argument argument = {HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER |
 *                                     HOLOGRAM_ARGUMENT_WRITABLE | HOLOGRAM_ARGUMENT_DEVICE,
 *                                 {hologram_device_address(x), n * sizeof(float)}, 0};
 *
 * A launch whose arrays are on a device runs there. All of them are on one device; nothing is
 * copied to or from the host, but for a launch that no proof covers, which the interpreter runs on
 * copies, and for the message of a fault. Results have the bits of every other engine. After an
 * error, that of a fault included, written arrays are as they were.
 *
 * On a CUDA device, a launch that cannot fault may return before it is done; those behind it, and
 * copies, see its results. An error of the driver is then that of the next copy or
 * hologram_device_wait, and written arrays hold anything.
 *
 * Threads: any thread may call these; copies and launches of one device run one after the other.
 * No launch may use memory that is being written, read or destroyed. A child of a process that has
 * used a device must not use it. */
#ifndef HOLOGRAM_DEVICE_H_
#define HOLOGRAM_DEVICE_H_

#include "hologram/hologram.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hologram_device_memory hologram_device_memory;

/* Memory of `bytes`, of arbitrary content, for the caller to destroy. `device` is "cuda:1", a
 * device by its number among those of its engine; "cuda", the one that launches on host memory use;
 * or NULL, the first that any engine uses. Errors: INVALID_ARGUMENT for another text and a number
 * that is too large, UNSUPPORTED where there is no such device or it is not used, and why,
 * RESOURCE_LIMIT where it has no room. */
HOLOGRAM_API hologram_error* hologram_device_allocate(const char* device, size_t bytes,
                                                      hologram_device_memory** memory);
/* Memory of others on a CUDA device in its primary context, as of PyTorch: `pointer` is a
 * CUdeviceptr. It stays theirs, and there until this is destroyed; launches and copies wait for all
 * that was asked of the device before. Errors: as above, UNSUPPORTED for OpenCL,
 * INVALID_ARGUMENT for NULL with bytes. */
HOLOGRAM_API hologram_error* hologram_device_borrow(const char* device, uint64_t pointer,
                                                    size_t bytes, hologram_device_memory** memory);
/* Gives it back. NULL: does nothing. */
HOLOGRAM_API void hologram_device_destroy(hologram_device_memory* memory);

/* Its placeholder in hologram_argument: an address that is reserved in this process. Nothing may
 * read or write there, and it goes with HOLOGRAM_ARGUMENT_DEVICE only. */
HOLOGRAM_API void* hologram_device_address(const hologram_device_memory* memory);
HOLOGRAM_API size_t hologram_device_size(const hologram_device_memory* memory); /* bytes */
/* Its name for the driver: a CUdeviceptr, a cl_mem. From the first call on, launches on this memory
 * wait for all that others have asked the device for, and are done when they return. The call waits
 * for those before it. */
HOLOGRAM_API uint64_t hologram_device_pointer(const hologram_device_memory* memory);
/* "cuda:0"; lives as long as the memory. */
HOLOGRAM_API const char* hologram_device_place(const hologram_device_memory* memory);

/* Waits until all launches on its device are done. Errors: those of the driver that one of them has
 * met. */
HOLOGRAM_API hologram_error* hologram_device_wait(const hologram_device_memory* memory);

/* Copies `bytes` from or to memory of the host, beginning `offset` bytes into that of the device;
 * done when it returns. Errors: INVALID_ARGUMENT where that is not inside of it; those of the
 * driver, after which the memory that was written to may hold anything. */
HOLOGRAM_API hologram_error* hologram_device_write(hologram_device_memory* memory, size_t offset,
                                                   const void* from, size_t bytes);
HOLOGRAM_API hologram_error* hologram_device_read(const hologram_device_memory* memory,
                                                  size_t offset, void* to, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_DEVICE_H_ */
