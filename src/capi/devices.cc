// The devices of this machine, as hologram.h shows them. Tested by tests/doctor and tests/fakecuda.
#include "engines/devices/devices.h"

#include <string>
#include <vector>

#include "capi/error.h"
#include "capi/guard.h"
#include "hologram/hologram.h"

namespace engines = hologram::engines;
namespace launch = hologram::launch;

namespace {

struct Texts {
  std::string engine;
  std::string name;
  std::string driver;
  std::string why_not;
};

// Never freed, as the devices are not.
struct List {
  std::vector<Texts> texts;
  std::vector<hologram_device> devices;
};

void AddDevicesOf(launch::Engine engine, std::vector<Texts>& texts) {
  const std::string name(launch::NameOf(engine));
  const auto devices = engines::devices::DevicesOf(engine);
  if (!devices.ok()) {
    texts.push_back({name, "", "", devices.errors()[0].message});
    return;
  }
  for (const auto& device : *devices.value()) {
    const engines::devices::DeviceFacts& facts = device->facts();
    texts.push_back({name, facts.name, facts.driver, facts.why_not});
  }
}

const List& Devices() {
  static const List* const list = [] {
    auto* const made = new List;
    for (const launch::Engine engine : engines::devices::kDeviceEngines) {
      AddDevicesOf(engine, made->texts);
    }
    for (const Texts& text : made->texts) {
      made->devices.push_back(
          {text.engine.c_str(), text.name.c_str(), text.driver.c_str(), text.why_not.c_str()});
    }
    return made;
  }();
  return *list;
}

}  // namespace

size_t hologram_device_count() try {
  const List& list = Devices();
  return list.devices.size();
} catch (...) {
  hologram::capi::DropException();
  return 0;
}

const hologram_device* hologram_device_at(size_t index) try {
  const std::vector<hologram_device>& devices = Devices().devices;
  return index < devices.size() ? &devices[index] : nullptr;
} catch (...) {
  hologram::capi::DropException();
  return nullptr;
}
