// Lets other threads of Python run. Tested by python/tests/test_exit.py.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace hologram::python {

// While it lives, the thread does not hold the lock of the interpreter. A thread that wants it back
// while the interpreter ends is made to exit, which unwinds its stack. The callers do not support
// that, so the thread waits here until the process is gone, as it does from Python 3.14 on.
class ReleaseGil {
 public:
  ReleaseGil() : state_(PyEval_SaveThread()) {}
  ~ReleaseGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      for (;;) pause();
    }
  }
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace hologram::python
