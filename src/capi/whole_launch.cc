#include "capi/whole_launch.h"

#include <string>

#include "capi/launch_config.h"

namespace hologram::capi {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 62;

}  // namespace

uint64_t SizeOfElement(uint32_t code) {
  const uint32_t type = code & 0xf;
  return type < isa::kNumTypes ? isa::SizeOf(static_cast<isa::Type>(type)) : 1;
}

Status BindWhole(const hologram_kernel& kernel, const hologram_argument* arguments,
                 const hologram_array_shape* const* shapes, size_t count,
                 const hologram_launch_config* config, const uint64_t* extent, WholeLaunch& whole) {
  whole.program = kernel.program();
  if (whole.program == nullptr) {
    return Error(ErrorCode::kUnsupported, "kernel '" + kernel.found->signature().name +
                                              "' is a library, which does not run in windows");
  }
  HOLOGRAM_RETURN_IF_ERROR(ReadConfig(config, whole.config));
  whole.arguments.assign(arguments, arguments + count);
  static std::byte nowhere[64];
  size_t buffer = 0;
  for (hologram_argument& argument : whole.arguments) {
    if ((argument.code & HOLOGRAM_ARGUMENT_BUFFER) == 0) continue;
    whole.memory.push_back(argument.buffer);
    if (buffer == whole.program->num_buffers()) continue;  // too many, which is an error below
    const uint64_t size = SizeOfElement(argument.code);
    const uint64_t elements = extent[buffer++];
    if (elements > kMostBytes / size) {
      return Error(ErrorCode::kInvalidArgument, "array " + std::to_string(buffer - 1) + " has " +
                                                    std::to_string(elements) +
                                                    " elements, which is too many");
    }
    argument.buffer = {nowhere, elements * size};
  }
  return BindArguments(kernel.found->signature(), whole.arguments, shapes, whole.bound);
}

Status CheckMemory(const isa::Parameter& parameter, const isa::Program& program,
                   const hologram_buffer_ref& memory) {
  if (memory.data != nullptr || memory.bytes == 0) return Success{};
  return Error(ErrorCode::kInvalidArgument, "kernel '" + program.name + "': '" + parameter.name +
                                                "' has " + std::to_string(memory.bytes) +
                                                " bytes at NULL");
}

Status CheckMemory(const runtime::Kernel& kernel, std::span<const hologram_buffer_ref> memory) {
  size_t b = 0;
  for (const isa::Parameter& parameter : kernel.program().parameters) {
    if (!parameter.is_buffer) continue;
    HOLOGRAM_RETURN_IF_ERROR(CheckMemory(parameter, kernel.program(), memory[b++]));
  }
  return Success{};
}

}  // namespace hologram::capi
