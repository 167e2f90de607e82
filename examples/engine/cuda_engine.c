/* An engine of devices outside of the library (hologram/engine.h): "my_cuda", PTX on NVIDIA's
 * driver, by a context and a stream of its own for each device. The library has a better one for
 * the same devices; this one shows all that an engine has to do.
 *
 * register_my_cuda(path of libcuda.so.1) registers it. From Python:
 *
 *   engine = ctypes.CDLL("libmy_cuda.so")
 *   assert engine.register_my_cuda(b"libcuda.so.1") == 0
 *   x = hg.to_device(array, "my_cuda")
 */
#include <dlfcn.h>
#include <hologram/engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostDevices = 16, kMostArguments = 256, kNonBlocking = 1, kTooMany = -1, kNoMemory = -2 };

/* The functions of the driver, by the names and numbers of cuda.h. */
typedef void* Handle;
#define DRIVER(FUNCTION)                                                                       \
  FUNCTION(cuInit, (unsigned flags))                                                           \
  FUNCTION(cuDeviceGetCount, (int* count))                                                     \
  FUNCTION(cuDeviceGet, (int* device, int number))                                             \
  FUNCTION(cuDeviceGetName, (char* name, int size, int device))                                \
  FUNCTION(cuDeviceGetAttribute, (int* value, int what, int device))                           \
  FUNCTION(cuDriverGetVersion, (int* version))                                                 \
  FUNCTION(cuDevicePrimaryCtxRetain, (Handle * context, int device))                           \
  FUNCTION(cuCtxPushCurrent_v2, (Handle context))                                              \
  FUNCTION(cuCtxPopCurrent_v2, (Handle * context))                                             \
  FUNCTION(cuStreamCreate, (Handle * stream, unsigned flags))                                  \
  FUNCTION(cuStreamSynchronize, (Handle stream))                                               \
  FUNCTION(cuMemAlloc_v2, (uint64_t* memory, size_t bytes))                                    \
  FUNCTION(cuMemFree_v2, (uint64_t memory))                                                    \
  FUNCTION(cuMemcpyHtoDAsync_v2, (uint64_t to, const void* from, size_t, Handle))              \
  FUNCTION(cuMemcpyDtoHAsync_v2, (void* to, uint64_t from, size_t, Handle))                    \
  FUNCTION(cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t, Handle))                 \
  FUNCTION(cuModuleLoadDataEx, (Handle * module, const void* text, unsigned, int*, void**))    \
  FUNCTION(cuModuleGetFunction, (Handle * function, Handle module, const char* name))          \
  FUNCTION(cuModuleUnload, (Handle module))                                                    \
  FUNCTION(cuLaunchKernel, (Handle function, unsigned, unsigned, unsigned, unsigned, unsigned, \
                            unsigned, unsigned shared, Handle, void**, void**))

static struct {
#define MEMBER(name, parameters) int(*name) parameters;
  DRIVER(MEMBER)
#undef MEMBER
} driver;

static struct {
  Handle context;
  Handle stream;
} devices[kMostDevices];

typedef struct {
  Handle module;
  Handle function;
  uint32_t num_arguments;
} Built;

/* Runs `call` with the context of the device, and gives its code. */
#define WITH_CONTEXT(device, call)                                  \
  do {                                                              \
    Handle popped;                                                  \
    int code = driver.cuCtxPushCurrent_v2(devices[device].context); \
    if (code != 0) return code;                                     \
    code = (call);                                                  \
    (void)driver.cuCtxPopCurrent_v2(&popped);                       \
    return code;                                                    \
  } while (0)

static int32_t Count(void* user, uint32_t* count) {
  int found = 0;
  const int code = driver.cuDeviceGetCount(&found);
  (void)user;
  *count = found < kMostDevices ? (uint32_t)found : kMostDevices;
  return code;
}

static int Attribute(int what, int device) {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, what, device) == 0 ? value : 0;
}

static int OpenStream(uint32_t number) {
  WITH_CONTEXT(number, driver.cuStreamCreate(&devices[number].stream, kNonBlocking));
}

static int32_t Describe(void* user, uint32_t number, hologram_device_description* its) {
  enum { kLanes = 1, kBlockX = 2, kGridX = 5, kShared = 8, kProcessors = 16, kMajor = 75 };
  int device = 0, version = 0, d = 0;
  int code = driver.cuDeviceGet(&device, (int)number);
  (void)user;
  if (code == 0) code = driver.cuDeviceGetName(its->name, sizeof its->name - 1, device);
  if (code == 0) code = driver.cuDriverGetVersion(&version);
  if (code != 0) return code;
  snprintf(its->driver, sizeof its->driver, "%d.%d", version / 1000, version % 1000 / 10);
  if (Attribute(kMajor, device) < 7) {
    snprintf(its->why_not, sizeof its->why_not, "kernels need sm_70");
    return 0;
  }
  its->is_gpu = its->has_f64 = its->has_atomics64 = 1;
  its->processors = (uint32_t)Attribute(kProcessors, device);
  its->max_lanes = (uint64_t)Attribute(kLanes, device);
  its->shared_bytes = (uint64_t)Attribute(kShared, device);
  for (d = 0; d < 3; ++d) {
    its->max_block[d] = (uint32_t)Attribute(kBlockX + d, device);
    its->max_grid[d] = (uint32_t)Attribute(kGridX + d, device);
  }
  code = driver.cuDevicePrimaryCtxRetain(&devices[number].context, device);
  return code != 0 ? code : OpenStream(number);
}

