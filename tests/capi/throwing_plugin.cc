// A compiler plugin that throws: what, the text of the circuit says.
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT const char* hologram_jit_version() {
  return HOLOGRAM_VERSION;
}

// The parameters of plugin/code.h. NOLINTNEXTLINE(readability-function-size)
EXPORT int hologram_jit_compile(const uint8_t*, size_t, const uint8_t*, size_t, const uint32_t*,
                                size_t, uint32_t, uint32_t, void (*)(void*, const uint8_t*, size_t),
                                void (*)(void*, const uint8_t*, size_t), void*) {
  throw std::runtime_error("while compiling");
}

EXPORT int hologram_jit_compile_circuit(
    const char* text, size_t size, const char*, size_t, void (*)(void*, const uint8_t*, size_t),
    void (*)(void*, uint32_t, uint32_t, uint32_t, const char*, size_t), void*) {
  const std::string_view what(text, size);
  if (what == "bad_alloc") throw std::bad_alloc();
  if (what == "length_error") throw std::length_error("vector");
  if (what == "system_error") {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  }
  if (what == "out_of_range") throw std::out_of_range("map::at");
  throw 42;
}
