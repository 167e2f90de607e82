#include "engines/cuda/device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engines/cuda/api.h"
#include "engines/cuda/queue.h"
#include "engines/devices/probe.h"

namespace hologram::engines::cuda {
namespace {

constexpr int32_t kLeastVersion = 9000;  // of the driver: PTX 6.0
constexpr int32_t kLeastCapability = 70;
// What is kept of freed memory for the next arrays; a launch need not wait until it is given back.
constexpr uint64_t kKeptBytes = uint64_t{1} << 28;

std::string VersionText(int32_t version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

class CudaCode final : public devices::Code {
 public:
  CudaCode(const Api& api, Queue& queue, const devices::DeviceFacts& device,
           device::PtxKernel kernel)
      : api_(api),
        queue_(queue),
        device_(device),
        kernel_(std::move(kernel)),
        values_(kernel_.arguments.size(), 0) {
    for (uint64_t& value : values_) arguments_.push_back(&value);
  }
  ~CudaCode() override { Unload(); }
  const device::KernelCode& facts() const override { return kernel_; }

  Status Build() override { return Load(0); }

  Status SetMemory(uint32_t number, devices::Address memory) override {
    values_[number] = memory;
    return Success{};
  }

  Status SetNumber(uint32_t number, const void* value, size_t size) override {
    std::memcpy(&values_[number], value, size);
    return Success{};
  }

  Status Start(const hologram_launch_shape& shape) override {
    const uint32_t lanes = shape.block[0] * shape.block[1] * shape.block[2];
    if (lanes > most_lanes_) HOLOGRAM_RETURN_IF_ERROR(MakeRoomFor(lanes));
    const int32_t code = queue_.Ask([&](Handle stream) {
      return api_.launch(function_, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                         shape.block[1], shape.block[2], 0, stream, arguments_.data(), nullptr);
    });
    return CheckCall(api_, "cuLaunchKernel", code);
  }

 private:
  void Unload() {
    if (module_ == nullptr) return;
    (void)queue_.Finish();  // a launch that nobody has waited for
    (void)api_.unload_module(module_);
    module_ = nullptr;
  }

  // `registers`: of a lane at most; 0: what the driver likes.
  Status Load(uint32_t registers) {
    char log[2048] = {};
    int32_t options[] = {kErrorLog, kErrorLogBytes, kMaxRegisters};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log - 1),
                      reinterpret_cast<void*>(static_cast<uintptr_t>(registers))};
    const int32_t code =
        api_.load_module(&module_, kernel_.text.c_str(), registers != 0 ? 3 : 2, options, values);
    if (code != 0) {
      module_ = nullptr;
      std::string why = log;
      why.resize(std::min(why.size(), why.find('\n')));
      if (why.empty()) return CallError(api_, "cuModuleLoadDataEx", code);
      return Error(ErrorCode::kUnsupported,
                   "'" + device_.name + "' does not build '" + kernel_.entry + "': " + why);
    }
    HOLOGRAM_RETURN_IF_ERROR(
        CheckCall(api_, "cuModuleGetFunction",
                  api_.get_function(&function_, module_, kernel_.entry.c_str())));
    int32_t most = 0;
    HOLOGRAM_RETURN_IF_ERROR(
        CheckCall(api_, "cuFuncGetAttribute",
                  api_.get_function_attribute(&most, kThreadsOfFunction, function_)));
    most_lanes_ = static_cast<uint32_t>(std::max(most, 0));
    return Success{};
  }

  // A block that has not the registers for all its lanes: the kernel is compiled with fewer.
  Status MakeRoomFor(uint32_t lanes) {
    constexpr uint32_t kRegistersForMost = 64;  // 65,536 of a block of 1,024 lanes
    Unload();
    HOLOGRAM_RETURN_IF_ERROR(Load(kRegistersForMost));
    if (lanes <= most_lanes_) return Success{};
    return Error(ErrorCode::kUnsupported,
                 "'" + device_.name + "' runs '" + kernel_.entry + "' in blocks of up to " +
                     std::to_string(most_lanes_) + " lanes, found " + std::to_string(lanes));
  }

