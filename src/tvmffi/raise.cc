#include "tvmffi/raise.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>

#include "tvmffi/abi.h"

namespace hologram::tvmffi {
namespace {

std::atomic<RaiseFunction> known{nullptr};

// In the global scope, as Python loads it, or in a library that is loaded but not global.
RaiseFunction Find() {
  if (const RaiseFunction found = known.load(std::memory_order_acquire)) return found;
  void* function = dlsym(RTLD_DEFAULT, kRaiseFunction);
  if (function == nullptr) {
    void* const library = dlopen(kFfiLibrary, RTLD_NOW | RTLD_NOLOAD);
    if (library != nullptr) function = dlsym(library, kRaiseFunction);  // it stays open
  }
  const auto found = reinterpret_cast<RaiseFunction>(function);
  known.store(found, std::memory_order_release);
  return found;
}

}  // namespace

int Raise(const char* kind, const char* message) {
  if (const RaiseFunction raise = Find()) {
    raise(kind, message);
  } else {
    std::fprintf(stderr, "hologram: error: %s\n", message);
  }
  return kRaised;
}

}  // namespace hologram::tvmffi
