/* Engines for devices that the library has no driver for. Part of libhologram's C interface
 * (hologram.h); docs/devices.md has the rules of launches on devices, and examples/engine an
 * engine.
 *
 *   static const hologram_engine kEngine = {sizeof kEngine, "mine", HOLOGRAM_CODE_SPIRV, ...};
 *   error = hologram_register_engine(&kEngine, &backend);
 *
 * The library verifies kernels, checks launches, and writes SPIR-V or PTX; an engine has memory,
 * builds that code and starts it. From then on "mine" is an engine as "opencl" is: in
 * hologram_launch_config (`backend`), hologram_device_allocate ("mine:1"), the list of devices, and
 * the interfaces of C++ and Python. Before a device is used, it runs operations whose bits are
 * compared with those of the interpreter.
 *
 * Threads: the functions of one device are called by one thread at a time, those of two devices
 * perhaps at once. They do not call hologram_register_engine, or launch kernels. */
#ifndef HOLOGRAM_ENGINE_H_
#define HOLOGRAM_ENGINE_H_

#include "hologram/hologram.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HOLOGRAM_CODE_SPIRV = 1, /* 1.0, of OpenCL: addresses of 64 bits, the Kernel dialect */
  HOLOGRAM_CODE_PTX = 2    /* 6.0 for sm_70, with a zero behind it */
};

/* A device. All of it is 0 before `describe` fills it in; texts end with a zero. Launches that need
 * more than it has are errors that name what is missing, before anything is asked of the engine. */
typedef struct hologram_device_description {
  char name[128];
  char driver[64];        /* its version */
  char why_not[256];      /* not empty: it is not used, and why */
  uint32_t is_gpu;        /* launches on host memory use the first GPU, else the first device */
  uint32_t has_f64;       /* kernels with f64 run there */
  uint32_t has_atomics64; /* those with atomics of 64 bits */
  uint32_t
      exact_division;    /* SPIR-V: its f32 division and square root are exact; else f64 is used */
  uint32_t processors;   /* that run blocks side by side; 0: 1 */
  uint32_t max_block[3]; /* lanes in x, y, z; 0: as many as 32 bits count */
  uint32_t max_grid[3];  /* blocks */
  uint64_t max_lanes;    /* of a block */
  uint64_t shared_bytes; /* of a block */
  uint64_t reserved[8];  /* 0 */
} hologram_device_description;

/* A kernel. Its texts and bytes live until `release`. The same program has the same bytes in each
 * process: an engine may keep what it builds under a hash of them. */
typedef struct hologram_device_code {
  const void* data;
  size_t bytes;
  const char* entry;      /* the function */
  uint32_t num_arguments; /* of the function, in the order of `start` */
  uint32_t shared_bytes;  /* that the code declares, of a block */
} hologram_device_code;

/* An argument of the function: memory of `allocate`, whose address it gets, or a number of 1 to 8
 * bytes. Beside the parameters of the kernel there are others that the library fills in: lengths,
 * limits, the word that a fault sets. */
typedef struct hologram_device_argument {
  uint64_t memory;   /* 0: a number */
  const void* value; /* of a number: its bytes */
  size_t bytes;
} hologram_device_argument;

/* ---- The functions of an engine
 *
 * Those that give an int32_t give 0 for success; any other value is an
 * error of the launch or copy: "mine: start failed with 3". `user` is that of the engine, `device`
 * is below the count. */

/* How many devices there are, which are numbered from 0. Called once, when the devices of the
 * engine are first asked for. */
typedef int32_t hologram_count_devices(void* user, uint32_t* devices);
/* Fills the description in, behind the count, once for each. Afterwards the probe runs there. */
typedef int32_t hologram_describe_device(void* user, uint32_t device,
                                         hologram_device_description* description);

/* Memory on the device, which may hold anything at first. It is a number of the engine's choice
 * other than 0; of PTX it is the address, a multiple of 16. No memory: any value but 0. */
typedef int32_t hologram_allocate_there(void* user, uint32_t device, uint64_t bytes,
                                        uint64_t* memory);
