// Conversions of arguments that run code of the user. Tested by python/tests/test_reentry.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hologram::python {

// While it lives, code of the user may run, which may call kernels with arguments whose conversion
// does so again. Each such call takes some ten kilobytes of the stack, of which Python's own limit
// knows nothing.
class Conversion {
 public:
  Conversion() { ++depth_; }
  ~Conversion() { --depth_; }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  // False: a RecursionError is set.
  bool may_go_on() const {
    if (depth_ <= kDeepest) return true;
    PyErr_Format(PyExc_RecursionError,
                 "its conversion calls kernels whose arguments do so again, more than %d deep",
                 kDeepest);
    return false;
  }

 private:
  static constexpr int kDeepest = 16;
  static inline thread_local int depth_ = 0;
};

}  // namespace hologram::python
