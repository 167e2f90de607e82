#include "engines/cuda/api.h"

#include <string>

#include "engines/devices/driver_library.h"

namespace hologram::engines::cuda {
namespace {

Result<const Api*> LoadOnce() {
  HOLOGRAM_ASSIGN_OR_RETURN(DriverLibrary library,
                            DriverLibrary::Open(Variable::kCuda, "libcuda.so.1", "CUDA driver"));
  static Api api;
  library.Find("cuInit", api.init);
  library.Find("cuDriverGetVersion", api.get_version);
  library.Find("cuDeviceGetCount", api.get_count);
  library.Find("cuDeviceGet", api.get_device);
  library.Find("cuDeviceGetName", api.get_name);
  library.Find("cuDeviceGetAttribute", api.get_attribute);
  library.Find("cuDevicePrimaryCtxRetain", api.retain_context);
  library.Find("cuCtxGetCurrent", api.get_current);
  library.Find("cuCtxPushCurrent_v2", api.push);
  library.Find("cuCtxPopCurrent_v2", api.pop);
  library.Find("cuCtxSynchronize", api.synchronize_context);
  library.Find("cuStreamCreate", api.create_stream);
  library.Find("cuStreamSynchronize", api.synchronize);
  library.Find("cuEventCreate", api.create_event);
  library.Find("cuEventRecord", api.record_event);
  library.Find("cuEventElapsedTime", api.elapsed_time);
  library.Find("cuMemAlloc_v2", api.memory.allocate);
  library.Find("cuMemFree_v2", api.memory.free);
  library.Find("cuMemcpyHtoDAsync_v2", api.memory.to_device);
  library.Find("cuMemcpyDtoHAsync_v2", api.memory.to_host);
  library.Find("cuMemcpyDtoDAsync_v2", api.memory.on_device);
  library.FindNewer("cuMemPoolCreate", api.pool.create);
  library.FindNewer("cuMemPoolSetAttribute", api.pool.set_attribute);
  library.FindNewer("cuMemAllocFromPoolAsync", api.pool.allocate);
  library.FindNewer("cuMemFreeAsync", api.pool.free);
  library.Find("cuModuleLoadDataEx", api.load_module);
  library.Find("cuModuleUnload", api.unload_module);
  library.Find("cuModuleGetFunction", api.get_function);
  library.Find("cuFuncGetAttribute", api.get_function_attribute);
  library.Find("cuLaunchKernel", api.launch);
  library.Find("cuGetErrorName", api.get_error_name);
  HOLOGRAM_RETURN_IF_ERROR(library.HasAll("CUDA 9.0"));
  const int32_t code = api.init(0);
  if (code == kNoDevice) return Error(ErrorCode::kUnsupported, "no CUDA device was found");
  HOLOGRAM_RETURN_IF_ERROR(CheckCall(api, "cuInit", code));
  return &api;
}

}  // namespace

Result<const Api*> Load() {
  static const Result<const Api*> loaded = LoadOnce();
  return loaded;
}

Diagnostic CallError(const Api& api, const char* call, int32_t code) {
  std::string message = "cuda: " + std::string(call) + " failed with " + std::to_string(code);
  const char* name = nullptr;
  if (api.get_error_name(code, &name) == 0 && name != nullptr) {
    message += std::string(", ") + name;
  }
  const bool memory = code == kOutOfMemory;
  return Error(memory ? ErrorCode::kResourceLimit : ErrorCode::kUnsupported, message);
}

Status CheckCall(const Api& api, const char* call, int32_t code) {
  if (code == 0) return Success{};
  return CallError(api, call, code);
}

}  // namespace hologram::engines::cuda
