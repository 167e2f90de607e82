// The OpenCL device of this machine, in the place of native code in the table of engines. Without a
// device there is only the interpreter.
#include <cstdio>
#include <memory>

#include "engines/opencl/kernel.h"
#include "interpreter/interpreter.h"
#include "native_engine.h"

namespace hologram::tests {
namespace {

using engines::opencl::Device;
using engines::opencl::Kernel;

Engine OpenClEngine(Device& device) {
  return {"opencl", [&device](const verify::VerifiedProgram& program) -> Result<RunFunction> {
            HOLOGRAM_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> made, Kernel::Make(device, program));
            const std::shared_ptr<Kernel> kernel = std::move(made);
            return RunFunction(
                [kernel,
                 &program](const launch::Launch& launch) -> Result<std::optional<launch::Fault>> {
                  HOLOGRAM_ASSIGN_OR_RETURN(const launch::LaunchTier tier,
                                            launch::CheckLaunch(program, launch));
                  if (tier != launch::LaunchTier::kProved) {
                    return Error(ErrorCode::kUnsupported, "no proof covers the launch");
                  }
                  HOLOGRAM_ASSIGN_OR_RETURN(const bool done, kernel->Run(launch));
                  // As the engine does after a fault.
                  if (!done) return interpreter::Run(program, launch);
                  return std::optional<launch::Fault>();
                });
          }};
}

}  // namespace

std::vector<Engine> NativeEngines() {
  const Result<Device*> device = engines::opencl::UsedDevice();
  if (device.ok()) return {OpenClEngine(*device.value())};
  std::printf("SKIPPED: %s\n", device.errors()[0].message.c_str());
  return {};
}

}  // namespace hologram::tests