static int32_t Allocate(void* user, uint32_t device, uint64_t bytes, uint64_t* memory) {
  (void)user;
  WITH_CONTEXT(device, driver.cuMemAlloc_v2(memory, bytes));
}

static int FreeThere(uint32_t device, uint64_t memory) {
  WITH_CONTEXT(device, driver.cuMemFree_v2(memory));
}

static void Free(void* user, uint32_t device, uint64_t memory) {
  (void)user;
  (void)FreeThere(device, memory);
}

static int32_t Write(void* user, uint32_t device, uint64_t to, uint64_t at, const void* from,
                     uint64_t bytes) {
  (void)user;
  WITH_CONTEXT(device, driver.cuMemcpyHtoDAsync_v2(to + at, from, bytes, devices[device].stream));
}

static int32_t Read(void* user, uint32_t device, void* to, uint64_t from, uint64_t at,
                    uint64_t bytes) {
  (void)user;
  WITH_CONTEXT(device, driver.cuMemcpyDtoHAsync_v2(to, from + at, bytes, devices[device].stream));
}

static int32_t Copy(void* user, uint32_t device, uint64_t to, uint64_t from, uint64_t bytes) {
  (void)user;
  WITH_CONTEXT(device, driver.cuMemcpyDtoDAsync_v2(to, from, bytes, devices[device].stream));
}

static int32_t Finish(void* user, uint32_t device) {
  (void)user;
  WITH_CONTEXT(device, driver.cuStreamSynchronize(devices[device].stream));
}

static int Load(uint32_t device, const void* text, Handle* module) {
  WITH_CONTEXT(device, driver.cuModuleLoadDataEx(module, text, 0, NULL, NULL));
}

static int Find(uint32_t device, Handle module, const char* name, Handle* function) {
  WITH_CONTEXT(device, driver.cuModuleGetFunction(function, module, name));
}

static int Unload(uint32_t device, Handle module) {
  WITH_CONTEXT(device, driver.cuModuleUnload(module));
}

static int32_t Build(void* user, uint32_t device, const hologram_device_code* code, void** built) {
  Built* made = NULL;
  int failed = 0;
  (void)user;
  if (code->num_arguments > kMostArguments) return kTooMany;
  made = calloc(1, sizeof *made);
  if (made == NULL) return kNoMemory;
  made->num_arguments = code->num_arguments;
  failed = Load(device, code->data, &made->module);
  if (failed == 0) {
    failed = Find(device, made->module, code->entry, &made->function);
    if (failed != 0) (void)Unload(device, made->module);
  }
  if (failed != 0) {
    free(made);
    return failed;
  }
  *built = made;
  return 0;
}

static void Release(void* user, uint32_t device, void* built) {
  (void)Finish(user, device);
  (void)Unload(device, ((Built*)built)->module);
  free(built);
}

static int32_t Start(void* user, uint32_t device, void* built,
                     const hologram_device_argument* arguments,
                     const hologram_launch_shape* shape) {
  const Built* const made = built;
  uint64_t words[kMostArguments];
  void* values[kMostArguments];
  uint32_t k = 0;
  (void)user;
  for (k = 0; k < made->num_arguments; ++k) {
    words[k] = arguments[k].memory;
    if (arguments[k].value != NULL) memcpy(&words[k], arguments[k].value, arguments[k].bytes);
    values[k] = &words[k];
  }
  WITH_CONTEXT(device,
               driver.cuLaunchKernel(made->function, shape->grid[0], shape->grid[1], shape->grid[2],
                                     shape->block[0], shape->block[1], shape->block[2], 0,
                                     devices[device].stream, values, NULL));
}

/* 0, or 1 after a line on standard error. */
HOLOGRAM_API int register_my_cuda(const char* library) {
  static const hologram_engine kEngine = {sizeof kEngine,
                                          "my_cuda",
                                          HOLOGRAM_CODE_PTX,
                                          NULL,
                                          Count,
                                          Describe,
                                          Allocate,
                                          Free,
                                          Write,
                                          Read,
                                          Copy,
                                          Start,
                                          Finish,
                                          Build,
                                          Release,
                                          NULL};
  hologram_error* error = NULL;
  void* const opened = dlopen(library, RTLD_NOW);
  if (opened == NULL) {
    fprintf(stderr, "my_cuda: %s\n", dlerror());
    return 1;
  }
#define FIND(name, parameters)                                          \
  memcpy(&driver.name, (void*[]){dlsym(opened, #name)}, sizeof(void*)); \
  if (driver.name == NULL) {                                            \
    fprintf(stderr, "my_cuda: the driver has no " #name "\n");          \
    return 1;                                                           \
  }
  DRIVER(FIND)
#undef FIND
  if (driver.cuInit(0) != 0) {
    fprintf(stderr, "my_cuda: there is no device\n");
    return 1;
  }
  error = hologram_register_engine(&kEngine, NULL);
  if (error == NULL) return 0;
  fprintf(stderr, "my_cuda: %s\n", hologram_error_message(error));
  hologram_error_destroy(error);
  return 1;
}
