// The devices of this machine, as hologram.h shows them. Tested by tests/doctor and tests/fakecuda.
#include "engines/devices/devices.h"

#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "capi/error.h"
#include "capi/guard.h"
#include "engines/registered/engines.h"
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

// Never freed, as the devices are not. Elements stay where they are while more are added.
struct List {
  std::mutex mutex;
  uint32_t engines = 0;  // that have been asked
  std::deque<Texts> texts;
  std::deque<hologram_device> devices;
};

void AddDevicesOf(launch::Engine engine, std::deque<Texts>& texts) {
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

// With the devices of engines that were registered since the last call. REQUIRES: the lock is held.
const std::deque<hologram_device>& DevicesIn(List& list) {
  for (; list.engines < engines::devices::NumDeviceEngines(); ++list.engines) {
    AddDevicesOf(engines::devices::DeviceEngine(list.engines), list.texts);
  }
  while (list.devices.size() < list.texts.size()) {
    const Texts& text = list.texts[list.devices.size()];
    list.devices.push_back(
        {text.engine.c_str(), text.name.c_str(), text.driver.c_str(), text.why_not.c_str()});
  }
  return list.devices;
}

List& TheList() {
  static List* const list = new List;
  return *list;
}

}  // namespace

size_t hologram_device_count() try {
  const std::lock_guard lock(TheList().mutex);
  return DevicesIn(TheList()).size();
} catch (...) {
  hologram::capi::DropException();
  return 0;
}

const hologram_device* hologram_device_at(size_t index) try {
  const std::lock_guard lock(TheList().mutex);
  const std::deque<hologram_device>& devices = DevicesIn(TheList());
  return index < devices.size() ? &devices[index] : nullptr;
} catch (...) {
  hologram::capi::DropException();
  return nullptr;
}

hologram_error* hologram_register_engine(const hologram_engine* engine, uint32_t* backend) try {
  HOLOGRAM_NOT_NULL(engine);
  const auto added = engines::registered::Add(*engine);
  if (!added.ok()) return hologram::capi::MakeError(added.errors());
  if (backend != nullptr) *backend = static_cast<uint32_t>(added.value());
  return nullptr;
} catch (...) {
  return hologram::capi::FromException();
}

uint32_t hologram_find_backend(const char* name) {
  if (name == nullptr) return UINT32_MAX;
  const std::optional<launch::Engine> engine = launch::FindEngine(name);
  return engine ? static_cast<uint32_t>(*engine) : UINT32_MAX;
}

const char* hologram_backend_name(uint32_t backend) {
  if (!launch::IsEngine(backend)) return nullptr;
  return launch::NameOf(static_cast<launch::Engine>(backend)).data();
}
