#include "engines/opencl/kernel.h"

#include <algorithm>
#include <string>

namespace hologram::engines::opencl {

using device::Argument;

namespace {

constexpr uint32_t kBlocking = 1;

Status CheckCall(const char* call, int32_t code) {
  if (code == 0) return Success{};
  return CallError(call, code);
}

}  // namespace

Result<std::unique_ptr<Kernel>> Kernel::Make(Device& device,
                                             const verify::VerifiedProgram& program) {
  HOLOGRAM_ASSIGN_OR_RETURN(device::SpirvKernel code, device::WriteSpirv(program, device.division));
  const std::string& name = program.program().name;
  const auto lacks = [&](const std::string& what) {
    return Error(ErrorCode::kUnsupported,
                 "'" + name + "' needs " + what + ", which '" + device.name + "' has not");
  };
  if (code.uses_f64 && !device.has_f64) return lacks("f64");
  if (code.uses_atomics64 && !device.has_atomics64) return lacks("atomics of 64 bits");
  if (code.shared_bytes > device.local_bytes) {
    return lacks(std::to_string(code.shared_bytes) + " bytes of shared memory");
  }
  std::unique_ptr<Kernel> kernel(new Kernel(device, program, std::move(code)));
  HOLOGRAM_RETURN_IF_ERROR(kernel->Build());
  return kernel;
}

Status Kernel::Build() {
  const std::lock_guard lock(device_.mutex);
  const Api& api = device_.api;
  int32_t error = 0;
  program_handle_ = api.create_program(device_.context, code_.words.data(),
                                       code_.words.size() * sizeof(uint32_t), &error);
  HOLOGRAM_RETURN_IF_ERROR(CheckCall("clCreateProgramWithIL", error));
  error = api.build_program(program_handle_, 1, &device_.device, device_.options.c_str(), nullptr,
                            nullptr);
  if (error != 0) {
    std::string log(4096, '\0');
    (void)api.get_build_info(program_handle_, device_.device, kBuildLog, log.size() - 1, log.data(),
                             nullptr);
    log.resize(std::min(log.find('\0'), log.find('\n')));
    return Error(ErrorCode::kUnsupported,
                 "'" + device_.name + "' does not build '" + program_.program().name + "': " + log);
  }
  kernel_ = api.create_kernel(program_handle_, code_.entry.c_str(), &error);
  HOLOGRAM_RETURN_IF_ERROR(CheckCall("clCreateKernel", error));
  size_t buffers = 0;
  size_t scalars = 0;
  for (const isa::Parameter& parameter : program_.program().parameters) {
    number_.push_back(parameter.is_buffer ? buffers++ : scalars++);
  }
  memories_.resize(buffers);
  if (!code_.may_fault()) return Success{};
  HOLOGRAM_RETURN_IF_ERROR(Resize(fault_, sizeof(uint32_t)));
  constexpr uint32_t kNone = 0;
  return CheckCall("clEnqueueWriteBuffer",
                   api.write_buffer(device_.queue, fault_.buffer, kBlocking, 0, sizeof kNone,
                                    &kNone, 0, nullptr, nullptr));
}

Kernel::~Kernel() {
  if (IsEnding()) return;
  const std::lock_guard lock(device_.mutex);
  for (const Memory& memory : memories_) {
    if (memory.buffer != nullptr) device_.api.release_buffer(memory.buffer);
  }
  if (fault_.buffer != nullptr) device_.api.release_buffer(fault_.buffer);
  if (kernel_ != nullptr) device_.api.release_kernel(kernel_);
  if (program_handle_ != nullptr) device_.api.release_program(program_handle_);
}

// At least `bytes`; a buffer of none is one of some.
Status Kernel::Resize(Memory& memory, uint64_t bytes) {
  constexpr uint64_t kLeast = 64;
  if (memory.buffer != nullptr && memory.bytes >= bytes) return Success{};
  if (memory.buffer != nullptr) device_.api.release_buffer(memory.buffer);
  memory = {nullptr, std::max(bytes, kLeast)};
  int32_t error = 0;
  memory.buffer =
      device_.api.create_buffer(device_.context, kReadWrite, memory.bytes, nullptr, &error);
  if (error == 0) return Success{};
  memory = {};
  return Error(ErrorCode::kResourceLimit,
               "opencl: no memory for " + std::to_string(bytes) + " bytes on the device");
}

// The first buffer that is the same memory: there it is the same too.
size_t Kernel::PlaceOf(const launch::Launch& launch, size_t buffer) const {
  for (size_t k = 0; k < buffer; ++k) {
    if (launch.buffers[k].bytes != 0 && launch.buffers[k].data == launch.buffers[buffer].data) {
      return k;
    }
  }
  return buffer;
}

Status Kernel::Upload(const launch::Launch& launch) {
  std::vector<uint64_t> bytes(launch.buffers.size(), 0);
  for (size_t k = 0; k < launch.buffers.size(); ++k) {
    uint64_t& most = bytes[PlaceOf(launch, k)];
    most = std::max(most, launch.buffers[k].bytes);
  }
  for (size_t k = 0; k < launch.buffers.size(); ++k) {
    if (PlaceOf(launch, k) != k) continue;
    HOLOGRAM_RETURN_IF_ERROR(Resize(memories_[k], bytes[k]));
    if (bytes[k] == 0) continue;
    // Also what is written: lanes may leave some of it as it was.
    HOLOGRAM_RETURN_IF_ERROR(
        CheckCall("clEnqueueWriteBuffer",
                  device_.api.write_buffer(device_.queue, memories_[k].buffer, 0, 0, bytes[k],
                                           launch.buffers[k].data, 0, nullptr, nullptr)));
  }
  return Success{};
}

Status Kernel::SetArgument(uint32_t number, const launch::Launch& launch) {
  const Argument& argument = code_.arguments[number];
  const isa::Parameter* const parameter = argument.kind <= Argument::Kind::kScalar
                                              ? &program_.program().parameters[argument.parameter]
                                              : nullptr;
  const auto set = [&](size_t size, const void* value) {
    return CheckCall("clSetKernelArg", device_.api.set_argument(kernel_, number, size, value));
  };
  switch (argument.kind) {
    case Argument::Kind::kBuffer: {
      const size_t place = PlaceOf(launch, number_[argument.parameter]);
      return set(sizeof(Handle), &memories_[place].buffer);
    }
    case Argument::Kind::kExtent: {
      const uint64_t extent =
          launch.buffers[number_[argument.parameter]].bytes / isa::SizeOf(parameter->type);
      return set(sizeof extent, &extent);
    }
    case Argument::Kind::kScalar:
      return set(isa::SizeOf(parameter->type), &launch.scalars[number_[argument.parameter]]);
    case Argument::Kind::kBudget:
      return set(sizeof launch.budget, &launch.budget);
    case Argument::Kind::kRounds: {
      const uint64_t rounds = launch.most_rounds();
      return set(sizeof rounds, &rounds);
    }
    case Argument::Kind::kClassBase:
      return set(sizeof launch.class_base, &launch.class_base);
    case Argument::Kind::kFault:
      return set(sizeof(Handle), &fault_.buffer);
  }
  return Success{};
}

Status Kernel::Start(const launch::Launch& launch) {
  uint64_t lanes = 1;
  size_t global[3];
  size_t local[3];
  for (int d = 0; d < 3; ++d) {
    local[d] = launch.shape.block[d];
    global[d] = local[d] * launch.shape.grid[d];
    lanes *= local[d];
  }
  if (lanes > device_.max_lanes) {
    return Error(ErrorCode::kUnsupported, "'" + device_.name + "' takes blocks of up to " +
                                              std::to_string(device_.max_lanes) + " lanes, found " +
                                              std::to_string(lanes));
  }
  for (uint32_t k = 0; k < code_.arguments.size(); ++k) {
    HOLOGRAM_RETURN_IF_ERROR(SetArgument(k, launch));
  }
  return CheckCall("clEnqueueNDRangeKernel",
                   device_.api.enqueue_kernel(device_.queue, kernel_, 3, nullptr, global, local, 0,
                                              nullptr, nullptr));
}

Result<bool> Kernel::Wait() {
  if (!code_.may_fault()) {
    HOLOGRAM_RETURN_IF_ERROR(CheckCall("clFinish", device_.api.finish(device_.queue)));
    return true;
  }
  uint32_t fault = 0;
  HOLOGRAM_RETURN_IF_ERROR(CheckCall(
      "clEnqueueReadBuffer", device_.api.read_buffer(device_.queue, fault_.buffer, kBlocking, 0,
                                                     sizeof fault, &fault, 0, nullptr, nullptr)));
  if (fault == 0) return true;
  fault = 0;
  HOLOGRAM_RETURN_IF_ERROR(CheckCall(
      "clEnqueueWriteBuffer", device_.api.write_buffer(device_.queue, fault_.buffer, kBlocking, 0,
                                                       sizeof fault, &fault, 0, nullptr, nullptr)));
  return false;
}

Status Kernel::Download(const launch::Launch& launch) {
  const std::vector<isa::Parameter>& parameters = program_.program().parameters;
  for (size_t p = 0; p < parameters.size(); ++p) {
    if (!parameters[p].is_buffer || parameters[p].direction == isa::Direction::kIn) continue;
    const hologram_buffer_ref& buffer = launch.buffers[number_[p]];
    if (buffer.bytes == 0) continue;
    const size_t place = PlaceOf(launch, number_[p]);
    HOLOGRAM_RETURN_IF_ERROR(
        CheckCall("clEnqueueReadBuffer",
                  device_.api.read_buffer(device_.queue, memories_[place].buffer, 0, 0,
                                          buffer.bytes, buffer.data, 0, nullptr, nullptr)));
  }
  return CheckCall("clFinish", device_.api.finish(device_.queue));
}

Result<bool> Kernel::Run(const launch::Launch& launch) {
  const std::lock_guard lock(device_.mutex);
  HOLOGRAM_RETURN_IF_ERROR(Upload(launch));
  HOLOGRAM_RETURN_IF_ERROR(Start(launch));
  HOLOGRAM_ASSIGN_OR_RETURN(const bool done, Wait());
  if (!done) return false;
  HOLOGRAM_RETURN_IF_ERROR(Download(launch));
  return true;
}

}  // namespace hologram::engines::opencl
