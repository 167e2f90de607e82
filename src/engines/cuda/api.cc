#include "engines/cuda/api.h"

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "base/environment.h"

namespace hologram::engines::cuda {
namespace {

Result<const Api*> LoadOnce() {
  const char* const named = ReadNonEmpty(Variable::kCuda);
  const std::string path = named != nullptr ? named : "libcuda.so.1";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return Error(ErrorCode::kUnsupported,
                 "no CUDA driver: " + std::string(why != nullptr ? why : path));
  }
  static Api api;
  std::string missing;
  const auto find = [&](const char* name, auto& function) {
    void* const found = dlsym(library, name);
    if (found == nullptr && missing.empty()) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  find("cuInit", api.init);
  find("cuDriverGetVersion", api.get_version);
  find("cuDeviceGetCount", api.get_count);
  find("cuDeviceGet", api.get_device);
  find("cuDeviceGetName", api.get_name);
  find("cuDeviceGetAttribute", api.get_attribute);
  find("cuDevicePrimaryCtxRetain", api.retain_context);
  find("cuCtxGetCurrent", api.get_current);
  find("cuCtxPushCurrent_v2", api.push);
  find("cuCtxPopCurrent_v2", api.pop);
  find("cuStreamCreate", api.create_stream);
  find("cuStreamSynchronize", api.synchronize);
  find("cuMemAlloc_v2", api.allocate);
  find("cuMemFree_v2", api.free);
  find("cuMemcpyHtoDAsync_v2", api.copy_to_device);
  find("cuMemcpyDtoHAsync_v2", api.copy_to_host);
  find("cuModuleLoadDataEx", api.load_module);
  find("cuModuleUnload", api.unload_module);
  find("cuModuleGetFunction", api.get_function);
  find("cuFuncGetAttribute", api.get_function_attribute);
  find("cuLaunchKernel", api.launch);
  find("cuGetErrorName", api.get_error_name);
  if (!missing.empty()) {
    return Error(ErrorCode::kUnsupported, path + " has no " + missing + ", which CUDA 9.0 has");
  }
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
