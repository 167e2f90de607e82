// Device code of a verified program, as each kind of device takes it. Tested by tests/device.
#pragma once

#include <string>
#include <vector>

#include "device/lower.h"

namespace hologram::device {

// The same in all kinds.
struct KernelCode {
  std::string entry;  // the name of the kernel in it
  std::vector<Argument> arguments;
  uint32_t shared_bytes = 0;
  bool uses_f64 = false;
  bool uses_atomics64 = false;
  bool may_fault() const {
    return !arguments.empty() && arguments.back().kind == Argument::Kind::kFault;
  }
};

// SPIR-V 1.0 for OpenCL.
struct SpirvKernel : KernelCode {
  std::vector<uint32_t> words;
};
Result<SpirvKernel> WriteSpirv(const verify::VerifiedProgram& program, Division division);

// PTX for CUDA, from sm_70 on.
struct PtxKernel : KernelCode {
  std::string text;
};
Result<PtxKernel> WritePtx(const verify::VerifiedProgram& program);

}  // namespace hologram::device
