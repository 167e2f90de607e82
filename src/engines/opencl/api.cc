#include "engines/opencl/api.h"

#include <string>

#include "engines/devices/driver_library.h"

namespace hologram::engines::opencl {
namespace {

Result<const Api*> LoadOnce() {
  HOLOGRAM_ASSIGN_OR_RETURN(
      DriverLibrary library,
      DriverLibrary::Open(Variable::kOpenCl, "libOpenCL.so.1", "OpenCL library"));
  static Api api;
  library.Find("clGetPlatformIDs", api.get_platforms);
  library.Find("clGetPlatformInfo", api.get_platform_info);
  library.Find("clGetDeviceIDs", api.get_devices);
  library.Find("clGetDeviceInfo", api.get_device_info);
  library.Find("clCreateContext", api.create_context);
  library.Find("clCreateCommandQueue", api.create_queue);
  library.Find("clCreateProgramWithIL", api.create_program);
  library.Find("clCreateProgramWithBinary", api.create_with_binary);
  library.Find("clBuildProgram", api.build_program);
  library.Find("clGetProgramBuildInfo", api.get_build_info);
  library.Find("clGetProgramInfo", api.get_program_info);
  library.Find("clCreateKernel", api.create_kernel);
  library.Find("clSetKernelArg", api.set_argument);
  library.Find("clCreateBuffer", api.create_buffer);
  library.Find("clEnqueueWriteBuffer", api.write_buffer);
  library.Find("clEnqueueReadBuffer", api.read_buffer);
  library.Find("clEnqueueCopyBuffer", api.copy_buffer);
  library.Find("clEnqueueNDRangeKernel", api.enqueue_kernel);
  library.Find("clFinish", api.finish);
  library.Find("clGetEventProfilingInfo", api.get_event_profiling);
  library.Find("clReleaseEvent", api.release_event);
  library.Find("clReleaseKernel", api.release_kernel);
  library.Find("clReleaseProgram", api.release_program);
  library.Find("clReleaseMemObject", api.release_buffer);
  HOLOGRAM_RETURN_IF_ERROR(library.HasAll("OpenCL 2.1"));
  return &api;
}

}  // namespace

Result<const Api*> Load() {
  static const Result<const Api*> loaded = LoadOnce();
  return loaded;
}

Diagnostic CallError(const char* call, int32_t code) {
  return Error(ErrorCode::kUnsupported,
               "opencl: " + std::string(call) + " failed with " + std::to_string(code));
}

}  // namespace hologram::engines::opencl
