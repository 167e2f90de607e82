// Guards at the edges of every C API function: null pointers become errors, and so does what
// is thrown. A function is a function-try-block,
//
//   hologram_error* hologram_do(hologram_executor* executor) try {
//     HOLOGRAM_NOT_NULL(executor);
//     ...
//   } catch (...) {
//     return FromException();
//   }
//
// or cannot throw. tests/capi/exports_test.py holds every exported function to it,
// tests/capi/null_test.c calls each with null pointers, and tests/capi/allocation_test.cc makes
// every allocation fail.
#pragma once

#include "hologram/hologram.h"

// Inside a function that gives a hologram_error*.
#define HOLOGRAM_NOT_NULL(pointer)                               \
  do {                                                           \
    if ((pointer) == nullptr) [[unlikely]]                       \
      return ::hologram::capi::NullArgument(__func__, #pointer); \
  } while (false)

namespace hologram::capi {

// The error of an exception: RESOURCE_LIMIT for an allocation, a size or a thread that failed, else
// INTERNAL. Never fails: without memory for the error it is one that exists already. Passes on the
// exception with which a thread is cancelled. REQUIRES: called while an exception is handled
hologram_error* FromException();
// The same for functions that give no error: what they were to do is left undone.
void DropException();

// "hologram_executor_load_file: path is NULL"
hologram_error* NullArgument(const char* function, const char* argument);

}  // namespace hologram::capi
