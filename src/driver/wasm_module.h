// One WebAssembly module of the objects of several kernels, written here: an object of the code
// generator names nothing outside itself, so that there are types to join, indices and addresses to
// fill in, and no linker has to be where hologram is. Imports and exports of a module:
// docs/webassembly.md.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/wasm_object.h"

namespace hologram::driver::wasm {

struct Module {
  Bytes bytes;
  uint32_t data_bytes =
      0;  // that it fills from its base on; the base is a multiple of kDataAlignment
};
inline constexpr uint32_t kDataAlignment = 64;

// Errors: kInternal, for an object that refers to what a kernel never refers to.
Result<Module> LinkModule(std::span<const Object> objects);

// A custom section behind all others.
void AddSection(Bytes& module, std::string_view name, std::span<const uint8_t> contents);

}  // namespace hologram::driver::wasm
