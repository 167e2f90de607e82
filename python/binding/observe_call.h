// Counters of the library in this process (hologram/observe.h), for hologram.observe.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "hologram/observe.h"

namespace hologram::python {

// (): [(name, engine, reason, value)]
PyObject* ReadMetrics(PyObject* module, PyObject* unused);

// (path): a trace for a file; (function): one that function(spans) gets.
PyObject* StartTrace(PyObject* module, PyObject* target);
// (): gives the function what there is.
PyObject* FlushTrace(PyObject* module, PyObject* unused);
// (): (spans, dropped)
PyObject* StopTrace(PyObject* module, PyObject* unused);

// (): (engine, name, driver, why not) of each device.
PyObject* ReadDevices(PyObject* module, PyObject* unused);
// (with a test?): the report of hologram.doctor and whether nothing is bad.
PyObject* Doctor(PyObject* module, PyObject* with_test);

// Tells a trace, if one runs, which line of Python the next launch comes from. With the lock of the
// interpreter held.
void NoteCaller();

// The number of elements of an array of `bytes` bytes; `code` as in plans.
inline uint64_t ElementsOf(uint32_t code, uint64_t bytes) {
  constexpr uint8_t kLogSize[] = {0, 1, 2, 3, 0, 1, 2, 3, 1, 1, 2, 3, 0, 0, 0, 0};  // by type
  return bytes >> kLogSize[code & 15];
}

// The sizes of a launch that was inlined and is done, which the library has not seen: bytes of all
// arrays, elements of the largest.
inline void CountSizes(uint64_t bytes, uint64_t elements) {
  hologram_inline_counts& counts = hologram_inline_counts_of_thread;
  const auto add = [](uint64_t& count, uint64_t amount) {
    __atomic_store_n(&count, __atomic_load_n(&count, __ATOMIC_RELAXED) + amount, __ATOMIC_RELAXED);
  };
  add(counts.bytes, bytes);
  add(counts.elements, elements);
}
void CountSizes(const hologram_launch_plan& plan, const hologram_buffer_ref* buffers);

}  // namespace hologram::python
