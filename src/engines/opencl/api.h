// The functions of an OpenCL library, loaded when they are first wanted and never linked. Names and
// numbers are those of the OpenCL specification.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace hologram::engines::opencl {

using Handle = void*;  // of a platform, device, context, queue, program, kernel or buffer

enum : uint32_t {
  kPlatformVersion = 0x0901,
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
  kBinarySizes = 0x1165,
  kBinaries = 0x1166,
  kBuildLog = 0x1183,
  kEventQueued = 0x1280,
  kEventStart = 0x1282,
  kEventEnd = 0x1283,
};
inline constexpr uint64_t kTypeCpu = 2;
inline constexpr uint64_t kTypeGpu = 4;
inline constexpr uint64_t kAllDevices = 0xFFFFFFFF;
inline constexpr uint64_t kExactDivision = 1 << 7;  // in kSingleConfig
inline constexpr uint64_t kReadWrite = 1;           // of a buffer
inline constexpr uint64_t kQueueProfiling = 2;      // of a queue

using GetPlatforms = int32_t (*)(uint32_t count, Handle* platforms, uint32_t* found);
using GetPlatformInfo = int32_t (*)(Handle platform, uint32_t what, size_t size, void* value,
                                    size_t* found);
using GetDevices = int32_t (*)(Handle platform, uint64_t type, uint32_t count, Handle* devices,
                               uint32_t* found);
using GetDeviceInfo = int32_t (*)(Handle device, uint32_t what, size_t size, void* value,
                                  size_t* found);
using CreateContext = Handle (*)(const intptr_t* properties, uint32_t count, const Handle* devices,
                                 void (*notify)(const char*, const void*, size_t, void*),
                                 void* user, int32_t* error);
using CreateQueue = Handle (*)(Handle context, Handle device, uint64_t properties, int32_t* error);
using CreateProgram = Handle (*)(Handle context, const void* il, size_t size, int32_t* error);
using CreateWithBinary = Handle (*)(Handle context, uint32_t count, const Handle* devices,
                                    const size_t* sizes, const uint8_t* const* binaries,
                                    int32_t* status, int32_t* error);
using BuildProgram = int32_t (*)(Handle program, uint32_t count, const Handle* devices,
                                 const char* options, void (*notify)(Handle, void*), void* user);
using GetBuildInfo = int32_t (*)(Handle program, Handle device, uint32_t what, size_t size,
                                 void* value, size_t* found);
using GetProgramInfo = int32_t (*)(Handle program, uint32_t what, size_t size, void* value,
                                   size_t* found);
using CreateKernel = Handle (*)(Handle program, const char* name, int32_t* error);
using SetArgument = int32_t (*)(Handle kernel, uint32_t number, size_t size, const void* value);
using CreateBuffer = Handle (*)(Handle context, uint64_t flags, size_t size, void* host,
                                int32_t* error);
using WriteBuffer = int32_t (*)(Handle queue, Handle buffer, uint32_t blocking, size_t offset,
                                size_t size, const void* from, uint32_t num_waits,
                                const Handle* waits, Handle* event);
using ReadBuffer = int32_t (*)(Handle queue, Handle buffer, uint32_t blocking, size_t offset,
                               size_t size, void* to, uint32_t num_waits, const Handle* waits,
                               Handle* event);
using CopyBuffer = int32_t (*)(Handle queue, Handle from, Handle to, size_t from_offset,
                               size_t to_offset, size_t size, uint32_t num_waits,
                               const Handle* waits, Handle* event);
using EnqueueKernel = int32_t (*)(Handle queue, Handle kernel, uint32_t dimensions,
                                  const size_t* offset, const size_t* global, const size_t* local,
                                  uint32_t num_waits, const Handle* waits, Handle* event);
using Finish = int32_t (*)(Handle queue);
using GetEventProfiling = int32_t (*)(Handle event, uint32_t what, size_t size, void* value,
                                      size_t* found);
using ReleaseEvent = int32_t (*)(Handle event);
using ReleaseKernel = int32_t (*)(Handle kernel);
using ReleaseProgram = int32_t (*)(Handle program);
using ReleaseBuffer = int32_t (*)(Handle buffer);

struct Api {
  GetPlatforms get_platforms;
  GetPlatformInfo get_platform_info;
  GetDevices get_devices;
  GetDeviceInfo get_device_info;
  CreateContext create_context;
  CreateQueue create_queue;
  CreateProgram create_program;
  CreateWithBinary create_with_binary;
  BuildProgram build_program;
  GetBuildInfo get_build_info;
  GetProgramInfo get_program_info;
  CreateKernel create_kernel;
  SetArgument set_argument;
  CreateBuffer create_buffer;
  WriteBuffer write_buffer;
  ReadBuffer read_buffer;
  CopyBuffer copy_buffer;
  EnqueueKernel enqueue_kernel;
  Finish finish;
  GetEventProfiling get_event_profiling;
  ReleaseEvent release_event;
  ReleaseKernel release_kernel;
  ReleaseProgram release_program;
  ReleaseBuffer release_buffer;
};

// Loads the library that HOLOGRAM_OPENCL names, else libOpenCL.so.1; once. Errors: there is none,
// or it is too old.
Result<const Api*> Load();

// "clFinish failed with -5"
Diagnostic CallError(const char* call, int32_t code);

}  // namespace hologram::engines::opencl
