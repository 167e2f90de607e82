// Engines of devices that a program registers (hologram/engine.h): what is refused, what devices
// say of themselves, calls that fail, other bits. tests/device/resident_test.cc has launches on
// one.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "hologram/device.hpp"
#include "hologram/engine.h"

namespace {

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)

// A device without a processor: it has memory, and a launch changes nothing of it.
struct Idle {
  int32_t counted = 0;
  int32_t described = 0;
  int32_t built = 0;
  int32_t started = 0;
  std::vector<std::string> why_not = {""};
  uint64_t living = 0;  // memory and built code
  uint32_t arguments = 0;
};

Idle& Of(void* user) {
  return *static_cast<Idle*>(user);
}
uint8_t* At(uint64_t memory) {
  return reinterpret_cast<uint8_t*>(
      static_cast<uintptr_t>(memory));  // NOLINT(performance-no-int-to-ptr)
}

hologram_engine EngineOf(Idle& idle, const char* name) {
  hologram_engine engine{};
  engine.size = sizeof engine;
  engine.name = name;
  engine.code = HOLOGRAM_CODE_SPIRV;
  engine.user = &idle;
  engine.count = [](void* user, uint32_t* devices) {
    *devices = static_cast<uint32_t>(Of(user).why_not.size());
    return Of(user).counted;
  };
  engine.describe = [](void* user, uint32_t device, hologram_device_description* its) {
    std::snprintf(its->name, sizeof its->name, "idle %u", device);
    std::snprintf(its->driver, sizeof its->driver, "1");
    std::snprintf(its->why_not, sizeof its->why_not, "%s", Of(user).why_not[device].c_str());
    its->exact_division = 1;
    its->max_lanes = 1024;
    return Of(user).described;
  };
  engine.allocate = [](void* user, uint32_t, uint64_t bytes, uint64_t* memory) {
    *memory = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(std::calloc(1, bytes)));
    ++Of(user).living;
    return 0;
  };
  engine.free = [](void* user, uint32_t, uint64_t memory) {
    std::free(At(memory));
    --Of(user).living;
  };
  engine.write = [](void*, uint32_t, uint64_t to, uint64_t at, const void* from, uint64_t bytes) {
    std::memcpy(At(to) + at, from, bytes);
    return 0;
  };
  engine.read = [](void*, uint32_t, void* to, uint64_t from, uint64_t at, uint64_t bytes) {
    std::memcpy(to, At(from) + at, bytes);
    return 0;
  };
  engine.copy = [](void*, uint32_t, uint64_t to, uint64_t from, uint64_t bytes) {
    std::memcpy(At(to), At(from), bytes);
    return 0;
  };
  engine.start = [](void* user, uint32_t, void* built, const hologram_device_argument* arguments,
                    const hologram_launch_shape* shape) {
    CHECK(built == user && arguments[0].memory != 0 && shape->block[0] == 64);
    return Of(user).started;
  };
  engine.finish = [](void*, uint32_t) { return 0; };
  engine.build = [](void* user, uint32_t, const hologram_device_code* code, void** built) {
    constexpr uint32_t kMagic = 0x07230203;  // of SPIR-V
    CHECK(code->bytes > 20 && std::memcmp(code->data, &kMagic, 4) == 0 && *code->entry != '\0');
    Of(user).arguments = code->num_arguments;
    if (Of(user).built != 0) return Of(user).built;
    *built = user;
    ++Of(user).living;
    return 0;
  };
  engine.release = [](void* user, uint32_t, void* built) {
    CHECK(built == user);
    --Of(user).living;
  };
  return engine;
}

std::string Register(const hologram_engine& engine, uint32_t* backend = nullptr) {
  hologram_error* const error = hologram_register_engine(&engine, backend);
  if (error == nullptr) return "";
  const std::string message = hologram_error_message(error);
  hologram_error_destroy(error);
  return message;
}

void TestRefusals() {
  Idle idle;
  hologram_engine engine = EngineOf(idle, "refused");
  const auto with = [&](const auto& change) {
    hologram_engine changed = engine;
    change(changed);
    return Register(changed);
  };
  CHECK(with([](hologram_engine& e) { e.size = 8; }).find("expected a size of") !=
        std::string::npos);
  CHECK(with([](hologram_engine& e) { e.code = 3; }) ==
        "an engine to register: expected code 1 or 2, found 3");
  CHECK(with([](hologram_engine& e) { e.name = nullptr; }) ==
        "an engine to register: its name is NULL");
  CHECK(with([](hologram_engine& e) { e.finish = nullptr; }) ==
        "an engine to register: 'finish' is NULL");
  const std::string letters(33, 'a');
  for (const char* name : {"", "Mine", "1", "a-b", "a:1", "a b", letters.c_str()}) {
    CHECK(with([&](hologram_engine& e) { e.name = name; }).starts_with("the name of an engine:"));
  }
  for (const char* name : {"cuda", "cpu", "auto"}) {
    CHECK(with([&](hologram_engine& e) { e.name = name; }) ==
          "there is an engine \"" + std::string(name) + "\" already");
  }
  CHECK(hologram_find_backend("refused") == UINT32_MAX);
  CHECK(hologram_find_backend(nullptr) == UINT32_MAX && hologram_find_backend("cuda") == 3);
  CHECK(hologram_backend_name(5) == nullptr && hologram_backend_name(16) == nullptr);
}

