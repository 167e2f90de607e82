#include "engines/devices/driver_library.h"

#include <dlfcn.h>

#include <utility>

namespace hologram::engines {

Result<DriverLibrary> DriverLibrary::Open(Variable variable, const char* usual, const char* what) {
  const char* const named = ReadNonEmpty(variable);
  std::string path = named != nullptr ? named : usual;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return Error(ErrorCode::kUnsupported,
                 "no " + std::string(what) + ": " + (why != nullptr ? why : path));
  }
  return DriverLibrary(library, std::move(path));
}

void* DriverLibrary::Lookup(const char* name) const {
  return dlsym(library_, name);
}

void* DriverLibrary::Symbol(const char* name) {
  void* const found = Lookup(name);
  if (found == nullptr && missing_.empty()) missing_ = name;
  return found;
}

Status DriverLibrary::HasAll(const char* version) const {
  if (missing_.empty()) return Success{};
  return Error(ErrorCode::kUnsupported,
               path_ + " has no " + missing_ + ", which " + version + " has");
}

}  // namespace hologram::engines
