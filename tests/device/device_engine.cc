// A device of this machine, in the place of native code in the table of engines: that of the engine
// which HOLOGRAM_TEST_DEVICE names, "opencl" or "cuda". Without a device there is only the
// interpreter.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "engines/devices/devices.h"
#include "engines/devices/kernel.h"
#include "interpreter/interpreter.h"
#include "native_engine.h"

namespace hologram::tests {
namespace {

using engines::devices::Device;
using engines::devices::Kernel;

// What no device code is written for is left out. What a driver does not build is a failure.
Diagnostic NotMade(Diagnostic why) {
  if (why.message.find("does not build") != std::string::npos) why.code = ErrorCode::kInternal;
  return why;
}

Engine DeviceEngine(launch::Engine engine, Device& device) {
  return {std::string(launch::NameOf(engine)),
          [&device](const verify::VerifiedProgram& program) -> Result<RunFunction> {
            Result<std::unique_ptr<Kernel>> made = Kernel::Make(device, program);
            if (!made.ok()) return NotMade(made.errors()[0]);
            const std::shared_ptr<Kernel> kernel = std::move(made).value();
            return RunFunction(
                [kernel,
                 &program](const launch::Launch& launch) -> Result<std::optional<launch::Fault>> {
                  HOLOGRAM_ASSIGN_OR_RETURN(const launch::LaunchTier tier,
                                            launch::CheckLaunch(program, launch));
                  if (tier != launch::LaunchTier::kProved) {
                    return Error(ErrorCode::kUnsupported, "no proof covers the launch");
                  }
                  // As launch/way.cc has it: a device has no order of lanes.
                  if (!launch.deterministic && launch::FindMeeting(program, launch)) {
                    return Error(ErrorCode::kUnsupported, "lanes may meet");
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
  const char* const named = std::getenv("HOLOGRAM_TEST_DEVICE");
  const std::optional<launch::Engine> engine = launch::FindEngine(named != nullptr ? named : "");
  if (!engine || !launch::IsOfDevices(*engine)) {
    std::printf("HOLOGRAM_TEST_DEVICE: expected opencl or cuda\n");
    std::exit(2);
  }
  const Result<Device*> device = engines::devices::UsedDevice(*engine);
  if (device.ok()) return {DeviceEngine(*engine, *device.value())};
  std::printf("SKIPPED: %s\n", device.errors()[0].message.c_str());
  return {};
}

}  // namespace hologram::tests
