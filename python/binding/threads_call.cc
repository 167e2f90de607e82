#include "threads_call.h"

#include <cstdint>

#include "hologram/hologram.h"
#include "kernel_object.h"

namespace hologram::python {
namespace {

// False: a Python error is set.
bool ReadCount(PyObject* object, uint32_t& count) {
  const unsigned long value = PyLong_AsUnsignedLong(object);
  if (PyErr_Occurred() != nullptr) return false;
  count = value > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(value);
  return true;
}

}  // namespace

PyObject* SetThreads(PyObject* /*module*/, PyObject* count) {
  uint32_t threads = 0;
  if (!ReadCount(count, threads)) return nullptr;
  if (!Succeeded(hologram_set_threads(threads))) return nullptr;
  Py_RETURN_NONE;
}

PyObject* SetThreadLimit(PyObject* /*module*/, PyObject* count) {
  uint32_t threads = 0;
  if (!ReadCount(count, threads)) return nullptr;
  return PyLong_FromUnsignedLong(hologram_set_thread_limit(threads));
}

PyObject* GetThreads(PyObject* /*module*/, PyObject* /*unused*/) {
  uint32_t threads = 0;
  if (!Succeeded(hologram_get_threads(&threads))) return nullptr;
  return PyLong_FromUnsignedLong(threads);
}

}  // namespace hologram::python
