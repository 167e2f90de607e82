// The inner loops of ufuncs: what NumPy calls with addresses, counts and strides in bytes, without
// the lock of the interpreter.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hologram/hologram.h"

namespace hologram::python {

inline constexpr size_t kMostUfuncArrays = 32;

struct UfuncLoop {
  struct Array {
    uint32_t size = 0;  // bytes of an element
    // Of a generalized ufunc: numbers of the dimensions of one call; below 0 an extent, negated.
    std::vector<int> cores;
  };

  const hologram_kernel* kernel = nullptr;
  const hologram_launch_plan* plan = nullptr;
  std::array<Array, kMostUfuncArrays> arrays;
  size_t inputs = 0;
  size_t count = 0;    // of arrays: inputs, then outputs
  size_t scratch = 0;  // arrays behind these that the loop makes: memory of a call
};

// PyUFuncGenericFunction of NumPy, for kernels of elements and of calls on parts of arrays. `data`
// is a UfuncLoop. Flags of floating point are left as they are: compiled code raises some that its
// results do not justify.
void RunUfunc(char** data, const intptr_t* counts, const intptr_t* steps, void* loop);
void RunGeneralizedUfunc(char** data, const intptr_t* counts, const intptr_t* steps, void* loop);

}  // namespace hologram::python