/* Gives it back. A launch that does not use the memory may be under way; none that does is. */
typedef void hologram_free_there(void* user, uint32_t device, uint64_t memory);

/* Copies and launches run in the order of the calls, and have run when `finish` returns; `from` and
 * `to` on the host stay as they are until then. `at` is in bytes, from the beginning of the memory,
 * and is 0 for a copy on the device, on both sides. */
typedef int32_t hologram_write_there(void* user, uint32_t device, uint64_t to, uint64_t at,
                                     const void* from, uint64_t bytes);
/* From memory of the device to that of the host. */
typedef int32_t hologram_read_there(void* user, uint32_t device, void* to, uint64_t from,
                                    uint64_t at, uint64_t bytes);
/* From memory of the device to other memory of the same device; the two do not overlap. */
typedef int32_t hologram_copy_there(void* user, uint32_t device, uint64_t to, uint64_t from,
                                    uint64_t bytes);
/* Starts a kernel: shape->grid blocks of shape->block lanes, each at least 1 and within what the
 * device has described. The arguments are read during the call. No lane leaves the
 * memory of the arguments: the library has proved it, or the code compares the index. */
typedef int32_t hologram_start_there(void* user, uint32_t device, void* built,
                                     const hologram_device_argument* arguments,
                                     const hologram_launch_shape* shape);
/* Waits for all copies and launches that were asked for. An error of one of them is given here. */
typedef int32_t hologram_finish_there(void* user, uint32_t device);

/* Makes of a kernel what `start` takes. It may be started many times, until it is released. */
typedef int32_t hologram_build_there(void* user, uint32_t device, const hologram_device_code* code,
                                     void** built);
/* Gives back what `build` has made; never while it runs. */
typedef void hologram_release_there(void* user, uint32_t device, void* built);

/* More about the call that has just failed, for its error; it is read before the next call. */
typedef const char* hologram_explain_failure(void* user, uint32_t device);

/* An engine: its facts, then its functions, of which all are required but the last. Memory that the
 * library has taken from it is given back when arrays, kernels and pipelines are destroyed. Where
 * the process ends before, nothing is called any more: the engine gives up its devices by itself,
 * if they want that.
 *
 * Errors of the functions become those of launches and copies, with the name of the engine, of the
 * function and the value that it gave. After an error that a launch has met, written arrays hold
 * anything. */
typedef struct hologram_engine {
  size_t size;      /* sizeof(hologram_engine) */
  const char* name; /* up to 32 lowercase letters, digits and underscores; the first is a letter */
  uint32_t code;    /* HOLOGRAM_CODE_* */
  void* user;       /* for the functions */
  hologram_count_devices* count;        /* at first */
  hologram_describe_device* describe;   /* at first */
  hologram_allocate_there* allocate;    /* of arrays, and of the fault word */
  hologram_free_there* free;            /* of the same */
  hologram_write_there* write;          /* the host's to the device's */
  hologram_read_there* read;            /* the device's to the host's */
  hologram_copy_there* copy;            /* on the device */
  hologram_start_there* start;          /* a launch */
  hologram_finish_there* finish;        /* behind each copy and launch that is waited for */
  hologram_build_there* build;          /* when a kernel is first launched there */
  hologram_release_there* release;      /* with the kernel */
  hologram_explain_failure* last_error; /* may be NULL */
} hologram_engine;

/* Adds an engine for as long as the process lives: `engine` is copied, its functions and `user`
 * stay. At most 16. `backend` becomes its number in hologram_launch_config, from 16 on; it may be
 * NULL. Errors: INVALID_ARGUMENT for a size, a code or a name that is not as above, a name that is
 * taken and a function that is missing; RESOURCE_LIMIT for one too many. Any thread may call this.
 */
HOLOGRAM_API hologram_error* hologram_register_engine(const hologram_engine* engine,
                                                      uint32_t* backend);

#ifdef __cplusplus
}
#endif

#endif /* HOLOGRAM_ENGINE_H_ */
