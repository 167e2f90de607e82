// hologram devices: the engines on this machine.
#include "engines/devices/devices.h"

#include <cstdio>
#include <string>

#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "commands/report.h"
#include "engines/cpu_features.h"
#include "engines/engine.h"
#include "runtime/compiler_plugin.h"
#include "runtime/thread_count.h"

namespace hologram::tool {
namespace {

void PrintDevices(launch::Engine engine) {
  const std::string title = std::string(launch::NameOf(engine));
  const auto devices = engines::devices::DevicesOf(engine);
  if (!devices.ok()) {
    std::printf("%-12s no: %s\n", title.c_str(), devices.errors()[0].message.c_str());
    return;
  }
  if (devices.value()->empty()) std::printf("%-12s no: no device was found\n", title.c_str());
  for (const auto& device : *devices.value()) {
    const engines::devices::DeviceFacts& facts = device->facts();
    const std::string name = facts.name + ", driver " + facts.driver;
    if (facts.why_not.empty()) {
      std::printf("%-12s %s\n", title.c_str(), name.c_str());
    } else {
      std::printf("%-12s no: %s: %s\n", title.c_str(), name.c_str(), facts.why_not.c_str());
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
    std::printf("cpu          no: native code needs %s\n", kNativeProcessors);
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
  for (uint32_t k = 0; k < engines::devices::NumDeviceEngines(); ++k) {
    PrintDevices(engines::devices::DeviceEngine(k));
  }
  return 0;
}

}  // namespace hologram::tool
