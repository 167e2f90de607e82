// Parts of a standard library that the sources of libhologram expect, and Debian's libc++ 19 for
// WebAssembly does not have. Included before every file of the module (web/CMakeLists.txt).
#pragma once

#include <charconv>
#include <mutex>
#include <system_error>

namespace std {

// There is one thread.
struct mutex {
  void lock() {}
  void unlock() {}
  bool try_lock() { return true; }
};

// Decimal texts only, in all of their forms.
from_chars_result from_chars(const char* first, const char* last, double& value);
from_chars_result from_chars(const char* first, const char* last, float& value);

}  // namespace std
