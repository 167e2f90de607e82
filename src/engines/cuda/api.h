// The functions of NVIDIA's driver, loaded when they are first wanted and never linked. Names and
// numbers are those of cuda.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace hologram::engines::cuda {

using Handle = void*;  // of a context, stream, module or function
using Ordinal = int32_t;
using Pointer = uint64_t;  // to memory of a device

enum : int32_t { kOutOfMemory = 2, kNoDevice = 100 };
// Attributes of devices.
enum : int32_t {
  kMaxThreadsPerBlock = 1,
  kMaxBlockX = 2,  // and y, z
  kMaxGridX = 5,   // and y, z
  kMaxSharedPerBlock = 8,
  kProcessors = 16,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kMemoryPools = 115,
};
inline constexpr int32_t kPoolKeeps = 4;           // an attribute of pools
inline constexpr int32_t kThreadsOfFunction = 0;   // an attribute of functions
inline constexpr uint32_t kStreamNonBlocking = 1;  // it does not wait for the stream of others
// Options of a build.
enum : int32_t { kMaxRegisters = 0, kErrorLog = 5, kErrorLogBytes = 6 };

using Init = int32_t (*)(uint32_t flags);
using DriverGetVersion = int32_t (*)(int32_t* version);
using DeviceGetCount = int32_t (*)(int32_t* count);
using DeviceGet = int32_t (*)(Ordinal* device, int32_t number);
using DeviceGetName = int32_t (*)(char* name, int32_t size, Ordinal device);
using DeviceGetAttribute = int32_t (*)(int32_t* value, int32_t what, Ordinal device);
using PrimaryCtxRetain = int32_t (*)(Handle* context, Ordinal device);
using CtxGetCurrent = int32_t (*)(Handle* context);
using CtxPush = int32_t (*)(Handle context);
using CtxPop = int32_t (*)(Handle* context);
using CtxSynchronize = int32_t (*)();
using StreamCreate = int32_t (*)(Handle* stream, uint32_t flags);
using StreamSynchronize = int32_t (*)(Handle stream);
using EventCreate = int32_t (*)(Handle* event, uint32_t flags);
using EventRecord = int32_t (*)(Handle event, Handle stream);
using EventElapsedTime = int32_t (*)(float* milliseconds, Handle begin, Handle end);
using MemAlloc = int32_t (*)(Pointer* memory, size_t bytes);
using MemFree = int32_t (*)(Pointer memory);
// CUmemPoolProps: memory of a device, for this process alone.
struct PoolProperties {
  int32_t allocation = 1;  // pinned
  int32_t handles = 0;
  int32_t location = 1;  // a device
  int32_t number = 0;
  void* security = nullptr;
  uint8_t reserved[64] = {};
};
using PoolCreate = int32_t (*)(Handle* pool, const PoolProperties* properties);
using PoolAlloc = int32_t (*)(Pointer* memory, size_t bytes, Handle pool, Handle stream);
using MemFreeAsync = int32_t (*)(Pointer memory, Handle stream);
using PoolSetAttribute = int32_t (*)(Handle pool, int32_t what, void* value);
using MemcpyToDevice = int32_t (*)(Pointer to, const void* from, size_t bytes, Handle stream);
using MemcpyToHost = int32_t (*)(void* to, Pointer from, size_t bytes, Handle stream);
using MemcpyOnDevice = int32_t (*)(Pointer to, Pointer from, size_t bytes, Handle stream);
using ModuleLoad = int32_t (*)(Handle* module, const void* image, uint32_t count,
                               const int32_t* options, void** values);
using ModuleUnload = int32_t (*)(Handle module);
using ModuleGetFunction = int32_t (*)(Handle* function, Handle module, const char* name);
using FuncGetAttribute = int32_t (*)(int32_t* value, int32_t what, Handle function);
using LaunchKernel = int32_t (*)(Handle function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                                 uint32_t block_x, uint32_t block_y, uint32_t block_z,
                                 uint32_t shared_bytes, Handle stream, void** arguments,
                                 void** extra);
using GetErrorName = int32_t (*)(int32_t code, const char** text);

struct MemoryApi {
  MemAlloc allocate;
  MemFree free;
  MemcpyToDevice to_device;
  MemcpyToHost to_host;
  MemcpyOnDevice on_device;
};

// Memory by the order of a stream, from a pool that keeps what is freed. Drivers from CUDA 11.2 on
// have it; null: this one has not.
struct PoolApi {
  PoolCreate create;
  PoolSetAttribute set_attribute;
  PoolAlloc allocate;
  MemFreeAsync free;
};

struct Api {
  Init init;
  DriverGetVersion get_version;
  DeviceGetCount get_count;
  DeviceGet get_device;
  DeviceGetName get_name;
  DeviceGetAttribute get_attribute;
  PrimaryCtxRetain retain_context;
  CtxGetCurrent get_current;
  CtxPush push;
  CtxPop pop;
  CtxSynchronize synchronize_context;
  StreamCreate create_stream;
  StreamSynchronize synchronize;
  EventCreate create_event;
  EventRecord record_event;
  EventElapsedTime elapsed_time;
  MemoryApi memory;
  PoolApi pool;
  ModuleLoad load_module;
  ModuleUnload unload_module;
  ModuleGetFunction get_function;
  FuncGetAttribute get_function_attribute;
  LaunchKernel launch;
  GetErrorName get_error_name;
};

// Loads the library that HOLOGRAM_CUDA names, else libcuda.so.1, and starts it; once. Errors: there
// is none, it is too old, or there is no device.
Result<const Api*> Load();

// "cuda: cuMemAlloc failed with 2, CUDA_ERROR_OUT_OF_MEMORY"
Diagnostic CallError(const Api& api, const char* call, int32_t code);
Status CheckCall(const Api& api, const char* call, int32_t code);

}  // namespace hologram::engines::cuda
