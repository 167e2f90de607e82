// The engines, by number and name: those of the library, and those that a program has registered
// (hologram/engine.h). Tested by tests/launch/way_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hologram::launch {

// The numbers are those of hologram.h. From kFirstRegistered on they are registered engines, in
// their order.
enum class Engine : uint8_t { kAuto, kInterpreter, kCpu, kCuda, kOpenCl };
inline constexpr uint32_t kNumEngines = 5;
inline constexpr uint32_t kFirstRegistered = 16;
inline constexpr uint32_t kMostRegistered = 16;

// Whether there is such an engine.
bool IsEngine(uint32_t number);
std::string_view NameOf(Engine engine);  // "cpu"; ends with a zero
std::optional<Engine> FindEngine(std::string_view name);

inline bool IsRegistered(Engine engine) {
  return static_cast<uint32_t>(engine) >= kFirstRegistered;
}
inline bool IsOfDevices(Engine engine) {
  return engine == Engine::kCuda || engine == Engine::kOpenCl || IsRegistered(engine);
}

// How many there are, for as long as the process lives.
uint32_t NumRegistered();
// Adds one. Errors: INVALID_ARGUMENT for a name that is taken, or not of 1 to 32 lowercase letters,
// digits and underscores, the first a letter; RESOURCE_LIMIT for one too many. REQUIRES: one thread
// at a time.
Result<Engine> AddEngine(std::string_view name);

}  // namespace hologram::launch