  const Api& api_;
  Queue& queue_;
  const devices::DeviceFacts& device_;
  device::PtxKernel kernel_;
  Handle module_ = nullptr;
  Handle function_ = nullptr;
  uint32_t most_lanes_ = 0;
  std::vector<uint64_t> values_;  // of the arguments
  std::vector<void*> arguments_;
};

class CudaDevice final : public devices::Device {
 public:
  CudaDevice(const Api& api, int32_t number, int32_t version) : api_(api), queue_(api) {
    Ordinal device = 0;
    if (const int32_t code = api.get_device(&device, number); code != 0) {
      facts_.why_not = CallError(api, "cuDeviceGet", code).message;
      return;
    }
    char name[256] = {};
    (void)api.get_name(name, sizeof name - 1, device);
    const auto attribute = [&](int32_t what) {
      int32_t value = 0;
      return api.get_attribute(&value, what, device) == 0 ? value : 0;
    };
    const int32_t capability = attribute(kCapabilityMajor) * 10 + attribute(kCapabilityMinor);
    facts_.name = std::string(name) + ", sm_" + std::to_string(capability);
    facts_.driver = VersionText(version);
    facts_.is_gpu = facts_.has_f64 = facts_.has_atomics64 = true;
    facts_.max_lanes = static_cast<uint64_t>(attribute(kMaxThreadsPerBlock));
    facts_.processors = static_cast<uint32_t>(std::max(attribute(kProcessors), 1));
    facts_.shared_bytes = static_cast<uint64_t>(attribute(kMaxSharedPerBlock));
    for (int32_t d = 0; d < 3; ++d) {
      facts_.max_block[d] = static_cast<uint32_t>(attribute(kMaxBlockX + d));
      facts_.max_grid[d] = static_cast<uint32_t>(attribute(kMaxGridX + d));
    }
    facts_.why_not = Open(device, version, capability);
    if (facts_.why_not.empty()) facts_.why_not = devices::Probe(*this);
  }

  Result<devices::Address> Allocate(uint64_t bytes) override {
    Pointer memory = 0;
    const auto from_pool = [&](Handle stream) {
      return api_.pool.allocate(&memory, bytes, pool_, stream);
    };
    const int32_t code =
        pool_ != nullptr ? queue_.AskApart(from_pool) : api_.memory.allocate(&memory, bytes);
    if (code == 0) return memory;
    if (code != kOutOfMemory) return CallError(api_, "cuMemAlloc", code);
    return Error(ErrorCode::kResourceLimit,
                 "cuda: no memory for " + std::to_string(bytes) + " bytes on the device");
  }

  void Free(devices::Address memory) override {
    if (pool_ != nullptr) {
      (void)queue_.AskApart([&](Handle stream) { return api_.pool.free(memory, stream); });
    } else {
      (void)api_.memory.free(memory);  // waits for the launches that use it
    }
  }

  Status Write(devices::Address to, uint64_t at, const void* from, uint64_t bytes) override {
    const int32_t code = queue_.Ask(
        [&](Handle stream) { return api_.memory.to_device(to + at, from, bytes, stream); });
    return CheckCall(api_, "cuMemcpyHtoDAsync", code);
  }

  Status Read(void* to, devices::Address from, uint64_t at, uint64_t bytes) override {
    const int32_t code = queue_.Ask(
        [&](Handle stream) { return api_.memory.to_host(to, from + at, bytes, stream); });
    return CheckCall(api_, "cuMemcpyDtoHAsync", code);
  }

  Status Copy(devices::Address to, devices::Address from, uint64_t bytes) override {
    const int32_t code =
        queue_.Ask([&](Handle stream) { return api_.memory.on_device(to, from, bytes, stream); });
    return CheckCall(api_, "cuMemcpyDtoDAsync", code);
  }

