// The functions of an OpenCL library, loaded when they are first wanted and never linked. Names and
// numbers are those of the OpenCL specification.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace hologram::engines::opencl {

using Handle = void*;  // of a platform, device, context, queue, program, kernel or buffer

enum : uint32_t {
  kPlatformName = 0x0902,
  kDeviceType = 0x1000,
  kMaxGroupSize = 0x1004,
  kSingleConfig = 0x101B,
  kLocalMemory = 0x1023,
  kDeviceName = 0x102B,
  kDriverVersion = 0x102D,
  kExtensions = 0x1030,
  kDoubleConfig = 0x1032,
  kIlVersion = 0x105B,
  kBuildLog = 0x1183,
};
inline constexpr uint64_t kTypeCpu = 2;
inline constexpr uint64_t kTypeGpu = 4;
inline constexpr uint64_t kAllDevices = 0xFFFFFFFF;
inline constexpr uint64_t kExactDivision = 1 << 7;  // in kSingleConfig
inline constexpr uint64_t kReadWrite = 1;           // of a buffer

struct Api {
  int32_t (*get_platforms)(uint32_t count, Handle* platforms, uint32_t* found);
  int32_t (*get_platform_info)(Handle platform, uint32_t what, size_t size, void* value,
                               size_t* found);
  int32_t (*get_devices)(Handle platform, uint64_t type, uint32_t count, Handle* devices,
                         uint32_t* found);
  int32_t (*get_device_info)(Handle device, uint32_t what, size_t size, void* value,
                             size_t* found);
  Handle (*create_context)(const intptr_t* properties, uint32_t count, const Handle* devices,
                           void (*notify)(const char*, const void*, size_t, void*), void* user,
                           int32_t* error);
  Handle (*create_queue)(Handle context, Handle device, uint64_t properties, int32_t* error);
  Handle (*create_program)(Handle context, const void* il, size_t size, int32_t* error);
  int32_t (*build_program)(Handle program, uint32_t count, const Handle* devices,
                           const char* options, void (*notify)(Handle, void*), void* user);
  int32_t (*get_build_info)(Handle program, Handle device, uint32_t what, size_t size, void* value,
                            size_t* found);
  Handle (*create_kernel)(Handle program, const char* name, int32_t* error);
  int32_t (*set_argument)(Handle kernel, uint32_t number, size_t size, const void* value);
  Handle (*create_buffer)(Handle context, uint64_t flags, size_t size, void* host, int32_t* error);
  int32_t (*write_buffer)(Handle queue, Handle buffer, uint32_t blocking, size_t offset,
                          size_t size, const void* from, uint32_t num_waits, const Handle* waits,
                          Handle* event);
  int32_t (*read_buffer)(Handle queue, Handle buffer, uint32_t blocking, size_t offset, size_t size,
                         void* to, uint32_t num_waits, const Handle* waits, Handle* event);
  int32_t (*enqueue_kernel)(Handle queue, Handle kernel, uint32_t dimensions, const size_t* offset,
                            const size_t* global, const size_t* local, uint32_t num_waits,
                            const Handle* waits, Handle* event);
  int32_t (*finish)(Handle queue);
  int32_t (*release_kernel)(Handle kernel);
  int32_t (*release_program)(Handle program);
  int32_t (*release_buffer)(Handle buffer);
};

// Loads the library that HOLOGRAM_OPENCL names, else libOpenCL.so.1; once. Errors: there is none, or
// it is too old.
Result<const Api*> Load();

// Whether the process is ending, so that the library may have ended already.
bool IsEnding();

// "clFinish failed with -5"
Diagnostic CallError(const char* call, int32_t code);

}  // namespace hologram::engines::opencl
