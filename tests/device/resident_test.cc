// Arrays on a device by the C++ and the C interface: launches on them against those on the host,
// what is refused, offsets of copies. usage: resident_test ENGINE
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "hologram/device.hpp"

namespace {

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)

template <class Call>
std::string Refusal(const Call& call) {
  try {
    call();
  } catch (const hologram::Error& error) {
    return error.what();
  }
  return "";
}

bool Holds(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

// That of a shared library, if the test is to have one: "FILE FUNCTION ARGUMENT".
void RegisterEngine() {
  const char* const text = std::getenv("HOLOGRAM_TEST_ENGINE");
  if (text == nullptr) return;
  std::istringstream words(text);
  std::string file;
  std::string function;
  std::string argument;
  words >> file >> function >> argument;
  void* const library = dlopen(file.c_str(), RTLD_NOW);
  CHECK(library != nullptr);
  const auto registers =
      reinterpret_cast<int (*)(const char*)>(dlsym(library, function.c_str()));  // NOLINT: as POSIX
  CHECK(registers != nullptr && registers(argument.c_str()) == 0);
}

bool IsThere(const std::string& engine) {
  for (const hologram::Device& device : hologram::devices()) {
    const bool its = device.engine == hologram::find_backend(engine);
    if (its && !device.name.empty() && device.why_not.empty()) return true;
  }
  return false;
}

void TestCopies(const std::string& engine) {
  std::vector<double> values(100);
  for (size_t k = 0; k < values.size(); ++k) values[k] = std::sqrt(static_cast<double>(k));
  hologram::DeviceArray<double> array(values, engine);
  CHECK(array.size() == 100 && array.device() == engine + ":0");
  CHECK(array.to_host() == values);
  const std::vector<double> part = {-1, -2, -3};
  array.write(part, 40);
  std::vector<double> five(5);
  array.read(five, 39);
  CHECK((five == std::vector<double>{values[39], -1, -2, -3, values[43]}));
  CHECK(Holds(Refusal([&] { array.write(part, 98); }), "are not inside of 800 bytes"));
  CHECK(Holds(Refusal([&] { array.read(five, SIZE_MAX / 8); }), "are not inside"));
  const hologram::DeviceArray<float> none(0, engine);
  CHECK(none.to_host().empty());
  CHECK(Holds(Refusal([] { hologram::DeviceArray<float>(1, "gpu"); }), "expected a device"));
}

// Addresses that no memory of others can have.
void TestBorrowing(const std::string& engine) {
  const auto message = [&](uint64_t pointer, size_t bytes) {
    hologram_device_memory* memory = nullptr;
    hologram_error* const error = hologram_device_borrow(engine.c_str(), pointer, bytes, &memory);
    CHECK(error != nullptr && memory == nullptr);
    const std::string text = hologram_error_message(error);
    hologram_error_destroy(error);
    return text;
  };
  const char* const expected = engine == "cuda" ? "is there on cuda" : "has no addresses";
  CHECK(Holds(message(0, 64), expected));
  CHECK(Holds(message(UINT64_MAX - 15, 64), expected));
  CHECK(Holds(message(4096, SIZE_MAX), expected));
}

void TestLaunches(const std::string& engine) {
  hologram::Executor exec;
  const hologram::Kernel add = exec.kernel("vector_add");
  std::vector<float> a(1000);
  std::vector<float> b(1000);
  for (size_t k = 0; k < a.size(); ++k) {
    a[k] = static_cast<float>(k);
    b[k] = 0.5F * static_cast<float>(k);
  }
  hologram::DeviceArray<float> x(a, engine);
  hologram::DeviceArray<float> y(b, engine);
  hologram::DeviceArray<float> z(a.size(), engine);
  add(x, y, z, 1000U);
  CHECK(add.last_launch().engine == engine);
  std::vector<float> expected(1000);
  add(a, b, expected, 1000U);
  CHECK(add.last_launch().engine != engine);
  CHECK(z.to_host() == expected);
  CHECK(Holds(Refusal([&] { add(x, b, z, 1000U); }), "on the host"));
  CHECK(Holds(Refusal([&] { add.launch({.backend = hologram::Backend::cpu}, x, y, z, 1000U); }),
              "it is to run on cpu"));
  const std::vector<float> before = z.to_host();
  CHECK(!Refusal([&] { add(x, y, z, 2000U); }).empty());
  CHECK(z.to_host() == before);
}

// The functions of device.h that take what others give them.
void TestHandles() {
  hologram_device_memory* memory = nullptr;
  CHECK(hologram_device_address(nullptr) == nullptr && hologram_device_size(nullptr) == 0);
  CHECK(hologram_device_pointer(nullptr) == 0 && *hologram_device_place(nullptr) == 0);
  hologram_device_destroy(nullptr);
  const auto fails = [](hologram_error* error) {
    const bool failed = error != nullptr;
    hologram_error_destroy(error);
    return failed;
  };
  CHECK(fails(hologram_device_allocate("cuda", 1, nullptr)));
  CHECK(fails(hologram_device_borrow("opencl", 0, 1, &memory)) && memory == nullptr);
  CHECK(fails(hologram_device_write(nullptr, 0, nullptr, 0)));
  CHECK(fails(hologram_device_read(nullptr, 0, nullptr, 0)));
}

}  // namespace

// An exception ends the test.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  CHECK(argc == 2);
  const std::string engine = argv[1];
  RegisterEngine();
  TestHandles();
  if (!IsThere(engine)) {
    std::printf("SKIPPED: no device of %s\n", engine.c_str());
    return 0;
  }
  TestCopies(engine);
  TestBorrowing(engine);
  TestLaunches(engine);
  std::printf("%s: arrays on the device passed\n", engine.c_str());
  return 0;
}
