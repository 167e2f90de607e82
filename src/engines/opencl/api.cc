#include "engines/opencl/api.h"

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "base/environment.h"

namespace hologram::engines::opencl {
namespace {

Result<const Api*> LoadOnce() {
  const char* const named = ReadNonEmpty(Variable::kOpenCl);
  const std::string path = named != nullptr ? named : "libOpenCL.so.1";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return Error(ErrorCode::kUnsupported,
                 "no OpenCL library: " + std::string(why != nullptr ? why : path));
  }
  static Api api;
  std::string missing;
  const auto find = [&](const char* name, auto& function) {
    void* const found = dlsym(library, name);
    if (found == nullptr && missing.empty()) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  find("clGetPlatformIDs", api.get_platforms);
  find("clGetPlatformInfo", api.get_platform_info);
  find("clGetDeviceIDs", api.get_devices);
  find("clGetDeviceInfo", api.get_device_info);
  find("clCreateContext", api.create_context);
  find("clCreateCommandQueue", api.create_queue);
  find("clCreateProgramWithIL", api.create_program);
  find("clBuildProgram", api.build_program);
  find("clGetProgramBuildInfo", api.get_build_info);
  find("clCreateKernel", api.create_kernel);
  find("clSetKernelArg", api.set_argument);
  find("clCreateBuffer", api.create_buffer);
  find("clEnqueueWriteBuffer", api.write_buffer);
  find("clEnqueueReadBuffer", api.read_buffer);
  find("clEnqueueNDRangeKernel", api.enqueue_kernel);
  find("clFinish", api.finish);
  find("clReleaseKernel", api.release_kernel);
  find("clReleaseProgram", api.release_program);
  find("clReleaseMemObject", api.release_buffer);
  if (!missing.empty()) {
    return Error(ErrorCode::kUnsupported, path + " has no " + missing + ", which OpenCL 2.1 has");
  }
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
