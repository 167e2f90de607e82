// The library of a device's driver: loaded when it is first wanted, never linked.
#pragma once

#include <string>
#include <type_traits>

#include "base/environment.h"
#include "base/result.h"

namespace hologram::engines {

class DriverLibrary {
 public:
  // The one that the variable names, else `usual`. Error: "no CUDA driver: ..." with `what` as its
  // second and third word, and the reason.
  static Result<DriverLibrary> Open(Variable variable, const char* usual, const char* what);

  template <class Function>
  void Find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(Symbol(name));
  }
  // The same for one that newer drivers have: null without it.
  template <class Function>
  void FindNewer(const char* name, Function& function) {
    function = reinterpret_cast<Function>(Lookup(name));
  }
  // Error: the first function that was not found, which `version` has.
  Status HasAll(const char* version) const;

 private:
  DriverLibrary(void* library, std::string path) : library_(library), path_(std::move(path)) {}
  void* Lookup(const char* name) const;
  void* Symbol(const char* name);

  void* library_;  // until the process ends
  std::string path_;
  std::string missing_;
};

}  // namespace hologram::engines
