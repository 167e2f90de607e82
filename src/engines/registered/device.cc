#include "engines/registered/device.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "engines/devices/probe.h"

namespace hologram::engines::registered {
namespace {

// The functions of an engine for one of its devices.
struct Port {
  const hologram_engine& engine;
  std::string name;  // of the engine
  uint32_t device;

  Status Check(const char* call, int32_t code) const {
    if (code == 0) return Success{};
    return Failure(call, code);
  }
  Diagnostic Failure(const char* call, int32_t code) const {
    const char* const more =
        engine.last_error == nullptr ? nullptr : engine.last_error(engine.user, device);
    std::string text = name + ": " + call + " failed with " + std::to_string(code);
    if (more != nullptr && *more != '\0') text += ": " + std::string(more);
    return Error(ErrorCode::kUnsupported, text);
  }
};

template <class Kernel>
class RegisteredCode final : public devices::Code {
 public:
  RegisteredCode(const Port& port, Kernel kernel)
      : port_(port),
        kernel_(std::move(kernel)),
        values_(kernel_.arguments.size(), 0),
        arguments_(kernel_.arguments.size()) {}
  ~RegisteredCode() override {
    if (is_built_) port_.engine.release(port_.engine.user, port_.device, built_);
  }
  const device::KernelCode& facts() const override { return kernel_; }

  Status Build() override {
    const auto [data, bytes] = BytesOf(kernel_);
    const hologram_device_code code = {data, bytes, kernel_.entry.c_str(),
                                       static_cast<uint32_t>(arguments_.size()),
                                       kernel_.shared_bytes};
    HOLOGRAM_RETURN_IF_ERROR(
        port_.Check("build", port_.engine.build(port_.engine.user, port_.device, &code, &built_)));
    is_built_ = true;
    return Success{};
  }

  Status SetMemory(uint32_t number, devices::Address memory) override {
    arguments_[number] = {memory, nullptr, 0};
    return Success{};
  }

  Status SetNumber(uint32_t number, const void* value, size_t size) override {
    std::memcpy(&values_[number], value, size);
    arguments_[number] = {0, &values_[number], size};
    return Success{};
  }

  Status Start(const hologram_launch_shape& shape) override {
    return port_.Check("start", port_.engine.start(port_.engine.user, port_.device, built_,
                                                   arguments_.data(), &shape));
  }

 private:
  using Bytes = std::pair<const void*, size_t>;
  static Bytes BytesOf(const device::SpirvKernel& kernel) {
    return {kernel.words.data(), kernel.words.size() * sizeof(uint32_t)};
  }
  static Bytes BytesOf(const device::PtxKernel& kernel) {
    return {kernel.text.c_str(), kernel.text.size() + 1};
  }

  const Port& port_;
  Kernel kernel_;
  bool is_built_ = false;
  void* built_ = nullptr;
  std::vector<uint64_t> values_;
  std::vector<hologram_device_argument> arguments_;
};

class RegisteredDevice final : public devices::Device {
 public:
  RegisteredDevice(const hologram_engine& engine, const std::string& name, uint32_t number)
      : port_{engine, name, number} {
    hologram_device_description description{};
    const Status described =
        port_.Check("describe", engine.describe(engine.user, number, &description));
    if (!described.ok()) {
      facts_.why_not = described.errors()[0].message;
      return;
    }
    Describe(description);
    if (facts_.why_not.empty() && division_ == device::Division::kDouble && !facts_.has_f64) {
      facts_.why_not = "it neither divides f32 exactly nor has f64";
    }
    if (facts_.why_not.empty()) facts_.why_not = devices::Probe(*this);
  }

  Result<devices::Address> Allocate(uint64_t bytes) override {
    uint64_t memory = 0;
    const int32_t code = engine().allocate(engine().user, port_.device, bytes, &memory);
    if (code == 0 && memory != 0) return memory;
    return Error(ErrorCode::kResourceLimit,
                 port_.name + ": no memory for " + std::to_string(bytes) + " bytes on the device");
  }

  void Free(devices::Address memory) override {
    engine().free(engine().user, port_.device, memory);
  }

  Status Write(devices::Address to, uint64_t at, const void* from, uint64_t bytes) override {
    return port_.Check("write", engine().write(engine().user, port_.device, to, at, from, bytes));
  }

  Status Read(void* to, devices::Address from, uint64_t at, uint64_t bytes) override {
    return port_.Check("read", engine().read(engine().user, port_.device, to, from, at, bytes));
  }

  Status Copy(devices::Address to, devices::Address from, uint64_t bytes) override {
    return port_.Check("copy", engine().copy(engine().user, port_.device, to, from, bytes));
  }

  Status Finish() override {
    return port_.Check("finish", engine().finish(engine().user, port_.device));
  }

  void BeginTimes() override {}
  Result<std::vector<devices::Interval>> TakeTimes() override {
    return Error(ErrorCode::kUnsupported, port_.name + ": registered engines measure no times");
  }

  Result<std::unique_ptr<devices::Code>> Translate(
      const verify::VerifiedProgram& program) override {
    if (engine().code == HOLOGRAM_CODE_PTX) {
      HOLOGRAM_ASSIGN_OR_RETURN(device::PtxKernel kernel, device::WritePtx(program));
      return CodeOf(std::move(kernel));
    }
    HOLOGRAM_ASSIGN_OR_RETURN(device::SpirvKernel kernel, device::WriteSpirv(program, division_));
    return CodeOf(std::move(kernel));
  }

 private:
  const hologram_engine& engine() const { return port_.engine; }

  template <class Kernel>
  std::unique_ptr<devices::Code> CodeOf(Kernel kernel) const {
    return std::make_unique<RegisteredCode<Kernel>>(port_, std::move(kernel));
  }

  template <size_t kSize>
  static std::string TextOf(const char (&text)[kSize]) {
    return {text, std::find(std::begin(text), std::end(text), '\0')};
  }

  void Describe(const hologram_device_description& its) {
    facts_.name = TextOf(its.name);
    facts_.driver = TextOf(its.driver);
    facts_.why_not = TextOf(its.why_not);
    facts_.is_gpu = its.is_gpu != 0;
    facts_.has_f64 = its.has_f64 != 0;
    facts_.has_atomics64 = its.has_atomics64 != 0;
    facts_.processors = std::max<uint32_t>(its.processors, 1);
    facts_.max_lanes = its.max_lanes;
    facts_.shared_bytes = its.shared_bytes;
    for (int d = 0; d < 3; ++d) {
      if (its.max_block[d] != 0) facts_.max_block[d] = its.max_block[d];
      if (its.max_grid[d] != 0) facts_.max_grid[d] = its.max_grid[d];
    }
    const bool in_single = engine().code == HOLOGRAM_CODE_PTX || its.exact_division != 0;
    division_ = in_single ? device::Division::kSingle : device::Division::kDouble;
  }

  const Port port_;
  device::Division division_ = device::Division::kSingle;
};

}  // namespace

Result<const devices::DeviceList*> Open(const hologram_engine& engine, const std::string& name) {
  constexpr uint32_t kMost = 1024;
  uint32_t count = 0;
  const Port all{engine, name, 0};
  HOLOGRAM_RETURN_IF_ERROR(all.Check("count", engine.count(engine.user, &count)));
  auto found = std::make_unique<devices::DeviceList>();
  for (uint32_t k = 0; k < std::min(count, kMost); ++k) {
    found->push_back(std::make_unique<RegisteredDevice>(engine, name, k));
  }
  (void)devices::IsEnding();
  return found.release();
}

}  // namespace hologram::engines::registered