  Status Finish() override { return CheckCall(api_, "cuStreamSynchronize", queue_.Finish()); }

  bool runs_behind() const override { return true; }

  Status FinishOthers() override {
    return CheckCall(api_, "cuCtxSynchronize", api_.synchronize_context());
  }

  void BeginTimes() override { queue_.BeginTimes(); }
  Result<std::vector<devices::Interval>> TakeTimes() override { return queue_.TakeTimes(); }

  Result<std::unique_ptr<devices::Code>> Translate(
      const verify::VerifiedProgram& program) override {
    HOLOGRAM_ASSIGN_OR_RETURN(device::PtxKernel kernel, device::WritePtx(program));
    return std::unique_ptr<devices::Code>(
        std::make_unique<CudaCode>(api_, queue_, facts_, std::move(kernel)));
  }

 protected:
  // The context that others of this process use too, in place of what is current in the thread.
  Status Enter() override {
    Handle current = nullptr;
    HOLOGRAM_RETURN_IF_ERROR(CheckCall(api_, "cuCtxGetCurrent", api_.get_current(&current)));
    pushed_ = current != context_;
    if (!pushed_) return Success{};
    return CheckCall(api_, "cuCtxPushCurrent", api_.push(context_));
  }

  void Leave() override {
    Handle popped = nullptr;
    if (pushed_) (void)api_.pop(&popped);
  }

 private:
  // Empty, or why it cannot take kernels at all.
  std::string Open(Ordinal device, int32_t version, int32_t capability) {
    if (capability < kLeastCapability) return "kernels need sm_70";
    if (version < kLeastVersion) {
      return "its driver is that of CUDA " + VersionText(version) + ", and kernels need 9.0";
    }
    if (const int32_t code = api_.retain_context(&context_, device); code != 0) {
      return CallError(api_, "cuDevicePrimaryCtxRetain", code).message;
    }
    const Status entered = Enter();
    if (!entered.ok()) return entered.errors()[0].message;
    const int32_t code = queue_.Open();
    if (code == 0) OpenPool(device);
    Leave();
    return code == 0 ? std::string() : CallError(api_, "cuStreamCreate", code).message;
  }

  // A pool of its own, as that of the device is others' too; none where the driver has no pools.
  void OpenPool(Ordinal device) {
    const PoolApi& pool = api_.pool;
    int32_t has_pools = 0;
    if (pool.create == nullptr || pool.set_attribute == nullptr || pool.allocate == nullptr ||
        pool.free == nullptr || api_.get_attribute(&has_pools, kMemoryPools, device) != 0 ||
        has_pools == 0) {
      return;
    }
    PoolProperties properties;
    properties.number = device;
    uint64_t kept = kKeptBytes;
    Handle made = nullptr;
    if (pool.create(&made, &properties) == 0 && pool.set_attribute(made, kPoolKeeps, &kept) == 0) {
      pool_ = made;
    }
  }

  const Api& api_;
  Handle context_ = nullptr;
  Queue queue_;
  Handle pool_ = nullptr;  // of memory; null: the driver has none
  bool pushed_ = false;    // by the thread that holds the device
};

}  // namespace

Result<const devices::DeviceList*> FindDevices() {
  HOLOGRAM_ASSIGN_OR_RETURN(const Api* const api, Load());
  int32_t version = 0;
  int32_t count = 0;
  HOLOGRAM_RETURN_IF_ERROR(CheckCall(*api, "cuDriverGetVersion", api->get_version(&version)));
  HOLOGRAM_RETURN_IF_ERROR(CheckCall(*api, "cuDeviceGetCount", api->get_count(&count)));
  auto* const found = new devices::DeviceList();
  for (int32_t k = 0; k < count; ++k) {
    found->push_back(std::make_unique<CudaDevice>(*api, k, version));
  }
  (void)devices::IsEnding();
  return found;
}

}  // namespace hologram::engines::cuda
