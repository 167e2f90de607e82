#include "engines/registered/engines.h"

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "engines/registered/device.h"
#include "observe/span.h"

namespace hologram::engines::registered {
namespace {

struct Slot {
  hologram_engine engine{};
  std::mutex mutex;
  std::optional<Result<const devices::DeviceList*>> devices;  // once they were asked for
};

// Never freed: launches of other threads may go on while the process ends.
std::array<Slot, launch::kMostRegistered>& Slots() {
  static auto* const slots = new std::array<Slot, launch::kMostRegistered>();
  return *slots;
}

Diagnostic Refusal(const std::string& why) {
  return Error(ErrorCode::kInvalidArgument, "an engine to register: " + why);
}

Status Check(const hologram_engine& engine) {
  if (engine.size != sizeof(hologram_engine)) {
    return Refusal("expected a size of " + std::to_string(sizeof(hologram_engine)) + ", found " +
                   std::to_string(engine.size));
  }
  if (engine.name == nullptr) return Refusal("its name is NULL");
  if (engine.code != HOLOGRAM_CODE_SPIRV && engine.code != HOLOGRAM_CODE_PTX) {
    return Refusal("expected code 1 or 2, found " + std::to_string(engine.code));
  }
  const std::pair<const char*, bool> functions[] = {
      {"count", engine.count != nullptr},       {"describe", engine.describe != nullptr},
      {"allocate", engine.allocate != nullptr}, {"free", engine.free != nullptr},
      {"write", engine.write != nullptr},       {"read", engine.read != nullptr},
      {"copy", engine.copy != nullptr},         {"start", engine.start != nullptr},
      {"finish", engine.finish != nullptr},     {"build", engine.build != nullptr},
      {"release", engine.release != nullptr}};
  for (const auto& [name, is_there] : functions) {
    if (!is_there) return Refusal("'" + std::string(name) + "' is NULL");
  }
  return Success{};
}

}  // namespace

Result<launch::Engine> Add(const hologram_engine& engine) {
  static std::mutex mutex;
  HOLOGRAM_RETURN_IF_ERROR(Check(engine));
  const std::lock_guard lock(mutex);
  // The functions are there before anybody finds the name. Of a name that is refused, the next
  // engine takes the place.
  const uint32_t number = launch::NumRegistered();
  if (number < launch::kMostRegistered) Slots()[number].engine = engine;
  return launch::AddEngine(engine.name);
}

Result<const devices::DeviceList*> FindDevices(launch::Engine engine) {
  Slot& slot = Slots()[static_cast<uint32_t>(engine) - launch::kFirstRegistered];
  const std::lock_guard lock(slot.mutex);
  if (!slot.devices) {
    const observe::Span span("load", launch::NameOf(engine));
    slot.devices = Open(slot.engine, std::string(launch::NameOf(engine)));
  }
  return *slot.devices;
}

}  // namespace hologram::engines::registered
