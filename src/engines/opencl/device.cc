#include "engines/opencl/device.h"

#include <algorithm>
#include <utility>

#include "engines/devices/probe.h"
#include "engines/opencl/api.h"
#include "engines/opencl/code.h"
#include "engines/opencl/queue.h"

namespace hologram::engines::opencl {
namespace {

std::string TextOf(const Api& api, Handle device, uint32_t what) {
  size_t size = 0;
  if (api.get_device_info(device, what, 0, nullptr, &size) != 0 || size == 0) return {};
  std::string text(size, '\0');
  if (api.get_device_info(device, what, size, text.data(), nullptr) != 0) return {};
  text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
  return text;
}

// A number of 64 bits, or of the width of an address.
uint64_t NumberOf(const Api& api, Handle device, uint32_t what) {
  uint64_t value = 0;
  return api.get_device_info(device, what, sizeof value, &value, nullptr) == 0 ? value : 0;
}

std::string PlatformText(const Api& api, Handle platform, uint32_t what) {
  char text[256] = {};
  const int32_t code = api.get_platform_info(platform, what, sizeof text - 1, text, nullptr);
  return code == 0 ? text : "OpenCL";
}

class OpenClDevice final : public devices::Device {
 public:
  OpenClDevice(const Api& api, Handle platform, Handle handle) : api_(api), queue_(api) {
    builder_.device = handle;
    facts_.name =
        PlatformText(api, platform, kPlatformName) + ", " + TextOf(api, handle, kDeviceName);
    facts_.driver = TextOf(api, handle, kDriverVersion);
    builder_.name = facts_.name;
    builder_.driver = PlatformText(api, platform, kPlatformVersion) + ", " + facts_.driver;
    facts_.is_gpu = (NumberOf(api, handle, kDeviceType) & kTypeGpu) != 0;
    facts_.max_lanes = NumberOf(api, handle, kMaxGroupSize);
    facts_.shared_bytes = NumberOf(api, handle, kLocalMemory);
    facts_.has_f64 = NumberOf(api, handle, kDoubleConfig) != 0;
    const std::string extensions = TextOf(api, handle, kExtensions);
    facts_.has_atomics64 = extensions.find("cl_khr_int64_base_atomics") != std::string::npos &&
                           extensions.find("cl_khr_int64_extended_atomics") != std::string::npos;
    if ((NumberOf(api, handle, kSingleConfig) & kExactDivision) != 0) {
      builder_.options = "-cl-fp32-correctly-rounded-divide-sqrt";
    } else {
      division_ = device::Division::kDouble;
    }
    int32_t error = 0;
    builder_.context = api.create_context(nullptr, 1, &handle, nullptr, nullptr, &error);
    const bool has_queue = builder_.context != nullptr && queue_.Open(builder_.context, handle);
    facts_.why_not = WhyNot(has_queue);
    if (facts_.why_not.empty()) facts_.why_not = devices::Probe(*this);
  }

  Result<devices::Address> Allocate(uint64_t bytes) override {
    int32_t error = 0;
    Handle buffer = api_.create_buffer(builder_.context, kReadWrite, bytes, nullptr, &error);
    if (error == 0) return static_cast<devices::Address>(reinterpret_cast<uintptr_t>(buffer));
    return Error(ErrorCode::kResourceLimit,
                 "opencl: no memory for " + std::to_string(bytes) + " bytes on the device");
  }

  void Free(devices::Address memory) override { api_.release_buffer(HandleOf(memory)); }

  Status Write(devices::Address to, uint64_t at, const void* from, uint64_t bytes) override {
    const int32_t code = queue_.Ask([&](Handle queue, Handle* event) {
      return api_.write_buffer(queue, HandleOf(to), 0, at, bytes, from, 0, nullptr, event);
    });
    return CheckCall("clEnqueueWriteBuffer", code);
  }

  Status Read(void* to, devices::Address from, uint64_t at, uint64_t bytes) override {
    const int32_t code = queue_.Ask([&](Handle queue, Handle* event) {
      return api_.read_buffer(queue, HandleOf(from), 0, at, bytes, to, 0, nullptr, event);
    });
    return CheckCall("clEnqueueReadBuffer", code);
  }

  Status Copy(devices::Address to, devices::Address from, uint64_t bytes) override {
    const int32_t code = queue_.Ask([&](Handle queue, Handle* event) {
      return api_.copy_buffer(queue, HandleOf(from), HandleOf(to), 0, 0, bytes, 0, nullptr, event);
    });
    return CheckCall("clEnqueueCopyBuffer", code);
  }

  Status Finish() override { return CheckCall("clFinish", queue_.Finish()); }

  void BeginTimes() override { queue_.BeginTimes(); }
  Result<std::vector<devices::Interval>> TakeTimes() override { return queue_.TakeTimes(); }

  Result<std::unique_ptr<devices::Code>> Translate(
      const verify::VerifiedProgram& program) override {
    HOLOGRAM_ASSIGN_OR_RETURN(device::SpirvKernel kernel, device::WriteSpirv(program, division_));
    return std::unique_ptr<devices::Code>(
        std::make_unique<OpenClCode>(api_, builder_, queue_, std::move(kernel)));
  }

 private:
  // Why it cannot take kernels at all; empty: it can be asked for results.
  std::string WhyNot(bool has_queue) const {
    if (TextOf(api_, builder_.device, kIlVersion).find("SPIR-V") == std::string::npos) {
      return "it takes no SPIR-V";
    }
    if (!has_queue) return "it gives no queue";
    if (division_ == device::Division::kDouble && !facts_.has_f64) {
      return "it neither divides f32 exactly nor has f64";
    }
    return {};
  }

  const Api& api_;
  Builder builder_;
  Queue queue_;
  device::Division division_ = device::Division::kSingle;
};

}  // namespace

Result<const devices::DeviceList*> FindDevices() {
  HOLOGRAM_ASSIGN_OR_RETURN(const Api* const api, Load());
  auto* const found = new devices::DeviceList();
  constexpr uint32_t kMost = 16;
  Handle platforms[kMost];
  uint32_t num_platforms = 0;
  if (api->get_platforms(kMost, platforms, &num_platforms) != 0) return found;
  for (uint32_t p = 0; p < std::min(num_platforms, kMost); ++p) {
    Handle devices[kMost];
    uint32_t num_devices = 0;
    if (api->get_devices(platforms[p], kAllDevices, kMost, devices, &num_devices) != 0) continue;
    for (uint32_t d = 0; d < std::min(num_devices, kMost); ++d) {
      found->push_back(std::make_unique<OpenClDevice>(*api, platforms[p], devices[d]));
    }
  }
  (void)devices::IsEnding();
  return found;
}

}  // namespace hologram::engines::opencl
