// Reductions along axes of arrays with any strides that lead forward, by
// hologram/detail/reduction.hpp. Tested by python/tests/test_ops_reductions.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <cstdint>
#include <tuple>

#include "hologram/detail/reduction.hpp"
#include "hologram/hologram.h"
#include "strided.h"

namespace hologram::python {

using Step = detail::ReductionStep;
inline constexpr size_t kSteps = static_cast<size_t>(Step::count);
const char* NameOf(Step step);

class StepKernels {
 public:
  // nullptr: a Python error is set.
  virtual const hologram_kernel* Find(Step step, uint32_t code) = 0;
  // Whether results are indices.
  virtual bool finds_indices() const = 0;

 protected:
  ~StepKernels() = default;
};

static_assert(sizeof(Py_ssize_t) == sizeof(int64_t) && kMostRank == detail::max_axes);
using Reduced = detail::Reduction;
static_assert(kMostNumbers == std::tuple_size_v<decltype(Reduced::numbers)>);

// The type of the results. False: a Python error is set.
bool ResultCode(StepKernels& kernels, uint32_t code, uint32_t& result);

// Reduces the axes of `axes` (bit d: dimension d) to `out`, which has an element for each place in
// the others, in C order. REQUIRES: no extent is 0, no stride negative; of indices and of pairs,
// the axes are one dimension in memory. False: a Python error is set.
bool Reduce(const char* op, StepKernels& kernels, const Reduced& reduced, uint64_t axes, char* out);

}  // namespace hologram::python