// What the list of devices has of an engine that is registered now.
std::vector<hologram::Device> Listed(Idle& idle, const char* name) {
  const size_t before = hologram_device_count();
  uint32_t backend = 0;
  CHECK(Register(EngineOf(idle, name), &backend).empty());
  CHECK(backend >= 16 && hologram_find_backend(name) == backend);
  CHECK(hologram_backend_name(backend) == std::string(name));
  CHECK(hologram::find_backend(name) == static_cast<hologram::Backend>(backend));
  const std::vector<hologram::Device> all = hologram::devices();
  for (size_t k = before; k < all.size(); ++k) CHECK(all[k].engine == hologram::find_backend(name));
  return {all.begin() + static_cast<ptrdiff_t>(before), all.end()};
}

void TestDevices() {
  static Idle does_nothing;
  does_nothing.why_not = {"", "it is asleep"};
  const auto idle = Listed(does_nothing, "idle");
  CHECK(idle.size() == 2 && idle[0].name == "idle 0" && idle[0].driver == "1");
  CHECK(idle[0].why_not == "its fma of f32 has other bits");
  CHECK(idle[1].why_not == "it is asleep");
  CHECK(does_nothing.living == 0 && does_nothing.arguments == 8);
  CHECK(Register(EngineOf(does_nothing, "idle")) == "there is an engine \"idle\" already");

  static Idle no_devices;
  no_devices.counted = 7;
  const auto none = Listed(no_devices, "none");
  CHECK(none.size() == 1 && none[0].name.empty());
  CHECK(none[0].why_not == "none: count failed with 7");

  static Idle unknown;
  unknown.described = -1;
  CHECK(Listed(unknown, "unknown")[0].why_not == "unknown: describe failed with -1");

  static Idle builds_nothing;
  builds_nothing.built = 3;
  CHECK(Listed(builds_nothing, "builds_nothing")[0].why_not ==
        "builds_nothing: build failed with 3");
  static Idle starts_nothing;
  starts_nothing.started = 4;
  CHECK(Listed(starts_nothing, "starts_nothing")[0].why_not ==
        "starts_nothing: start failed with 4");
  CHECK(starts_nothing.living == 0);
}

std::string Launch(hologram::Backend backend) {
  hologram::Executor exec;
  const hologram::Kernel add = exec.kernel("vector_add");
  const std::vector<float> x(10);
  std::vector<float> z(10);
  try {
    add.launch({.backend = backend}, x, x, z, 10U);
  } catch (const hologram::Error& error) {
    return error.what();
  }
  return "";
}

void TestLaunches() {
  CHECK(Launch(hologram::find_backend("idle")) ==
        "hologram: error: idle device 'idle 1' is not used: it is asleep");
  CHECK(Launch(static_cast<hologram::Backend>(31)).find("the number of a registered engine") !=
        std::string::npos);
  try {
    const hologram::DeviceArray<float> x(1, "idle:1");
    CHECK(false);
  } catch (const hologram::Error& error) {
    CHECK(
        std::string(error.what()).ends_with("error: idle:1, 'idle 1', is not used: it is asleep"));
  }
  try {
    (void)hologram::find_backend("gpu");
    CHECK(false);
  } catch (const hologram::Error& error) {
    CHECK(std::string(error.what()).ends_with("there is no engine 'gpu'"));
  }
}

void TestTooMany() {
  static Idle idle;
  idle.why_not.clear();
  std::string refusal;
  for (int k = 0; k < 16 && refusal.empty(); ++k) {
    refusal = Register(EngineOf(idle, ("more_" + std::to_string(k)).c_str()));
  }
  CHECK(refusal == "at most 16 engines can be registered");
  CHECK(Launch(hologram::find_backend("more_0")) == "hologram: error: no more_0 device was found");
}

}  // namespace

// An exception ends the test.
int main() {  // NOLINT(bugprone-exception-escape)
  TestRefusals();
  TestDevices();
  TestLaunches();
  TestTooMany();
  std::printf("engines of programs passed\n");
  return 0;
}
