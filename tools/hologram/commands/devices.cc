// hologram devices: the engines on this machine.
#include <cstdio>
#include <string>

#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "commands/report.h"
#include "engines/cpu_features.h"
#include "engines/engine.h"
#include "engines/opencl/device.h"
#include "runtime/compiler_plugin.h"
#include "runtime/thread_count.h"

namespace hologram::tool {
namespace {

void PrintOpenClDevices() {
  const auto devices = engines::opencl::Devices();
  if (!devices.ok()) {
    std::printf("opencl       no: %s\n", devices.errors()[0].message.c_str());
    return;
  }
  if (devices.value()->empty()) std::printf("opencl       no: no device was found\n");
  for (const auto& device : *devices.value()) {
    const std::string name = device->name + ", driver " + device->driver;
    if (device->why_not.empty()) {
      std::printf("opencl       %s\n", name.c_str());
    } else {
      std::printf("opencl       no: %s: %s\n", name.c_str(), device->why_not.c_str());
    }
  }
}

}  // namespace

int DevicesCommand(const Arguments& arguments) {
  const Options options = ReadOptions("devices", arguments);
  if (!options.positional().empty()) throw UsageError{"expected no file"};
  std::printf("interpreter  always\n");
  const std::optional<Target> target = OrFail(engines::CurrentTarget());
  if (!target) {
    std::printf("cpu          no: native code needs an x86-64-v2 processor or better\n");
  } else {
    std::printf("cpu          %s, up to %u threads, streaming stores from %llu bytes\n",
                InfoOf(*target).name, OrFail(runtime::DefaultThreads()),
                static_cast<unsigned long long>(engines::StreamingThreshold()));
  }
  // Without it kernels from source are interpreted; those with native code in a bundle are not.
  if (runtime::HasCompiler()) {
    std::printf("compiler     present\n");
  } else {
    std::printf("compiler     no: %s\n", runtime::WhyNoCompiler().c_str());
  }
  std::printf("cuda         no: not in this build\n");
  PrintOpenClDevices();
  return 0;
}

}  // namespace hologram::tool
